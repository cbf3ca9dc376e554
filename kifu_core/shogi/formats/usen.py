"""USEN: a game with its variations as one word that fits into a URL (.usen).

The notation is mogproject's (https://www.slideshare.net/slideshow/scalajs-web/92707205#15), made for Shogi
Playground: the start as SFEN with `_`, `.` and `z` for `/`, blank and `+` (empty for the even game), then
lines of play: `~` and the number of moves before the line, `.` and its moves, `.` and its ending. A move is
three digits to the base 36: (source * 81 + target) * 2, plus one if it promotes; squares count from 1a along
the ranks, drops have sources beyond the board.
"""

import re
from collections.abc import Iterator
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import DecodeError
from kifu_core.formats import Format, Mark, Stage, Writer
from kifu_core.jkf import FORK_LEVELS, Record
from kifu_core.limits import most_games
from kifu_core.memo import Memo
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.endings import JkfEndings
from kifu_core.shogi.formats.grammar import BLANK, EOL, REMARK, UNKNOWN, Leaf, LineGrammar
from kifu_core.shogi.formats.positions import GAMES_OF_LINES, PositionDraft
from kifu_core.shogi.formats.usi import cut, packed_step
from kifu_core.shogi.formats.writing import WrittenBranch, branches
from kifu_core.shogi.handicaps import INITIAL_SFEN
from kifu_core.shogi.move_resolution import EndingStep, Step, UnreadableStep
from kifu_core.shogi.moves import DROP, pack, promotes, source, target
from kifu_core.shogi.pieces import FU, GI, HI, KA, KE, KI, KY
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.replay import start as start_of
from kifu_core.shogi.squares import MIRRORED
from kifu_core.shogi.start import initial_of

_ADDRESS = r"(?:https?://\S{0,300}?(?<=[=/])(?=[0-9A-Za-z_.\-]*~[0-9]))?"
GAME = Leaf("game", rf"[ \t]*+{_ADDRESS}([0-9A-Za-z_.\-]*+)(~[^\s&#]*+)(?:[&#]\S*+)?{EOL}")

GRAMMAR: Final = LineGrammar(GAME, BLANK, REMARK, UNKNOWN)

_LINE: Final = re.compile(r"~([0-9]{1,6}+)(?>(?:\.([0-9a-z]*+)(?:\.([a-z]?)([0-9a-z]*+))?)?)")

_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_HAND_SOURCES: Final = {KI: 90, FU: 91, KY: 92, KE: 93, GI: 94, KA: 95, HI: 96}
_FROM_HAND: Final = {place: kind for kind, place in _HAND_SOURCES.items()}

ENDINGS: Final = {"r": "TORYO", "t": "TIME_UP", "i": "ILLEGAL_MOVE", "p": "CHUDAN", "j": "JISHOGI"}
"""The five endings to JKF's names. Playground writes the foul itself after `i`: it was played, so the side
to move after it wins."""

_LETTERS: Final = {special: letter for letter, special in ENDINGS.items()}


def move_text(move: int) -> str:
    """Return a packed move as three digits.

    >>> move_text(pack(60, 51)), move_text(pack(DROP + FU, 40))
    ('72m', 'bfq')
    """
    origin = source(move)
    place = _HAND_SOURCES[origin - DROP] if origin > DROP else MIRRORED[origin]
    number = (place * 81 + MIRRORED[target(move)]) * 2 + promotes(move)
    return _DIGITS[number // 1296] + _DIGITS[number // 36 % 36] + _DIGITS[number % 36]


def _read_move(text: str) -> Step:
    if len(text) != 3:
        return UnreadableStep(text)
    number = int(text, 36)
    place, to = divmod(number // 2, 81)
    if place in _FROM_HAND and number % 2 == 0:
        return packed_step(pack(DROP + _FROM_HAND[place], MIRRORED[to]))
    if place > 80 or place == to:
        return UnreadableStep(text)
    return packed_step(pack(MIRRORED[place], MIRRORED[to], number % 2))


_STEPS: Final = Memo(_read_move)


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a USEN text, one a line."""
    games: list[ParsedGame] = []
    remarks: list[str] = []
    limit = most_games(source.text, GAMES_OF_LINES)
    for name, match in watched(GRAMMAR.items(source.text)):
        if name == "game" and len(games) == limit:
            notes.add("too-many-games", match.start(), "error", limit=limit)
            break
        if name == "game":
            reader = _UsenReader(source, match, remarks)
            remarks = []
            game = reader.finish(len(games))
            if game is not None:
                games.append(game)
            else:
                notes.take(reader.draft.notes)
        elif name == "remark":
            remarks.append(match[1])
        elif name == "unknown":
            notes.add("unknown-line", match.start(), text=match[0].strip()[:40], expected=GRAMMAR.expected)
    return games


def _locate(block: str) -> list[int]:
    """Return the offsets of the moves, three characters each, and of the ending."""
    return list(range(block.find(".") + 1, len(block), 3))


class _UsenReader:
    """Reads one game. A line of play belongs to the latest line before it that has a move at its ply."""

    def __init__(self, source: Source, match: re.Match[str], remarks: list[str]) -> None:
        line = RawLine(restore_same=True)
        self.draft = PositionDraft(Notes(source), line=line, first_offset=match.start())
        self.draft.remarks += remarks
        self.base: int | None = None
        self.open_lines: list[tuple[RawLine, int]] = [(line, 1)]
        self._start(match)
        for begin, end in watched(_pieces(match)):
            self._line(source.text, begin, end)

    def finish(self, index: int) -> ParsedGame | None:
        return self.draft.finished(index, _locate) if self.draft.playable else None

    def _start(self, match: re.Match[str]) -> None:
        sfen = match[1].replace("_", "/").replace(".", " ").replace("z", "+") or INITIAL_SFEN
        try:
            self.draft.position = Position.from_sfen(sfen)
        except DecodeError as error:
            self.draft.notes.add(error.code, match.start(), "error", None, **error.params)
            self.draft.playable = False
        self.draft.initial = initial_of(self.draft.position)

    def _line(self, text: str, begin: int, end: int) -> None:
        match = _LINE.match(text, begin, end)
        if match is None or match.end() < end:
            self._refuse("usen-line", begin, text=text[begin : min(end, begin + 40)])
            self.draft.unread.append(text[begin:end])
        if match is None:
            return
        if self.base is None:
            self.base, line = int(match[1]), self.draft.line
        else:
            line = self._fork(int(match[1]) - self.base + 1, begin)
        digits = match[2] or ""
        line.spots.append((len(line.steps), begin, match.end()))
        line.steps += _STEPS.each(digits[at : at + 3] for at in range(0, len(digits), 3))
        if match[3]:
            line.steps += self._ending(match[3], match[4])
        line.times += [None] * (len(line.steps) - len(line.times))

    def _refuse(self, code: str, begin: int, **params: str | int) -> None:
        self.draft.notes.add(code, begin, "error", None, **params)

    def _ending(self, letter: str, foul: str) -> list[Step]:
        if letter == "i" and foul:
            return [_STEPS[foul], EndingStep(letter, "ILLEGAL_ACTION")]
        return [EndingStep(letter, ENDINGS.get(letter))]

    def _fork(self, ply: int, begin: int) -> RawLine:
        """Return the line that goes on at a ply: a new fork, or the line that ends just before it."""
        ply, lines = max(1, ply), self.open_lines
        while len(lines) > 1 and (lines[-1][1] >= ply or ply - lines[-1][1] >= len(lines[-1][0].steps)):
            lines.pop()
        parent, first = lines[-1]
        index = ply - first
        if index == len(parent.steps) and not (parent.steps and isinstance(parent.steps[-1], EndingStep)):
            self.draft.notes.add("variation-past-end", begin, "warning", None, number=ply)
            return parent
        fork = RawLine(restore_same=True, level=parent.level + 1)
        lines.append((fork, ply))
        if index >= len(parent.steps):
            self._refuse("variation-without-move", begin, number=ply)
            self.draft.lost.append(fork)
        elif fork.level > FORK_LEVELS:
            self._refuse("variation-too-deep", begin, number=ply)
            self.draft.lost.append(fork)
        else:
            parent.forks.setdefault(index, []).append(fork)
        return fork


def _pieces(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    for piece in re.finditer(r"~[^~\s]*+", match[2]):
        yield match.start(2) + piece.start(), match.start(2) + piece.end()


def dump(record: Record) -> str:
    """Return the record as USEN: its start, moves, variations and, if it is one of the five, its ending."""
    position = start_of(record)
    sfen = position.sfen(None)
    start = "" if sfen == INITIAL_SFEN else sfen.replace("/", "_").replace(" ", ".").replace("+", "z")
    return start + "".join(_line_text(branch) for branch in branches(record)) + "\n"


def _line_text(branch: WrittenBranch) -> str:
    moves = [move_text(packed_move(entry["move"])) for entry in watched(branch.entries) if "move" in entry]
    special = next((entry["special"] for entry in branch.entries if "special" in entry), "")
    turn = branch.turn ^ (len(moves) & 1)
    final = ending_letter(special, turn, len(moves))
    if final == "i" and special != "ILLEGAL_MOVE":
        final += moves.pop()
    return f"~{branch.ply - 1}.{''.join(moves)}.{final}"


_FOULS: Final = {"+ILLEGAL_ACTION": 0, "-ILLEGAL_ACTION": 1}


def ending_letter(special: str, turn: int, moves: int) -> str:
    """Return the letter of an ending, an empty text if there is none.

    `moves` is the number of moves before it in its line, `turn` the side to move then. A foul by the other
    side is the last move, so there has to be a move.
    """
    if special in _FOULS:
        return "i" if moves and turn != _FOULS[special] else ""
    return _LETTERS.get(special, "")


class _UsenEndings(JkfEndings):
    one_per_line = True

    def has_jkf_word(self, branch: WrittenBranch, special: str) -> bool:
        moves = sum("move" in entry for entry in branch.entries)
        return bool(ending_letter(special, branch.turn ^ (moves & 1), moves))


_FILE: Final = Writer(
    "usen",
    dump,
    lost=["headers", "times", "fractions", "comments", "bookmarks", "ending"],
    lost_endings=_UsenEndings().lost,
)
_MARK: Final = Mark(
    Stage.LINE, rf"[ \t]*+{_ADDRESS}[0-9A-Za-z_.\-]*+~[0-9]{{1,6}}+\.[0-9a-z]*+(?:[.~\s&\#]|$)"
)
FORMAT: Final = Format("usen", load, [_MARK], [_FILE], cut)
