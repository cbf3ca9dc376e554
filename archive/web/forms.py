"""What the pages' forms accept."""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import format_lazy
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from archive.models import Game
from archive.queries.games.filters import Filter, FilterPlace, filters_of
from archive.queries.games.keyset import ORDERS, Sorting
from archive.queries.search.errors import QueryError
from archive.queries.search.parsing import parse
from archive.queries.search.terms import FieldIs, leaves
from archive.web import wording
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.formations import by_any_name

TEXT_LIMIT: Final = 200
_DATE: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_JAPANESE_DATE: Final = re.compile("[年月／]")


class PartialDate(forms.CharField):
    """A day, a month or a year (`2024-03-15`, `2024-03`, `2024年`), cleaned to its first or last day."""

    def __init__(self, *, last: bool = False, **kwargs: Any) -> None:
        super().__init__(max_length=11, **kwargs)
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


class QueryField(forms.CharField):
    """A text in the search language, looked at and left as it is."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        try:
            parse(text)
        except QueryError as error:
            raise ValidationError(error.message(), code=error.code) from error
        return text


class FormationField(forms.ChoiceField):
    """A castle or an opening; an address may have any of its names."""

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__(choices=[("", _("any")), *wording.FORMATIONS], **options)
        if game not in ("", SHOGI.name):
            self.widget = forms.HiddenInput()

    def to_python(self, value: Any) -> str:
        found = by_any_name(str(value or ""))
        return found.name if found else str(value or "")


class FilterForm(forms.Form):
    """The filters of the games of a kind; texts match exactly."""

    place: ClassVar[FilterPlace]

    def __init__(
        self, data: Mapping[str, Any], *, kind: str = SHOGI.name, menus: str | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        # Names what the menus have: forms of one class and one such name differ in their data only.
        self.menus = kind if menus is None else menus
        labels = wording.SIDES_OF[kind]
        shown = {one.name: _field(one, self.menus, labels.get(one.name)) for one in filters_of(self.place)}
        # The sides change places where the other one begins.
        sides = dict(zip(labels, GAMES[kind].rules.sides, strict=True))
        ordered = {sides.get(name, name): shown[sides.get(name, name)] for name in shown}
        self.fields = {**ordered, **self.fields}

    def is_usual(self, _name: str, _value: object) -> bool:
        """Tell whether a field has the value that it has where an address says nothing of it."""
        return False


def _field(one: Filter, menus: str, label: Any) -> forms.Field:
    """Return the field that takes a filter's values; `menus` is the kind of game, empty for any."""
    told: dict[str, Any] = {"label": label or one.label, "required": False}
    if one.hidden:
        told["widget"] = forms.HiddenInput
    if one.value == "query":
        return QueryField(strip=False, **told)
    if one.value == "number":
        return forms.IntegerField(min_value=one.least, max_value=one.most, **told)
    if one.value in ("day", "last day"):
        return PartialDate(last=one.value == "last day", **told)
    if one.value == "formation":
        return FormationField(menus, **told)
    words = wording.MENUS.get(one.name)
    choices = words(menus) if words else one.choices.items()
    if words or one.value == "choice":
        return forms.ChoiceField(choices=[("", _("any")), *choices], **told)
    return forms.CharField(max_length=TEXT_LIMIT, **told)


ALL_KINDS: Final = "all"
"""What addresses call records of every kind."""


class RecordFilterForm(FilterForm):
    """The filters of lists of records.

    Where nothing says what kinds of records are meant, these are games: neither problems nor opening trees.
    """

    place = "games"

    def __init__(self, data: Mapping[str, Any], **options: Any) -> None:
        self.usual_kind = "" if _says_kinds(data) else Game.RecordKind.GAME.value
        kinds = data.get("record_kind") or self.usual_kind or ALL_KINDS
        super().__init__({**dict(data.items()), "record_kind": kinds}, **options)

    record_kind = forms.ChoiceField(
        label=_("Kind"),
        required=False,
        choices=[*Game.RecordKind.choices, (ALL_KINDS, _("all records"))],
    )

    def clean_record_kind(self) -> str:
        """Return the kind of record that is asked for; empty for all of them."""
        kind = str(self.cleaned_data["record_kind"])
        return "" if kind == ALL_KINDS else kind

    def is_usual(self, name: str, value: object) -> bool:
        return name == "record_kind" and value == (self.usual_kind or ALL_KINDS)


class GameFilterForm(RecordFilterForm):
    """The filters of the list of games, and its order."""

    def __init__(self, data: Mapping[str, Any], **options: Any) -> None:
        asked = data.get("game", "")
        known = asked if asked in GAMES else ""
        super().__init__(data, kind=known or SHOGI.name, menus=known, **options)

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
        """Return the order that a valid form asks for."""
        return next((name for name in ORDERS if name == self.cleaned_data["order"]), "newest")

    def shown(self) -> list[forms.BoundField]:
        """Return the fields that are always there."""
        return [self[one.name] for one in filters_of(self.place) if one.foremost]

    def folded(self) -> list[forms.BoundField]:
        """Return the other fields, which are folded away."""
        shown = {field.name for field in self.shown()}
        return [field for field in self.visible_fields() if field.name not in shown]

    def unfolded(self) -> bool:
        """Return whether one of the folded fields is in use or wrong."""
        return any(
            field.errors or (field.value() and not self.is_usual(field.name, field.value()))
            for field in self.folded()
        )


def _says_kinds(data: Mapping[str, Any]) -> bool:
    """Tell whether a query names kinds of records, or a list is that of an upload, which has what came."""
    try:
        asked = leaves(parse(data.get("q", "")))
    except QueryError:
        return True
    return bool(data.get("upload")) or any(
        isinstance(one, FieldIs) and one.field == "record_kind" for one in asked
    )


class PositionFilterForm(FilterForm):
    """The filters of the games through a position; colours are those of the board that is shown."""

    place = "positions"


class PatternFilterForm(RecordFilterForm):
    """The filters of the games with a pattern, all of which are shogi's."""

    def __init__(self, data: Mapping[str, Any], **options: Any) -> None:
        super().__init__(data, **options)
        del self.fields["game"]


def fields_html(found: Iterable[forms.BoundField]) -> SafeString:
    """Return fields with their labels and what is wrong with them."""
    return mark_safe("".join(map(_field_html, found)))


def _field_html(field: forms.BoundField) -> str:
    """Return a field as HTML; those of filters are kept, unless they show what a visitor has written."""
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
    """Return what a field's HTML depends on, where that is the form, the language and a menu's choice alone.

    Return None where it depends on anything else.
    """
    form, value = field.form, field.value() or ""
    if not isinstance(form, FilterForm) or field.errors:
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
