"""Errors of queries, with their position and the expected tokens."""

from __future__ import annotations

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from archive.derive.issues import language
from kifu_core.errors import KifuError
from kifu_core.messages import Language, message

TOO_SLOW: Final = "query-too-slow"
TOO_WIDE: Final = "query-too-wide"
BUSY: Final = "query-busy"
NOT_HERE: Final = "query-not-here"
PATTERN: Final = "query-pattern"

STATUSES: Final = {TOO_SLOW: 422, TOO_WIDE: 422, BUSY: 429, NOT_HERE: 503}
"""Codes of valid queries that cannot be answered, with the status of the response; that of others is 400."""
LATER: Final = (BUSY, NOT_HERE)
"""Codes of queries that may succeed later."""
BUSY_SECONDS: Final = 2
"""Seconds until a retry makes sense."""

TEXTS: Final[dict[str, str | Promise]] = {
    "query-syntax": _("character {position}: expected {expected}"),
    "query-field": _("character {position}: there is no field “{text}”; fields are {expected}"),
    "query-value": _("character {position}: “{text}” is not what the field takes: {expected}"),
    "query-character": _("character {position}: this character cannot be searched for"),
    "query-too-long": _("a query has at most {limit} characters"),
    "query-too-deep": _("character {position}: at most {limit} parentheses can be nested"),
    "query-too-many": _("a query has at most {limit} terms and values"),
    TOO_SLOW: _("finding these games takes longer than {limit} s; add {expected}"),
    TOO_WIDE: _("more than {limit} games have this pattern; add {expected}"),
    BUSY: _("other patterns are being searched; try again in a moment"),
    NOT_HERE: _("patterns cannot be searched at present: files of positions are missing"),
    PATTERN: _("character {position}: {text}"),
}
"""Texts by code."""

EXPECTED: Final[dict[str, str | Promise]] = {
    "term": _("a word, a field with a value or an opening parenthesis"),
    "closing": _("a closing parenthesis"),
    "quote": _("a closing quotation mark"),
    ",": _("a comma"),
    "end": _("another term or the end"),
    "text": _("a text, with quotation marks where it has blanks"),
    "number": _("a number as 120, 100..150 or >=120"),
    "day": _("a date as 2024-03-15, 2024-03 or 2024, or 2014..2016 or >=2014"),
    "one day": _("a date as 2024-03-15, 2024-03 or 2024"),
    "one number": _("a number as 120"),
    "formation": _("the name of a castle or an opening, as 穴熊 or anaguma"),
    "position": _("a position: an SFEN, a code, or moves as 76歩 34歩"),
    "narrower": _("a player, an event or years"),
    "more of a board": _("squares, plies or hands"),
    "pattern": _("a pattern as K9i L9h N8i"),
}
"""Descriptions of expected tokens; a token without one is shown itself."""

_QUOTED_LENGTH: Final = 40


class QueryError(ValueError):
    """A query that cannot be answered. `position` counts characters from 0; None for the complete text.
    `expected` are keys of `EXPECTED` or tokens of the language; for an unknown field, the names of fields."""

    def __init__(
        self,
        code: str,
        position: int | None = None,
        expected: tuple[str, ...] = (),
        *,
        text: str = "",
        limit: int = 0,
        cause: KifuError | None = None,
    ) -> None:
        super().__init__(code, position)
        self.code = code
        self.position = position
        self.expected = expected
        self.text = text if len(text) <= _QUOTED_LENGTH else f"{text[:_QUOTED_LENGTH]}…"
        self.limit = limit
        self.cause = cause
        """The error of a pattern."""

    @property
    def slow(self) -> bool:
        """Return whether the query is valid, but cannot be answered."""
        return self.code in STATUSES

    @property
    def status(self) -> int:
        """Return the status of the response."""
        return STATUSES.get(self.code, 400)

    @property
    def wait(self) -> int | None:
        """Return the seconds until a retry; None if a retry is of no use."""
        return BUSY_SECONDS if self.code == BUSY else None

    def message(self, spoken: Language | None = None) -> str:
        """Return the text of the error in a language (None: the reader's)."""
        with override(spoken or language()):
            descriptions: dict[str, str | Promise] = {} if self.code == "query-field" else EXPECTED
            return str(TEXTS[self.code]).format(
                position=0 if self.position is None else self.position + 1,
                expected=" / ".join(str(descriptions.get(one, one)) for one in self.expected),
                text=self.text if self.cause is None else message(self.cause, language=spoken or language()),
                limit=self.limit,
            )
