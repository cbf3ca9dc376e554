"""Sets of CSA on one line, from which evaluation functions learn professional games (.csa1, .txt).

Two lines a game: a number, the date, both players, the winner (0 nobody, 1 Black, 2 White), the number of
half-moves, event and opening, then the moves in CSA without signs and separators. The order of the fields is
that of engines, which read the sets of tools such as 2chkifu_csa_1line.

There is no writer: the lines hold less than CSA does (names without blanks, only games from the usual start),
and today's engines train on `hcpe` or PSV.
"""

import re
from typing import Final

from kifu_core.cutting import cutter
from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.expressions import many
from kifu_core.formats import Format, Mark, Stage
from kifu_core.limits import most_games
from kifu_core.memo import Memo
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.draft import Draft, StatedResult
from kifu_core.shogi.formats.grammar import BLANK, EOL, UNKNOWN, Leaf, LineGrammar
from kifu_core.shogi.formats.read_csa import read_move
from kifu_core.shogi.move_resolution import EndingStep, Step, UnreadableStep
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.specials import BY_CSA

_GAP = r"[ \t]++"
_WORD = r"[^ \t\n]++"

HEAD = Leaf(
    "head",
    rf"[ \t]*+([0-9]{{1,9}}+){_GAP}({_WORD}){_GAP}({_WORD}){_GAP}({_WORD}){_GAP}([0-2]){_GAP}([0-9]{{1,5}}+)"
    rf"(?>(?:{_GAP}({_WORD})(?:{_GAP}({_WORD}{many(_GAP + _WORD)}))?)?)" + EOL,
)
MOVES = Leaf("moves", rf"[ \t]*+({many('[0-9]{4}[A-Za-z]{2}', 1)})([^\n]*+)(?:\n|\Z)")

GRAMMAR: Final = LineGrammar(HEAD, MOVES, BLANK, UNKNOWN)

_MOVE_LENGTH: Final = 6
_ENDING: Final = re.compile(r"%([-+_A-Za-z]{1,40}+)")
_STEPS: Final[Memo[str, Step]] = Memo(read_move)

_FIELDS: Final = ("棋譜番号", "開始日時", "先手", "後手", "", "", "棋戦", "戦型")
"""The header of each field of the first line; the empty ones are the result and the number of moves."""


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a set; other lines go to `notes`."""
    games: list[ParsedGame] = []
    limit, head = most_games(source.text), None
    for name, match in watched(GRAMMAR.items(source.text)):
        if name == "head":
            _note_without_moves(head, notes)
            head = match
        elif name == "moves" and head is not None:
            if len(games) == limit:
                notes.add("too-many-games", head.start(), "error", limit=limit)
                return games
            games += _games(source, head, match, len(games), notes)
            head = None
        elif name != "blank":
            text = match[0].strip()[:40]
            notes.add("unknown-line", match.start(), text=text, expected=GRAMMAR.expected)
    _note_without_moves(head, notes)
    return games


def _note_without_moves(head: re.Match[str] | None, notes: Notes) -> None:
    if head is not None:
        notes.add("no-moves", head.start(), "error")


def _games(
    source: Source, head: re.Match[str], moves: re.Match[str], index: int, notes: Notes
) -> list[ParsedGame]:
    """Return the game of two lines in a list; an empty list if it cannot be played."""
    draft = Draft(Notes(source), line=RawLine(restore_same=True), first_offset=head.start())
    draft.initial = {"preset": "HIRATE"}
    draft.header.update(_header(head))
    text = moves[1]
    draft.line.spots.append((0, moves.start(), moves.end()))
    draft.line.steps += _STEPS.each(
        text[at : at + _MOVE_LENGTH].upper() for at in range(0, len(text), _MOVE_LENGTH)
    )
    _end(draft, int(head[5]), head.start(5), moves)
    draft.line.times = [None] * len(draft.line.steps)
    stated_count = int(head[6])
    if stated_count != len(text) // _MOVE_LENGTH:
        draft.notes.add("other-move-count", head.start(6), count=len(text) // _MOVE_LENGTH, said=stated_count)
    game = draft.finish(index, _locate)
    if game is None:
        draft.give_up(notes, has_content=True)
    return [] if game is None else [game]


def _header(head: re.Match[str]) -> dict[str, str]:
    """Return the headers; a date without digits (`----/--/--`) is left out."""
    headers = {name: text for name, text in zip(_FIELDS, head.groups(), strict=True) if name and text}
    if not any(char.isdecimal() for char in headers["開始日時"]):
        del headers["開始日時"]
    return headers


def _end(draft: Draft, result: int, offset: int, moves: re.Match[str]) -> None:
    """End the game by the word after the moves, else by the digit of the result."""
    rest, winner = moves[2].strip(), (None, 0, 1)[result]
    if match := _ENDING.fullmatch(rest):
        kind = BY_CSA.get(match[1].upper())
        draft.line.steps.append(EndingStep(match[1], kind.special if kind else None))
        if winner is not None:
            draft.stated = StatedResult(f"{('先手', '後手')[winner]}の勝ち", winner, offset)
    elif rest:
        draft.line.steps.append(UnreadableStep(rest[:40]))
    else:
        draft.decide(winner, offset)


def _locate(block: str) -> list[int]:
    first = len(block) - len(block.lstrip(" \t"))
    return list(range(first, len(block) + _MOVE_LENGTH, _MOVE_LENGTH))


_MARK: Final = re.compile(
    r"^[ \t]*+[0-9]{1,9}+[ \t]++[^ \t\n]++[ \t]++[^ \t\n]++[ \t]++[^ \t\n]++[ \t]++[0-2][ \t]++[0-9]{1,5}+"
    r"(?:[ \t][^\n]*+)?\n[ \t]*+[0-9]{4}[A-Za-z]{2}",
    re.MULTILINE,
)
"""The two lines of a game."""

_SECOND: Final = re.compile(r"\n[ \t]*+[0-9]{4}[A-Za-z]{2}")


def _has_game(text: str, name: str) -> bool:
    """Return whether a text has the two lines; the second is rarer and quicker to find."""
    return _SECOND.search(text) is not None and _MARK.search(text) is not None


_BEGINS: Final = re.compile(rb"[ \t]*+[0-9]{1,9}[ \t]++[^ \t\n]")
"""The first of the two lines."""

FORMAT: Final = Format(
    "csa1",
    load,
    [Mark(Stage.PAIR, _has_game)],
    cut=cutter(lambda line, before, depth: _BEGINS.match(line) is not None),
)
