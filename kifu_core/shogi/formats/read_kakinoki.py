"""The reader of KIF and KI2, line by line into the draft of each game.

`kakinoki` has their grammar, `kakinoki_games` divides a text into games.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Final

from kifu_core.deadline import watched
from kifu_core.decoding import Notes, Source
from kifu_core.errors import Severity
from kifu_core.jkf import FORK_LEVELS, Consumption, Initial
from kifu_core.limits import most_games
from kifu_core.record import ParsedGame
from kifu_core.shogi import handicaps
from kifu_core.shogi.formats.draft import QUOTED_LENGTH, Draft, Locate, StatedResult, with_unread
from kifu_core.shogi.formats.joined_headers import split_header
from kifu_core.shogi.formats.kakinoki import STARRED_HEADER
from kifu_core.shogi.formats.kakinoki_games import OPENERS, PLAYS, KakinokiLeaves, KakinokiMatch
from kifu_core.shogi.formats.kakinoki_words import (
    handicap_by_name,
    headers_without_colon,
    nonstandard_size,
    read_board,
    read_hand,
    read_number,
)
from kifu_core.shogi.formats.times import TIMES, Partial, Unreadable, fraction
from kifu_core.shogi.formats.writing import DRAWN_HANDICAPS
from kifu_core.shogi.handicaps import Handicap
from kifu_core.shogi.move_resolution import EndingStep, Step
from kifu_core.shogi.position import Position
from kifu_core.shogi.raw_line import RawLine
from kifu_core.shogi.specials import (
    BY_WORD,
    SIDES,
    EndingKind,
    read_over,
    read_result,
    side_of,
    special_of,
    winner,
)
from kifu_core.shogi.start import drawn_initial, preset_start

_HEADERS: Final = OPENERS | {
    "終了日時", "棋戦", "棋戦詳細", "表題", "場所", "持ち時間", "消費時間", "戦型", "備考", "掲載", "秒読み",
    "開始日", "終了日", "先手省略名", "後手省略名", "手番", "作者", "作品名", "発表誌", "出典", "詰手数",
    "完全性",
}  # fmt: skip
"""Headers that are recognised also among the moves."""

_STARTS: Final = frozenset(["手合割", "手合", "手合い", "手合い割"])
"""Headers that name the start."""

_OVER: Final = re.compile("(?:にて|で|、)?([先後上下]手(?:の?投了|の?勝ち))[。．.！!]?")
"""A result on a line of its own, without まで."""


def read_games(reader: type[KakinokiReader], source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the games of a text. Issues of unreadable games go to `notes`."""
    games: list[ParsedGame] = []
    limit, count, game_begin = most_games(source.text), 1, 0
    one = reader(source)
    unread: dict[int, list[str]] = {}

    def add(one: KakinokiReader) -> None:
        games_ = one.games(len(games), notes)
        games.extend(games_)
        if not games_:
            unread.setdefault(len(games) - 1, []).append(one.draft.source_text())

    for begin, (name, match) in watched(reader.split(source.text)):
        if begin != game_begin:
            add(one)
            if count == limit:
                notes.add("too-many-games", begin, "error", limit=limit)
                return with_unread(games, unread)
            goes_on = name in PLAYS and not one.has_result()
            one, count, game_begin = reader(source, begin), count + 1, begin
            if goes_on:
                one.draft.notes.add("game-without-head", begin)
        one.read(name, match)
    add(one)
    return with_unread(games, unread)


class KakinokiReader(KakinokiLeaves):
    """Reads the leaves of a KIF or KI2 text into a draft, with a method for each leaf.

    The variations of a text are a flat list: `変化：N手` belongs to the latest line above it that begins
    before ply N and is long enough. `open_lines` are those lines with the ply of their first step. `base` is
    the number of plies before the first step by the written numbers, `due` the number of the next row, 0 in
    formats without numbers. `unnumbered` is set after a variation's line without a number, and
    `waiting_comments` are the comments there. `puzzled` is set after an unreadable line.
    """

    locate: Locate
    numbered = False
    """Whether moves have numbers, which show the start of a variation that has no line of its own."""

    def __init__(self, source: Source, offset: int = 0) -> None:
        self.draft = Draft(Notes(source), first_offset=offset)
        self.line = self.draft.line
        self.open_lines: list[tuple[RawLine, int]] = [(self.line, 1)]
        self.board: list[int] | None = None
        self.hands: list[list[int]] = [[0] * 8, [0] * 8]
        self.turn: int | None = None
        self.in_header = True
        self.base = 0
        self.due = 0
        self.counted: set[int] = set()
        self.results: dict[int, str] = {}
        self.has_content = False
        self.handicap = ""
        self.handicap_offset = 0
        self.other_size = False
        self.drawn = ""
        self.unnumbered = False
        self.waiting_comments: list[tuple[str, int, int]] = []
        self.puzzled = False

    def read(self, name: str, match: KakinokiMatch) -> None:
        """Take in one leaf."""
        if name not in ("blank", "remark"):
            self.has_content = True
        getattr(self, f"_{name}")(match)
        self.puzzled = name == "unknown" or (self.puzzled and name == "blank")

    def games(self, index: int, notes: Notes) -> list[ParsedGame]:
        """Return the finished game; none, with its issues in `notes`, if nothing of it can be played."""
        self._open_unnumbered()
        self._lose_empty_variations()
        self._set_start()
        self._end_as_commented()
        game = self.draft.finish(index, self.locate)
        if game is not None:
            return [game]
        self.draft.give_up(notes, self.has_content)
        return []

    def _lose_empty_variations(self) -> None:
        """Keep variations without a move as text."""
        if not self.draft.line.flat:
            return
        empty = {id(fork): fork for fork, _, _ in self.draft.line.flat if not fork.steps}
        if not empty:
            return
        self.draft.lost = [fork for fork in self.draft.lost if id(fork) not in empty] + list(empty.values())
        for line in (self.draft.line, *(fork for fork, _, _ in self.draft.line.flat)):
            for index, forks in list(line.forks.items()):
                line.forks[index] = [fork for fork in forks if id(fork) not in empty]
                if not line.forks[index]:
                    del line.forks[index]

    def _note(
        self, code: str, match: re.Match[str], severity: Severity = "warning", **params: str | int
    ) -> None:
        self.draft.notes.add(code, match.start(), severity, None, **params)

    # --- the start -----------------------------------------------------------------------------------

    def _set_start(self) -> None:
        """Set the start by a drawn board, else by a known handicap."""
        draft = self.draft
        name = self.handicap.rpartition("\n")[2].strip()
        handicap = handicap_by_name(name) if name else None
        if name and handicap is None and handicaps.is_other_game(name):
            draft.notes.add("unknown-handicap", self.handicap_offset, "error", None, name=name)
            draft.playable = False
        elif self.other_size:
            draft.playable = False  # a game on another board, and an issue says so
        elif self.board is not None:
            position = Position(self.board, self.hands, 0)
            position.turn = self._first_turn(position)
            draft.position, draft.initial = position, _drawn_initial(position, handicap)
        elif handicap is not None:
            has_preset = handicap.preset != "OTHER"
            draft.position = (
                preset_start(handicap.preset) if has_preset else Position.from_sfen(handicap.sfen)
            )
            draft.initial = {"preset": handicap.preset} if has_preset else drawn_initial(draft.position)
            draft.started = True
        elif name == "その他":
            draft.notes.add("no-board", None, "warning", None, name=name)
        elif name:
            draft.doubtful_start = True
            draft.notes.add("unknown-handicap", self.handicap_offset, "error", None, name=name)

    def _first_turn(self, position: Position) -> int:
        """Return the side that begins on a drawn board: as written, else the side of the first move."""
        if self.turn is not None:
            return self.turn
        if self.draft.line.steps:
            return self._mover(position, self.draft.line.steps[0])
        return 0

    def _mover(self, position: Position, step: Step) -> int:
        """Return the colour of the first step; each format tells it in its own way."""
        return 0

    # --- header --------------------------------------------------------------------------------------

    def _blank(self, match: re.Match[str]) -> None:
        """Skip blank lines: they separate nothing."""

    def _flip(self, match: re.Match[str]) -> None:
        """Skip the view of the board: it is no part of the record."""

    def _separator(self, match: re.Match[str]) -> None:
        self.in_header = False

    def _move_counter(self, match: re.Match[str]) -> None:
        """Keep the caption of a diagram, `手数＝8  ▲２四歩  まで`, as a remark: JKF has no place for it."""
        self.draft.remarks.append(match[0].strip())

    def _remark(self, match: re.Match[str]) -> None:
        """Keep a remark; after headers it ends them, see `ki2.dump`."""
        self.draft.remarks.append(match[1])
        self.in_header = self.in_header and not self.draft.header

    def _header(self, match: re.Match[str]) -> None:
        """Add a header; among the moves, a line with an unknown name is a comment."""
        key = match[1].strip()
        if (
            self.line.steps
            and key not in _HEADERS
            and not (self.line is self.draft.line and self._has_ended())
        ):
            return self._add_comment(match[0].strip(), match.start(), match.end())
        for name, value in split_header(key, match[2]).items():
            self._add_header(name, value, match)

    def _add_header(self, name: str, value: str, match: re.Match[str]) -> None:
        if name in self.draft.header:
            value = self._joined(name, value, match)
        self.draft.header[name] = value
        if name in _STARTS and not (self.handicap and self.line.steps):
            self.handicap, self.handicap_offset = value, match.start()
        elif name == "手番":
            self.turn = SIDES.get(value.strip().removesuffix("番"), self.turn)

    def _joined(self, name: str, value: str, match: re.Match[str]) -> str:
        """Return the values of a repeated header on lines of their own; equal values count once."""
        before = self.draft.header[name]
        if value.strip() in map(str.strip, before.split("\n")):
            return value if "\n" not in before else before
        self._note("repeated-header", match, name=name[:QUOTED_LENGTH])
        return f"{before}\n{value}"

    def _hand(self, match: re.Match[str]) -> None:
        counts, strange = read_hand(match[2])
        if strange:
            self._note("bad-hand", match, text=strange[:40])
        side = side_of(match[1])
        assert side is not None
        self.hands[side] = counts

    def _board(self, match: re.Match[str]) -> None:
        board = read_board(match[0])
        if self.drawn and self.drawn != match[0]:
            self.draft.remarks += self.drawn.splitlines()
        self.board, self.drawn = board.cells, match[0]
        if size := nonstandard_size(match[0]):
            self.other_size = True
            return self._note("other-board", match, "error", width=size[0], height=size[1])
        for offset, name in board.unknown:
            self.draft.notes.add("bad-board-piece", match.start() + offset, "error", None, text=name)
        if board.wrong:
            self._note("bad-board", match, "error", count=board.wrong)
            for one in board.ranks:
                at = match.start() + one.offset
                self.draft.notes.add("bad-board-rank", at, "error", None, rank=one.rank, count=one.cells)

    def _side_to_move(self, match: re.Match[str]) -> None:
        """Set the side to move below a drawn board; elsewhere the line is a remark."""
        if self.board is None or self.line.steps:
            self.draft.remarks.append(match[0].strip())
        else:
            self.turn = SIDES[match[1]]

    def _is_head(self) -> bool:
        return self.in_header and not self.line.steps

    def _unknown(self, match: re.Match[str]) -> None:
        """Read players, a handicap or an ending that is written without a colon."""
        text = match[0].strip(" 　\t\n")
        if (
            self._is_head()
            and (headers := headers_without_colon(text))
            and headers.keys().isdisjoint(self.draft.header)
        ):
            self.draft.header |= headers
            if "手合割" in headers:
                self.handicap, self.handicap_offset = headers["手合割"], match.start()
        elif text in BY_WORD and self.line.steps and not self._has_ended():
            self._end(text, BY_WORD[text], None)
            self._add_spot(match.start(), match.end())
        elif self.line.steps and not self._has_ended() and (over := _OVER.fullmatch(text)):
            kind, side = read_result(over[1])
            if self.line is self.draft.line:
                self.draft.stated = StatedResult(over[1], side, match.start(), believed=True)
            self._end(over[1], kind, side)
            self._add_spot(match.start(), match.end())
        else:
            self._note_unknown(match[0], match.start())

    def _note_unknown(self, line: str, at: int) -> None:
        self.draft.note_unknown(line, at, self.grammar.expected)

    # --- comments ------------------------------------------------------------------------------------

    def _comment(self, match: re.Match[str]) -> None:
        """Add a comment to the last move; among headers, `*放送日：…` is a header (NHK's records)."""
        if self.in_header and (header := STARRED_HEADER.match(match[1])):
            self.draft.header["*" + header[1]] = header[2]
            return
        self.in_header = False
        self._add_comment(match[1], match.start(), match.end())

    def _bookmark(self, match: re.Match[str]) -> None:
        """Keep a bookmark among the comments with its sign, as json-kifu-format does."""
        self.in_header = False
        self._add_comment("&" + match[1], match.start(), match.end())
        if self.line is self.draft.line:
            self.draft.bookmarks.append((len(self.line.steps), match[1]))

    def _add_comment(self, text: str, begin: int, end: int) -> None:
        if self.unnumbered:
            self.waiting_comments.append((text, begin, end))
            return
        line = self.line
        index = len(line.steps) - 1
        if index < 0 and line is self.draft.line:
            self.draft.comments.append(text)
        else:
            line.comments.setdefault(index, []).append(text)
            line.add_text(begin, end)

    def _add_spot(self, begin: int, end: int) -> None:
        self.line.spots.append((len(self.line.steps), begin, end))

    # --- play ----------------------------------------------------------------------------------------

    def _add_steps(
        self, steps: list[Step], times: Sequence[Consumption | None], begin: int, end: int
    ) -> None:
        self.in_header = False
        if self.unnumbered:
            self._open_unnumbered()
        line = self.line
        if line.steps:
            if steps and not _is_repeated_ending(line.steps[-1], steps[0]):
                line.resume()
        elif -1 in line.comments:  # comments between 変化 and its first move
            line.comments[0] = line.comments.pop(-1)
        self._add_spot(begin, end)
        line.steps += steps
        line.times += times

    def _add_timed(self, steps: list[Step], clocks: Sequence[str], begin: int, end: int) -> None:
        """Add steps with the texts of their clocks."""
        times = TIMES.each(clocks)
        kinds = set(map(type, times))
        if Partial in kinds:
            self.draft.plain_times = True
        text = self.draft.notes.source.text[begin:end]
        if Unreadable in kinds:
            self._report_times(times, clocks, text, begin)
            times = [None if isinstance(time, Unreadable) else time for time in times]
        if self.line is self.draft.line and "." in text:
            ply = len(self.line.steps) + 1
            for number, clock in enumerate(watched(clocks), start=ply):
                if "." in clock and (digits := fraction(clock)):
                    self.draft.fractions[number] = digits
        self.draft.adds_up = False
        self._add_steps(steps, times, begin, end)

    def _report_times(
        self, times: Sequence[Consumption | None], clocks: Sequence[str], text: str, begin: int
    ) -> None:
        places = self.locate(text)
        for index, time in enumerate(watched(times)):
            if isinstance(time, Unreadable):
                at = begin + (places[index] if index < len(places) else 0)
                clock = clocks[index].strip()[:QUOTED_LENGTH]
                self.draft.notes.add("bad-time", at, "warning", None, text=clock)

    def _result(self, match: re.Match[str]) -> None:
        """Read a result line.

        It is the ending if no row is one, and its winner counts then. An unknown word is an ending only in
        remarks that we write.
        """
        word = match[2].strip(" 　\t")
        ended, own_remark = self._has_ended(), bool(word) and self._is_remark(match)
        kind, side = read_over(match[2]) or read_result(match[2])
        if kind is None and side is None:
            kind, side = read_result(self._with_sides(word))
        if not (own_remark or match[1] or kind or side is not None):
            return self._note_unknown(match[0], match.start())
        if self.results.setdefault(id(self.line), word) != word:
            self.draft.remarks.append(match[0].strip())
        self.in_header = False
        self._compare_count(match)
        if self.line is self.draft.line:
            self.draft.stated = StatedResult(word, side, match.start(), believed=not ended)
        if kind is None and word and not own_remark:
            self._note("unknown-ending", match, word=word[:40])
        if (kind is not None or own_remark) and not ended:
            self._end(word, kind, side)
            self._add_spot(match.start(), match.end())

    def _with_sides(self, word: str) -> str:
        """Replace a player's name at the beginning of a result by the side."""
        header = self.draft.header
        names = ((header.get(side, ""), side) for side in ("先手", "後手", "下手", "上手"))
        return next(
            (side + word[len(name) :] for name, side in names if name and word.startswith(name)), word
        )

    def _compare_count(self, match: re.Match[str]) -> None:
        """Note a count that fits neither the moves of a line nor their numbers; an ending may count."""
        stated = read_number(match[1]) if match[1] else 0
        if not stated or id(self.line) in self.counted:
            return
        self.counted.add(id(self.line))
        first = next(first for line, first in self.open_lines if line is self.line)
        steps = self.line.steps
        if stated == first - 1 + len(steps) - self._has_ended():
            return
        endings = [*map(type, steps)].count(EndingStep)
        moves = len(steps) - endings
        count = first - 1 + moves
        numbered = self.due - 1 - endings
        if not any(n <= stated <= n + endings for n in (count, self.base + count, numbered)):
            self._note("other-move-count", match, said=stated, count=count)

    def _is_remark(self, match: re.Match[str]) -> bool:
        return self.draft.notes.source.text[max(0, match.start() - 1)] == "#"

    def _has_ended(self) -> bool:
        return bool(self.line.steps) and isinstance(self.line.steps[-1], EndingStep)

    def has_result(self) -> bool:
        """Return whether an ending of the main line has been read."""
        steps = self.draft.line.steps
        return self.draft.stated is not None or (bool(steps) and isinstance(steps[-1], EndingStep))

    def _end(self, word: str, kind: EndingKind | None, side: int | None) -> None:
        special = special_of(kind, side)
        foul = special is not None and special.endswith(("ILLEGAL_MOVE", "ILLEGAL_ACTION"))
        self.line.steps.append(EndingStep(word, special, side if foul else None))
        self.line.times.append(None)

    def _end_as_commented(self) -> None:
        """End the main line by 81Dojo's last comment, such as `*時間切れにて終局`, if no row is an ending."""
        line = self.line = self.draft.line
        if self._has_ended() or self.draft.stated is not None:
            return
        for text in line.comments.get(len(line.steps) - 1, ())[-3:]:
            if result := read_over(text):
                kind = result[0]
                assert kind is not None
                offset = self.draft.notes.source.text.find(text, line.spots[0][1]) if line.spots else 0
                self.draft.stated = StatedResult(text, self._commented_winner(kind), offset)
                self._end(text, kind, None)
                return

    def _commented_winner(self, kind: EndingKind) -> int | None:
        """Return who wins by the rows as written: the last may be a foul that cannot be played."""
        return winner(kind, self.draft.position.turn ^ (len(self.draft.line.steps) & 1))

    def _variation(self, match: re.Match[str]) -> None:
        """Open the variation of `変化：N手`; before the first row the line is a header.

        Without a readable number, the number of the variation's first row tells where it begins.
        """
        if self.in_header and not self.line.steps:
            self.draft.header["変化"] = match[0].strip().removeprefix("変化").lstrip("：: 　")
            return
        self.in_header = False
        number = read_number(match[1]) if match[1] else 0
        if number:
            self._open_variation(number, match.start(), match.end())
        elif self.numbered:
            self.unnumbered = True
        else:
            self._note_unknown(match[0], match.start())
            if self.line.steps:
                self._open_unplaced(match.start(), match.end())

    def _open_unplaced(self, begin: int, end: int) -> None:
        """Keep the moves of a variation whose place is unknown as text."""
        self.line = RawLine(level=1)
        self.draft.lost.append(self.line)
        self.open_lines.append((self.line, sys.maxsize))  # the next variation closes it
        self.counted.add(id(self.line))
        self._add_spot(begin, end)

    def _open_unnumbered(self) -> None:
        """Add the comments that waited for the first move of a variation without a number."""
        comments, self.waiting_comments, self.unnumbered = self.waiting_comments, [], False
        for text, begin, end in comments:
            self._add_comment(text, begin, end)

    def _open_variation(self, number: int, begin: int, end: int) -> None:
        self.unnumbered = False
        ply = max(1, number - self.base)
        lines = self.open_lines
        while len(lines) > 1 and (lines[-1][1] >= ply or ply - lines[-1][1] > len(lines[-1][0].steps)):
            lines.pop()
        parent, first = lines[-1]
        index = ply - first
        if index == len(parent.steps) and not (parent.steps and isinstance(parent.steps[-1], EndingStep)):
            self.draft.notes.add("variation-past-end", begin, number=ply)
            self.line = parent
            parent.add_text(begin, end)
            return
        fork = RawLine(level=parent.level + 1)
        if fork.level > FORK_LEVELS:
            self.draft.notes.add("variation-too-deep", begin, "error", number=ply)
            self.draft.lost.append(fork)
        elif index > len(parent.steps) - 1:
            self.draft.notes.add("variation-without-move", begin, "error", number=ply)
            self.draft.lost.append(fork)
        else:
            parent.forks.setdefault(index, []).append(fork)
        lines.append((fork, ply))
        self.draft.line.flat.append((fork, ply, parent))
        self.line = fork
        self._add_spot(begin, end)


def _is_repeated_ending(ending: Step, step: Step) -> bool:
    return isinstance(ending, EndingStep) and isinstance(step, EndingStep) and step.word == ending.word


def _drawn_initial(position: Position, handicap: Handicap | None) -> Initial:
    """Return a drawn start, by its preset if the board is that of the named handicap."""
    preset = handicap.preset if handicap is not None else ""
    if preset in DRAWN_HANDICAPS and position == preset_start(preset):
        return {"preset": preset}
    return drawn_initial(position)
