"""What the pages' forms accept."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import date
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from archive.models import Game
from archive.web.wording import ENDINGS, HANDICAPS, RESULTS

TEXT_LIMIT: Final = 200
_DATE: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")

SHOWN_AT_ONCE: Final = ("player", "event", "since", "until", "result")
"""The filters of games that most ask for; the others open on demand."""

RESULT_NUMBERS: Final = {"black": 0, "white": 1, "draw": 2, "unknown": 3}


class PartialDate(forms.CharField):
    """A day, a month or a year (`2024-03-15`, `2024-03`, `2024`), cleaned to its first or last day."""

    def __init__(self, *, last: bool = False, **kwargs: Any) -> None:
        super().__init__(max_length=10, required=False, **kwargs)
        self.last = last

    def clean(self, value: Any) -> date | None:
        text = super().clean(value)
        if not text:
            return None
        match = _DATE.fullmatch(text)
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


class _Renamed(forms.Form):
    """A form whose addresses say from and to; `from` is a Python keyword."""

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
        label=_("Source"), required=False, min_value=1, max_value=2**63 - 1, widget=forms.HiddenInput
    )


_RESULT_CHOICES: Final = [(name, RESULTS[number]) for name, number in RESULT_NUMBERS.items()]


class GameFilterForm(_Renamed):
    """The filters of the list of games; texts match exactly."""

    player = _text(_("Player"))
    event = _text(_("Event"))
    since = PartialDate(label=_("From"))
    until = PartialDate(label=_("To"), last=True)
    result = _choice(_("Result"), _RESULT_CHOICES)
    black = _text(_("Black"))
    white = _text(_("White"))
    opening = _text(_("Opening"))
    handicap = _choice(_("Handicap"), HANDICAPS.items())
    special = _choice(_("Ending"), ENDINGS.items())
    kind = _choice(_("Kind"), Game.RecordKind.choices)
    min_plies = _number(_("At least so many moves"))
    max_plies = _number(_("At most so many moves"))
    upload = _source()

    def shown(self) -> list[forms.BoundField]:
        """The fields that are always there."""
        return [self[name] for name in SHOWN_AT_ONCE]

    def folded(self) -> list[forms.BoundField]:
        """The other fields."""
        return [field for field in self.visible_fields() if field.name not in SHOWN_AT_ONCE]

    def unfolded(self) -> bool:
        """Whether one of the other fields is in use or wrong."""
        return any(field.value() or field.errors for field in self.folded())


class PositionFilterForm(_Renamed):
    """The filters of the games through a position; colours are those of the board that is shown."""

    player = _text(_("Player"))
    black = _text(_("Black"))
    white = _text(_("White"))
    event = _text(_("Event"))
    since = PartialDate(label=_("From"))
    until = PartialDate(label=_("To"), last=True)
    result = _choice(_("Result"), _RESULT_CHOICES)
    handicap = _choice(_("Handicap"), HANDICAPS.items())
    min_rating = _number(_("Both rated at least"))
    upload = _source()


class SeveralFiles(forms.ClearableFileInput):
    """A file input that takes many."""

    allow_multiple_selected = True
