"""The forms of filters, and parsing of parameters."""

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
from archive.queries.games.filters import IDS, Filter, FilterPlace, filters_of
from archive.queries.games.keyset import ALL_ORDERS, ORDERS, Sorting
from archive.queries.search.errors import QueryError
from archive.queries.search.parsing import parse
from archive.queries.search.terms import FieldIs, leaves
from archive.web import wording
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi.formations import by_any_name

TEXT_LIMIT: Final = 200
_DATE: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_JAPANESE_DATE: Final = re.compile("[年月／]")


def parse_number(text: str, digits: int = 9) -> int | None:
    """Return the number in a parameter; None for anything but at most `digits` ASCII digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else None


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
    """A text in the search language, validated and left unchanged."""

    def clean(self, value: Any) -> str:
        text = str(super().clean(value))
        try:
            parse(text)
        except QueryError as error:
            raise ValidationError(error.message(), code=error.code) from error
        return text


class FormationField(forms.ChoiceField):
    """A castle or an opening, by any of its names."""

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__(choices=[("", _("any")), *wording.FORMATIONS], **options)
        if game not in ("", SHOGI.name):
            self.widget = forms.HiddenInput()

    def to_python(self, value: Any) -> str:
        formation = by_any_name(str(value or ""))
        return formation.name if formation else str(value or "")


class FilterForm(forms.Form):
    """The filters of one kind of game; texts match exactly."""

    place: ClassVar[FilterPlace]

    def __init__(
        self, data: Mapping[str, Any], *, kind: str = SHOGI.name, menus: str | None = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        # Forms of one class with the same `menus` differ in their data only.
        self.menus = kind if menus is None else menus
        labels = wording.SIDES_OF[kind]
        shown = {
            filter_.name: _field(filter_, self.menus, labels.get(filter_.name))
            for filter_ in filters_of(self.place)
        }
        # The side that begins comes first.
        sides = dict(zip(labels, GAMES[kind].rules.sides, strict=True))
        ordered = {sides.get(name, name): shown[sides.get(name, name)] for name in shown}
        self.fields = {**ordered, **self.fields}

    def is_usual(self, _name: str, _value: object) -> bool:
        """Return whether a value is that of an address without the field."""
        return False


def _field(filter_: Filter, menus: str, label: Any) -> forms.Field:
    """Return the field of a filter; `menus` is the kind of game, empty for any."""
    options: dict[str, Any] = {"label": label or filter_.label, "required": False}
    if filter_.hidden:
        options["widget"] = forms.HiddenInput
    if filter_.value == "query":
        return QueryField(strip=False, **options)
    if filter_.value == "ids":
        return forms.RegexField(IDS, **options)
    if filter_.value == "number":
        return forms.IntegerField(min_value=filter_.least, max_value=filter_.most, **options)
    if filter_.value in ("day", "last day"):
        return PartialDate(last=filter_.value == "last day", **options)
    if filter_.value == "formation":
        return FormationField(menus, **options)
    words = wording.MENUS.get(filter_.name)
    choices = words(menus) if words else filter_.choices.items()
    if words or filter_.value == "choice":
        return forms.ChoiceField(choices=[("", _("any")), *choices], **options)
    return forms.CharField(max_length=TEXT_LIMIT, **options)


ALL_KINDS: Final = "all"
"""The parameter for records of every kind."""


class RecordFilterForm(FilterForm):
    """The filters of lists of records, which by default have games only: no problems or opening trees."""

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
        return "" if self.cleaned_data["record_kind"] == ALL_KINDS else self.cleaned_data["record_kind"]

    def is_usual(self, name: str, value: object) -> bool:
        return name == "record_kind" and value == (self.usual_kind or ALL_KINDS)


class GameFilterForm(RecordFilterForm):
    """The filters of the list of games, and its order."""

    def __init__(self, data: Mapping[str, Any], **options: Any) -> None:
        kind = data.get("game") if data.get("game") in GAMES else ""
        super().__init__(data, kind=kind or SHOGI.name, menus=kind, **options)

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
        """Return the order of a valid form."""
        return next((name for name in self.orders() if name == self.cleaned_data["order"]), "newest")

    def orders(self) -> list[Sorting]:
        """Return the orders of the list of a valid form."""
        return [*(ALL_ORDERS if self.cleaned_data.get("collection") else ORDERS)]

    def shown(self) -> list[forms.BoundField]:
        """Return the fields that are always visible."""
        return [self[filter_.name] for filter_ in filters_of(self.place) if filter_.foremost]

    def folded(self) -> list[forms.BoundField]:
        """Return the visible fields that are collapsed by default."""
        shown = {field.name for field in self.shown()}
        return [field for field in self.visible_fields() if field.name not in shown]

    def unfolded(self) -> bool:
        """Return whether a folded field is in use or has an error."""
        return any(
            field.errors or (field.value() and not self.is_usual(field.name, field.value()))
            for field in self.folded()
        )


def _says_kinds(data: Mapping[str, Any]) -> bool:
    """Return whether a query selects kinds of records, or the list is that of an upload or a collection,
    which has all kinds."""
    try:
        terms = leaves(parse(data.get("q", "")))
    except QueryError:
        return True
    return bool(data.get("upload") or data.get("collection")) or any(
        isinstance(one, FieldIs) and one.field == "record_kind" for one in terms
    )


class PositionFilterForm(FilterForm):
    """The filters of the games through a position; colours are those of the shown board."""

    place = "positions"


class PatternFilterForm(RecordFilterForm):
    """The filters of the games with a pattern, which only shogi has."""

    def __init__(self, data: Mapping[str, Any], **options: Any) -> None:
        super().__init__(data, **options)
        del self.fields["game"]


def fields_html(fields: Iterable[forms.BoundField]) -> SafeString:
    """Return the HTML of fields with labels and errors."""
    return mark_safe("".join(map(_field_html, fields)))


def _field_html(field: forms.BoundField) -> str:
    """Return the HTML of a field, cached unless it has text from the visitor."""
    key = _cache_key(field)
    if key is None:
        return _render(field)
    if key not in _CACHE:
        if len(_CACHE) >= _CACHE_SIZE:
            _CACHE.clear()
        _CACHE[key] = _render(field)
    return _CACHE[key]


_CACHE: Final[dict[tuple[Any, ...], str]] = {}
_CACHE_SIZE: Final = 2_000


def _cache_key(field: forms.BoundField) -> tuple[Any, ...] | None:
    """Return all that a field's HTML depends on: the form, the language and a menu's choice; None if there is
    more."""
    form, value = field.form, field.value() or ""
    if not isinstance(form, FilterForm) or field.errors:
        return None
    choices = getattr(field.field, "choices", ())
    if value and not any(value == choice for choice, _text in choices):
        return None
    return get_language(), type(form), form.menus, form.label_suffix, form.auto_id, field.html_name, value


def _render(field: forms.BoundField) -> str:
    errors = "".join(
        format_html('<p class="field-error" id="{}-error">{}</p>', field.auto_id, error)
        for error in field.errors
    )
    return f"<div>{field.label_tag()}{field}{errors}</div>\n"
