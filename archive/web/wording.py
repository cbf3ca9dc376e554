"""Moves, endings, results and times in the words of the active language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from archive.derive.issues import language
from archive.queries.games.color_names import results_of
from archive.queries.games.keyset import Sorting
from archive.web.game_registry import PAGES
from kifu_core.games import GAMES as GAME_KINDS
from kifu_core.games import SHOGI
from kifu_core.shogi import formations, notation
from kifu_core.shogi.pieces import BY_CODE

if TYPE_CHECKING:
    from datetime import date

    from kifu_core.game import Evaluation
    from kifu_core.jkf import Coordinates, Move, Time
    from kifu_core.messages import Language

RESULTS_OF: Final = {kind: pages.words.results for kind, pages in PAGES.items()}
"""By kind of game and the result number of a game (colour 0, colour 1, draw, unknown)."""

GAMES: Final = {kind: pages.words.game for kind, pages in PAGES.items()}
"""What kinds of games are called."""

MARKS_OF: Final = {kind: pages.words.marks for kind, pages in PAGES.items()}
"""Stand before the players of colours 0 and 1."""

SIDES_OF: Final = {kind: pages.words.sides for kind, pages in PAGES.items()}
"""Words for the names of sides."""

STARTS_OF: Final = {kind: pages.words.starts for kind, pages in PAGES.items()}
ENDINGS_OF: Final = {kind: pages.words.endings for kind, pages in PAGES.items()}
ENDINGS: Final = {name: words for endings in ENDINGS_OF.values() for name, words in endings.items()}
"""Words for the endings of records; an ending that is not among them is shown as the record has it."""

ORDERS: Final[dict[Sorting, Promise]] = {
    "newest": _("Latest day first"),
    "oldest": _("Earliest day first"),
    "added": _("Recently added first"),
    "longest": _("Longest first"),
    "shortest": _("Shortest first"),
}
"""The orders of a list of games."""

FOLLOWING: Final[dict[Sorting, Promise]] = {"newest": _("Older games"), "oldest": _("Newer games")}
"""What comes after a page in an order; of others only that there is more."""

RECORDS: Final[dict[str, Promise]] = {
    "game": pgettext_lazy("figure", "games"),
    "problem": pgettext_lazy("figure", "problems"),
    "tree": pgettext_lazy("figure", "opening trees"),
    "position": pgettext_lazy("figure", "single positions"),
}
"""What records of each kind are called below their number."""


def _results(game: str) -> Iterable[tuple[str, Promise]]:
    name = game or SHOGI.name
    return [*zip(results_of(GAME_KINDS[name]), RESULTS_OF[name], strict=True)]


MENUS: Final[dict[str, Callable[[str], Iterable[tuple[str, Promise]]]]] = {
    "result": _results,
    "handicap": lambda game: STARTS_OF[game or SHOGI.name].items(),
    "special": lambda game: ENDINGS_OF.get(game, ENDINGS).items(),
    "game": lambda game: GAMES.items(),
}
"""The values of filters that every kind of game words differently, with their words; for any kind of game
those of shogi, and the endings of all."""


def formation(name: str) -> str:
    """Return what a castle or an opening is called in the language of the page; a name that is none as it
    is."""
    found = formations.BY_NAME.get(name)
    if found is None:
        return name
    return found.japanese if language() == "ja" else found.english


def opening_text(name: str) -> str:
    """Return an opening that a record names; in English with its English name, where one is known."""
    found = formations.by_any_name(name)
    return name if found is None or language() == "ja" else f"{found.english} ({name})"


_formation_text = lazy(formation, str)
_FAMILIES: Final = {_("Castles"): formations.CASTLES, _("Openings"): formations.OPENINGS}
FORMATIONS: Final = [
    (family, [(one.name, _formation_text(one.name)) for one in some]) for family, some in _FAMILIES.items()
]
"""The castles and openings as a menu in two groups."""


def nameless(record_kind: str) -> str:
    """Return what a record without players is called."""
    return str(_NAMELESS.get(record_kind, _("Game without names")))


_NAMELESS: Final = {"problem": _("Problem"), "tree": _("Opening tree"), "position": _("Position")}


def entry_text(kind: str, entry: Any, before: Any = None, spoken: Language | None = None) -> str:
    """Return a move, an ending or the start in words; `before` is the entry before it in its line, `spoken`
    the active language, where the caller knows it."""
    if "move" in entry:
        return GAME_KINDS[kind].text.record_move_label(
            entry["move"], (before or {}).get("move"), spoken or language()
        )
    return ending_text(entry["special"]) if "special" in entry else str(_("Start position"))


def played_text(kind: str, position: Any, move: int, text: str, last: int | None = None) -> str:
    """Return a packed move about to be played in words, with its side's mark.

    `text` is what its game says of it, `last` the move before it, where one knows it.
    """
    return GAME_KINDS[kind].text.next_move_label(position, move, text, language(), last)


def words_of(kind: str, position: Any) -> str:
    """Describe the whole position of a kind of game, in lines, for those who do not see it."""
    return GAME_KINDS[kind].picture.words(position, language())


def day_text(day: date | None, precision: str) -> str:
    """Return a day as precisely as it is known: `2024-03-15`, `2024-03`, `2024`; empty for none."""
    if day is None:
        return ""
    return day.isoformat()[: {"year": 4, "month": 7}.get(precision, 10)]


def score_text(one: Evaluation) -> str:
    """Return an evaluation from Black's side: `+123`, or the side that mates."""
    if one.winner is not None:
        return str(_("%(side)s mates")) % {"side": "☗☖"[one.winner]}
    return f"{one.score:+d}" if one.score is not None else ""


def score_mark(one: Evaluation) -> str:
    """Return an evaluation as it stands beside a move, where there is no room for words: `+123`, `-mate`."""
    if one.winner is not None:
        return str(_("%(sign)smate")) % {"sign": "+-"[one.winner]}
    return score_text(one)


_CSA_MOVE: Final = re.compile("([-+])([0-9])([0-9])([1-9])([1-9])([A-Z]{2})")


def evaluation_text(one: Evaluation) -> str:
    """Put an evaluation of floodgate into words: the score, and the line of play where it has CSA's moves.

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
    """Put one of CSA's moves into words; other texts stay as they are.

    Piece and square are those after the move.
    """
    match = _CSA_MOVE.fullmatch(text)
    if match is None or match[6] not in BY_CODE:
        return text
    place: Coordinates = {"x": int(match[4]), "y": int(match[5])}
    move: Move = {"color": int(match[1] == "-"), "to": place, "piece": match[6]}
    if match[2] != "0":
        move["from"] = {"x": int(match[2]), "y": int(match[3])}
    return notation.record_move_label(move, None, language())


def ending_text(special: str) -> str:
    """Return the ending of a line in words, an unknown one as the record has it."""
    return str(ENDINGS.get(special, special))


def handicap_text(kind: str, preset: str) -> str:
    """Return the name of a start; an unknown start stays as it is."""
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


def percent_text(part: float, whole: float) -> str:
    """Return a share in percent without digits after the point; empty for a share of nothing."""
    return f"{part / whole:.0%}" if whole else ""


def number_text(number: int) -> str:
    """Return an integer with commas between thousands.

    >>> number_text(1234567)
    '1,234,567'
    """
    return f"{number:,}"
