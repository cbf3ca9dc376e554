"""Moves, endings, results and times in the words of the active language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from archive.derive.issues import language
from archive.models import NameKind
from archive.queries.games.color_names import results_of
from archive.queries.games.keyset import Sorting
from archive.web.game_registry import PAGES
from kifu_core.games import GAMES, SHOGI
from kifu_core.shogi import formations, notation
from kifu_core.shogi.pieces import BY_CODE

if TYPE_CHECKING:
    from datetime import date

    from archive.derive.game_analysis import Score
    from archive.derive.verdicts import Line
    from kifu_core.game import Evaluation
    from kifu_core.jkf import Coordinates, Move, Time
    from kifu_core.messages import Language

RESULTS_OF: Final = {kind: pages.words.results for kind, pages in PAGES.items()}
"""By kind of game and the result number of a game (colour 0, colour 1, draw, unknown)."""

GAME_NAMES: Final = {kind: pages.words.game for kind, pages in PAGES.items()}
"""Names of the kinds of games."""

MARKS_OF: Final = {kind: pages.words.marks for kind, pages in PAGES.items()}
"""Marks before the players of colours 0 and 1."""

SIDES_OF: Final = {kind: pages.words.sides for kind, pages in PAGES.items()}
"""Words for the names of sides."""

STARTS_OF: Final = {kind: pages.words.starts for kind, pages in PAGES.items()}
ENDINGS_OF: Final = {kind: pages.words.endings for kind, pages in PAGES.items()}
ENDINGS: Final = {name: words for endings in ENDINGS_OF.values() for name, words in endings.items()}
"""Words for the endings of records; other endings are shown unchanged."""

ORDERS: Final[dict[Sorting, Promise]] = {
    "newest": _("Latest day first"),
    "oldest": _("Earliest day first"),
    "added": _("Recently added first"),
    "longest": _("Longest first"),
    "shortest": _("Shortest first"),
    "collection": _("In the order of the collection"),
}
"""The orders of a list of games."""

FOLLOWING: Final[dict[Sorting, Promise]] = {"newest": _("Older games"), "oldest": _("Newer games")}
"""Texts of the link to the next page; other orders have a general one."""


class NameWords(NamedTuple):
    """The words for a kind of name: in the singular, for the list, and for the pages that put names in
    order."""

    one: Promise
    all: Promise
    correct: Promise
    history: Promise
    same: Promise


NAME_WORDS: Final[dict[NameKind, NameWords]] = {
    "player": NameWords(
        _("Player"),
        _("Players"),
        _("Correct a player"),
        _("History of a player"),
        _("The same person as"),
    ),
    "event": NameWords(
        _("Event"), _("Events"), _("Correct an event"), _("History of an event"), _("The same event as")
    ),
    "place": NameWords(
        _("Place"), _("Places"), _("Correct a place"), _("History of a place"), _("The same place as")
    ),
}

RECORDS: Final[dict[str, Promise]] = {
    "game": pgettext_lazy("figure", "games"),
    "problem": pgettext_lazy("figure", "problems"),
    "tree": pgettext_lazy("figure", "opening trees"),
    "position": pgettext_lazy("figure", "single positions"),
}
"""Names of the kinds of records below their numbers."""


def _results(game: str) -> Iterable[tuple[str, Promise]]:
    name = game or SHOGI.name
    return [*zip(results_of(GAMES[name]), RESULTS_OF[name], strict=True)]


def _own_sides(game: str) -> Iterable[tuple[str, Promise]]:
    return [*SIDES_OF[game or SHOGI.name].items(), ("yes", _("either side"))]


MENUS: Final[dict[str, Callable[[str], Iterable[tuple[str, Promise]]]]] = {
    "result": _results,
    "me": _own_sides,
    "handicap": lambda game: STARTS_OF[game or SHOGI.name].items(),
    "special": lambda game: ENDINGS_OF.get(game, ENDINGS).items(),
    "game": lambda game: GAME_NAMES.items(),
}
"""Values and words of the filters that depend on the kind of game; an empty kind has those of shogi, and the
endings of all."""


def formation_name(name: str) -> str:
    """Return the name of a castle or an opening in the language of the page; an unknown one unchanged."""
    formation = formations.BY_NAME.get(name)
    if formation is None:
        return name
    return formation.japanese if language() == "ja" else formation.english


def opening_text(name: str) -> str:
    """Return the opening in a record's header, in English with its English name, if it has one."""
    formation = formations.by_any_name(name)
    return name if formation is None or language() == "ja" else f"{formation.english} ({name})"


_lazy_name = lazy(formation_name, str)
_FAMILIES: Final = {_("Castles"): formations.CASTLES, _("Openings"): formations.OPENINGS}
FORMATIONS: Final = [
    (family, [(one.name, _lazy_name(one.name)) for one in some]) for family, some in _FAMILIES.items()
]
"""The castles and openings as a menu in two groups."""


def nameless(record_kind: str) -> str:
    """Return the title of a record without players."""
    return str(_NAMELESS.get(record_kind, _("Game without names")))


_NAMELESS: Final = {"problem": _("Problem"), "tree": _("Opening tree"), "position": _("Position")}


def entry_text(kind: str, entry: Any, before: Any = None, active: Language | None = None) -> str:
    """Return a move, an ending or the start in words; `before` is the previous entry of its line, `active`
    the active language, for callers that have it at hand."""
    if "move" in entry:
        previous = (before or {}).get("move")
        return GAMES[kind].text.record_move_label(entry["move"], previous, active or language())
    return ending_text(entry["special"]) if "special" in entry else str(_("Start position"))


def played_text(kind: str, position: Any, move: int, text: str, last: int | None = None) -> str:
    """Return a packed move from a position in words, with the mark of its side.

    `text` is the game's `move_text` of it, `last` the previous move if known.
    """
    return GAMES[kind].text.next_move_label(position, move, text, language(), last)


def words_of(kind: str, position: Any) -> str:
    """Return a description of a position in lines, for those who cannot see it."""
    return GAMES[kind].picture.words(position, language())


def day_text(day: date | None, precision: str) -> str:
    """Return a day as precisely as it is known: `2024-03-15`, `2024-03`, `2024`; empty for none."""
    if day is None:
        return ""
    return day.isoformat()[: {"year": 4, "month": 7}.get(precision, 10)]


def score_text(one: Evaluation | Line | Score) -> str:
    """Return an evaluation from Black's side: `+123`, or the side that mates."""
    if one.winner is not None:
        return str(_("%(side)s mates")) % {"side": "☗☖"[one.winner]}
    return f"{one.score:+d}" if one.score is not None else ""


def score_mark(one: Evaluation | Score) -> str:
    """Return an evaluation in short for the list of moves: `+123`, `-mate`."""
    if one.winner is not None:
        return str(_("%(sign)smate")) % {"sign": "+-"[one.winner]}
    return f"{one.score:+d}" if one.score is not None else ""


_CSA_MOVE: Final = re.compile("([-+])([0-9])([0-9])([1-9])([1-9])([A-Z]{2})")


def evaluation_text(one: Evaluation) -> str:
    """Translate an evaluation of floodgate: the score, and the line of play if it has moves of CSA.

    >>> from django.utils.translation import override
    >>> from kifu_core.shogi.evaluations import floodgate
    >>> with override("ja"):
    ...     evaluation_text(floodgate("** 1704 -8594OU #120"))
    '評価値 +1704 △９四玉 #120'
    """
    moves = [_csa_move_text(text) for text in one.pv.split()]
    nodes = [f"#{one.nodes}"] if one.nodes is not None else []
    return " ".join([str(_("Evaluation %(score)s")) % {"score": score_text(one)}, *moves, *nodes])


def _csa_move_text(text: str) -> str:
    """Translate a move of CSA, which has piece and square after the move; return other texts unchanged."""
    match = _CSA_MOVE.fullmatch(text)
    if match is None or match[6] not in BY_CODE:
        return text
    place: Coordinates = {"x": int(match[4]), "y": int(match[5])}
    move: Move = {"color": int(match[1] == "-"), "to": place, "piece": match[6]}
    if match[2] != "0":
        move["from"] = {"x": int(match[2]), "y": int(match[3])}
    return notation.record_move_label(move, None, language())


def ending_text(special: str) -> str:
    """Return the ending of a line in words; an unknown one unchanged."""
    return str(ENDINGS.get(special, special))


def handicap_text(kind: str, preset: str) -> str:
    """Return the name of a start; an unknown one unchanged."""
    return str(STARTS_OF[kind].get(preset, preset))


def time_text(time: Time) -> str:
    """Return a span of time as a clock shows it: `0:16`, `1:02:33`.

    >>> time_text({"m": 0, "s": 16}), time_text({"h": 1, "m": 2, "s": 33})
    ('0:16', '1:02:33')
    """
    return clock_text((time.get("h", 0) * 60 + time["m"]) * 60 + time["s"])


def clock_text(seconds: int) -> str:
    """Return seconds as a clock shows them: `0:16`, `1:02:33`."""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def plies_text(plies: int) -> str:
    """Return a length in half-moves: `1 move`, `99 moves`."""
    return ngettext("%(plies)s move", "%(plies)s moves", plies) % {"plies": plies}


def percent_text(part: float, total: float) -> str:
    """Return a share in whole percents; empty for a share of nothing."""
    return f"{part / total:.0%}" if total else ""


def number_text(number: int) -> str:
    """Return an integer with commas between thousands.

    >>> number_text(1234567)
    '1,234,567'
    """
    return f"{number:,}"
