"""What the pages' forms accept."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import format_lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from archive.models import LARGEST_ID, Game
from archive.queries.color_names import results_of
from archive.queries.keyset import ORDERS, Sorting
from archive.web import wording
from archive.web.wording import ENDINGS, ENDINGS_OF, STARTS_OF
from kifu_core.games import GAMES, SHOGI

TEXT_LIMIT: Final = 200
_DATE: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_JAPANESE_DATE: Final = re.compile("[年月／]")

SHOWN_AT_ONCE: Final = ("player", "event", "since", "until", "result")
"""The filters of games that most ask for; the others open on demand."""


class PartialDate(forms.CharField):
    """A day, a month or a year (`2024-03-15`, `2024-03`, `2024年`), cleaned to its first or last day."""

    def __init__(self, *, last: bool = False, **kwargs: Any) -> None:
        super().__init__(max_length=11, required=False, **kwargs)
        self.last = last

    def clean(self, value: Any) -> date | None:
        text = super().clean(value)
        if not text:
            return None
        match = _DATE.fullmatch(_JAPANESE_DATE.sub("-", text).rstrip("-日"))
        try:
            return self._day(match) if match else self._refuse()
        except ValueError:
            return self._refuse()

    def _day(self, match: re.Match[str]) -> date:
        year = int(match[1])
        month = int(match[2] or (12 if self.last else 1))
        day = int(match[3] or (monthrange(year, month)[1] if self.last else 1))
        return date(year, month, day)

    def _refuse(self) -> date:
        raise ValidationError(_("Write a date as 2024-03-15, 2024-03 or 2024."))


def is_date(text: str) -> bool:
    """Whether a text is a day, a month or a year as the forms read them."""
    try:
        return PartialDate().clean(text) is not None
    except ValidationError:
        return False


class _Filters(forms.Form):
    """Filters of games of a kind. Addresses say from and to; `from` is a Python keyword."""

    def __init__(self, *args: Any, kind: str = SHOGI.name, menus: str | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        # Names what the menus have: forms of one class and one such name differ in their data only.
        self.menus = kind if menus is None else menus
        words = zip(results_of(GAMES[kind]), wording.RESULTS_OF[kind], strict=True)
        self._choose("result", words)
        self._choose("handicap", STARTS_OF[kind].items())
        before = list(self.fields)[: list(self.fields).index("black")]
        self.order_fields([*before, *GAMES[kind].rules.sides])
        for side, label in wording.SIDES_OF[kind].items():
            self.fields[side].label = label

    def _choose(self, name: str, choices: Iterable[tuple[str, Any]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", _("any")), *choices]

    def add_prefix(self, field_name: str) -> str:
        return {"since": "from", "until": "to"}.get(field_name, field_name)


def _text(label: Any) -> forms.CharField:
    return forms.CharField(label=label, max_length=TEXT_LIMIT, required=False)


def _choice(label: Any, choices: Iterable[tuple[str, Any]]) -> forms.ChoiceField:
    return forms.ChoiceField(label=label, required=False, choices=[("", _("any")), *choices])


def _number(label: Any) -> forms.IntegerField:
    return forms.IntegerField(label=label, required=False, min_value=0, max_value=32767)


def _source() -> forms.IntegerField:
    return forms.IntegerField(
        label=_("Source"), required=False, min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput
    )


class GameFilterForm(_Filters):
    """The filters of the list of games; texts match exactly."""

    def __init__(self, data: Mapping[str, Any], **options: Any) -> None:
        asked = data.get("game", "")
        known = asked if asked in GAMES else ""
        super().__init__(data, kind=known or SHOGI.name, menus=known, **options)
        self._choose("special", ENDINGS_OF.get(asked, ENDINGS).items())

    player = _text(_("Player"))
    event = _text(_("Event"))
    since = PartialDate(label=_("From"))
    until = PartialDate(label=_("To"), last=True)
    result = _choice(_("Result"), ())
    black = _text(_("Black"))
    white = _text(_("White"))
    opening = _text(_("Opening"))
    handicap = _choice(_("Handicap"), ())
    special = _choice(_("Ending"), ())
    kind = _choice(_("Kind"), Game.RecordKind.choices)
    game = _choice(_("Which game"), wording.GAMES.items())
    min_plies = _number(_("At least so many moves"))
    max_plies = _number(_("At most so many moves"))
    upload = _source()
    order = forms.ChoiceField(
        label=_("Order"),
        required=False,
        choices=wording.ORDERS.items(),
        widget=forms.HiddenInput,
        error_messages={
            "invalid_choice": format_lazy("{} {}", _("order is one of"), ", ".join(wording.ORDERS))
        },
    )

    def sorting(self) -> Sorting:
        """The order that a valid form asks for."""
        return next((name for name in ORDERS if name == self.cleaned_data["order"]), "newest")

    def shown(self) -> list[forms.BoundField]:
        """The fields that are always there."""
        return [self[name] for name in SHOWN_AT_ONCE]

    def folded(self) -> list[forms.BoundField]:
        """The other fields."""
        return [field for field in self.visible_fields() if field.name not in SHOWN_AT_ONCE]

    def unfolded(self) -> bool:
        """Whether one of the other fields is in use or wrong."""
        return any(field.value() or field.errors for field in self.folded())


class PositionFilterForm(_Filters):
    """The filters of the games through a position; colours are those of the board that is shown."""

    player = _text(_("Player"))
    black = _text(_("Black"))
    white = _text(_("White"))
    event = _text(_("Event"))
    since = PartialDate(label=_("From"))
    until = PartialDate(label=_("To"), last=True)
    result = _choice(_("Result"), ())
    handicap = _choice(_("Handicap"), ())
    min_rating = _number(_("Both rated at least"))
    upload = _source()


def fields_html(found: Iterable[forms.BoundField]) -> SafeString:
    """Fields with their labels and what is wrong with them."""
    return mark_safe("".join(map(_field_html, found)))


def _field_html(field: forms.BoundField) -> str:
    """A field; those of filters are kept, as long as they show nothing that a visitor has written."""
    key = _key_of(field)
    if key is None:
        return _drawn(field)
    if key not in _DRAWN:
        if len(_DRAWN) >= _MOST_DRAWN:
            _DRAWN.clear()
        _DRAWN[key] = _drawn(field)
    return _DRAWN[key]


_DRAWN: Final[dict[tuple[Any, ...], str]] = {}
_MOST_DRAWN: Final = 2_000


def _key_of(field: forms.BoundField) -> tuple[Any, ...] | None:
    """What a field's HTML depends on, where that is the form, the language and a choice of a menu alone."""
    form, value = field.form, field.value() or ""
    if not isinstance(form, _Filters) or field.errors:
        return None
    choices = getattr(field.field, "choices", ())
    if value and not any(value == choice for choice, _text in choices):
        return None
    return get_language(), type(form), form.menus, form.label_suffix, form.auto_id, field.html_name, value


def _drawn(field: forms.BoundField) -> str:
    errors = "".join(
        format_html('<p class="field-error" id="{}-error">{}</p>', field.auto_id, error)
        for error in field.errors
    )
    return f"<div>{field.label_tag()}{field}{errors}</div>\n"
