"""Initials in place of the name of a person whose name was taken down.

Masking is the last step of the derivation of a game, after its corrections. A masked game keeps its identity,
its moves and its people; its base has the texts as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from archive.derive.game import DerivedGame, derive_stored
from archive.derive.headers import PLAYERS
from archive.models import Game, Player, codec
from archive.names.search_text import search_form
from kifu_core.jkf import Record
from kifu_core.lines import nodes_of
from kifu_core.shogi import specials

Row = int | None
Facts = Mapping[str, Any]
"""The facts of a player whose name was taken down (`Player.taken_down`)."""

UNKNOWN: Final = "N. N."
"""The initials of a person whose reading nobody has entered."""
_SHORT: Final = 3
"""Names of fewer characters may be parts of others: 林 of 小林."""
_SEPARATORS: Final = " \u3000\t\n\r・,.·"


@dataclass(frozen=True, slots=True)
class Mask:
    """Initials, and the spellings that they replace, folded."""

    initials: str
    spellings: tuple[str, ...]


def masks_of_rows(rows: Iterable[Player]) -> dict[int, Mask]:
    """Return the masks of players by the ids of their roots, given all rows of these that were taken down."""
    facts: dict[int, list[Facts]] = {}
    initials: dict[int, str] = {}
    for row in rows:
        facts.setdefault(row.root_id, []).append(row.taken_down or {})
        initials[row.root_id] = row.name
    return {root: mask_of(initials[root], some) for root, some in facts.items()}


def mask_of(initials: str, rows: Iterable[Facts]) -> Mask:
    """Return the mask of a person with all spellings of these rows."""
    texts = [text for facts in rows for text in _spellings(facts)]
    return Mask(initials, tuple(sorted({_fold(text).text for text in texts} - {""}, key=len, reverse=True)))


def _spellings(facts: Facts) -> list[str]:
    latin = facts["latin"]
    return [facts["name"], facts["written"], facts["kana"], latin, " ".join(reversed(latin.split()))]


def initials_of(name: str, kana: str, latin: str) -> str:
    """Return the initials of a person, the given name first.

    >>> initials_of("山田花子", "やまだ はなこ", ""), initials_of("山田花子", "", "Hanako Yamada")
    ('H. Y.', 'H. Y.')
    >>> initials_of("John Smith", "", ""), initials_of("山田花子", "", "")
    ('J. S.', 'N. N.')
    """
    words = latin.split() or [_letter(word) for word in reversed(kana.split())]
    if not words and name.isascii():
        words = name.split()
    letters = [word[0].upper() for word in words if word[:1].isalpha()]
    return " ".join(f"{letter}." for letter in letters) or UNKNOWN


_ROWS: Final = (
    "ァアA", "ィイI", "ゥウU", "ェエE", "ォオO", "カコK", "ガゴG", "サソS", "ザゾZ", "ジジJ",
    "タトT", "チチC", "ダドD", "ヂヂJ", "ナノN", "ハホH", "フフF", "バボB", "パポP", "マモM",
    "ャヨY", "ラロR", "ヮワW", "ヲヲO", "ヴヴV",
)  # fmt: skip
"""Ranges of kana with the letter that they begin with; of several ranges the last one counts."""


def _letter(word: str) -> str:
    first = unicodedata.normalize("NFC", search_form(word))[:1]
    voiced = unicodedata.normalize("NFD", first)[1:]
    letters = [row[2] for row in _ROWS if row[0] <= first <= row[1] and _same_voice(row[0], voiced)]
    return letters[-1] if letters else ""


def _same_voice(kana: str, voiced: str) -> bool:
    return unicodedata.normalize("NFD", kana)[1:] == voiced


# --- texts -----------------------------------------------------------------------------------------------


class _Folded(NamedTuple):
    """A text for comparison, and the place of each of its characters in the text."""

    text: str
    places: Sequence[int]


@lru_cache(maxsize=8192)
def _folded_character(character: str) -> str:
    if character in _SEPARATORS:
        return ""
    form = unicodedata.normalize("NFKD", search_form(character) or character)
    return "".join(one for one in form if not ("\u0300" <= one <= "\u036f" or one.isspace()))


def _fold(text: str) -> _Folded:
    forms = [_folded_character(character) for character in text]
    return _Folded("".join(forms), [place for place, form in enumerate(forms) for _ in form])


def mask_text(text: str, masks: Iterable[Mask]) -> str:
    """Return a text with initials in place of every spelling of the names. Blanks, widths, cases, kana and
    variants of characters make no difference. Linear in the text for each spelling.

    >>> mask_text("山田　花子九段、小林と林", [Mask("H. Y.", ("山田花子", "林"))])
    'H. Y.九段、小林とH. Y.'
    """
    for mask in masks:
        for spelling in mask.spellings:
            text = _replaced(text, spelling, mask.initials)
    return text


def _replaced(text: str, spelling: str, initials: str) -> str:
    folded = _fold(text)
    pieces, end, start = [], 0, folded.text.find(spelling)
    while start >= 0:
        first, last = folded.places[start], folded.places[start + len(spelling) - 1]
        if first >= end and _stands_alone(text, first, last, spelling):
            pieces += [text[end:first], initials]
            end = last + 1
        start = folded.text.find(spelling, start + 1)
    return "".join([*pieces, text[end:]])


def _stands_alone(text: str, first: int, last: int, spelling: str) -> bool:
    """Return whether a spelling in a text is not a part of a longer word."""
    before, after = _script(text[first - 1 : first]), _script(text[last + 1 : last + 2])
    begins, ends = _script(text[first]), _script(text[last])
    if "latin" in (begins, ends):
        return not (before == begins == "latin" or after == ends == "latin")
    return len(spelling) >= _SHORT or before != begins


def _script(character: str) -> str:
    if not character:
        return ""
    form = unicodedata.normalize("NFKC", character)[:1]
    if form.isalnum() and form < "\u0250":
        return "latin"
    return "kana" if "\u3040" <= form <= "\u30ff" else "kanji" if form.isalpha() else ""


# --- games -----------------------------------------------------------------------------------------------

Sides = tuple[Mask | None, Mask | None]
"""The masks of the players of a game by colour."""


def sides_of(game: Game, masks: Mapping[int, Mask]) -> Sides:
    """Return the masks of the masked sides of a game, given the masks of its players."""
    black, white = (
        masks.get(player) if player is not None and game.masked >> colour & 1 else None
        for colour, player in enumerate((game.player0_id, game.player1_id))
    )
    return black, white


def masked_sides(sides: Sides) -> int:
    """Return the masked sides as a game stores them: the sum of 1 for Black and 2 for White."""
    return sum(1 << colour for colour, mask in enumerate(sides) if mask)


def masks_of(sides: Sides) -> list[Mask]:
    """Return the distinct masks of a game."""
    return list(dict.fromkeys(filter(None, sides)))


_NAMING: Final = ("", "省略名", "詳細", "の読み")
"""What follows a side in headers that name its player, maybe by a part of the name."""


def mask_record(record: Record, sides: Sides) -> None:
    """Mask the headers and the comments of a record. Headers that name an unmasked player stay."""
    masks = masks_of(sides)
    named = {
        name + suffix: mask
        for names, mask in zip(PLAYERS, sides, strict=True)
        for name in names
        for suffix in _NAMING
    }
    for name, text in record["header"].items():
        player = name.removeprefix("*")
        if player not in named:
            record["header"][name] = mask_text(text, masks)
        elif mask := named[player]:
            record["header"][name] = mask.initials if text.strip() else text
    for _path, _ply, entry in nodes_of(record["moves"]):
        if "comments" in entry:
            entry["comments"] = [mask_text(line, masks) for line in entry["comments"]]


def mask_facts(facts: Facts, masks: Sequence[Mask]) -> dict[str, Any]:
    """Return parsed facts with masked remarks. The word of an ending is masked unless it is a program's."""
    masked = dict(facts)
    if remarks := facts.get("remarks"):
        masked["remarks"] = [mask_text(line, masks) for line in remarks]
    if (ending := facts.get("ending")) and not (ending[0].isascii() and specials.find(ending[0])):
        masked["ending"] = [mask_text(ending[0], masks), *ending[1:]]
    return masked


def masked(game: DerivedGame, sides: Sides, rows: tuple[Row, Row]) -> DerivedGame:
    """Return a game with initials in place of the names of its masked sides. `rows` are the rows of its
    players by colour."""
    record = codec.unpack(game.record)
    mask_record(record, sides)
    shown = derive_stored(record, mask_facts(game.parsed_facts, masks_of(sides)), game.space, kept_rows=0)
    black, white = ("" if mask else name for mask, name in zip(sides, game.players, strict=True))
    people = zip(sides, rows, game.attributed, strict=True)
    first, second = (row if mask else attributed for mask, row, attributed in people)
    return replace(
        shown,
        digest=game.digest, players=(black, white), ratings=game.ratings, rows=game.rows, codes=game.codes,
        kept_rows=game.kept_rows, lines=game.lines, attributed=(first, second), failures=game.failures,
        base=game.base or replace(game, rows=(), codes=(), kept_rows=0, lines=None),
        masked=masked_sides(sides), shown_digest=shown.digest,
    )  # fmt: skip
