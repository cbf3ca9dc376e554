"""CSA standard game records (.csa): writer, marks and splitting; `read_csa` reads them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from kifu_core.cutting import Chunk
from kifu_core.deadline import watched
from kifu_core.decoding import BREAKS
from kifu_core.errors import KifuError
from kifu_core.formats import Format, Mark, PartCounts, Stage, Writer
from kifu_core.jkf import MoveEntry, Record
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi.formats.endings import Endings
from kifu_core.shogi.formats.read_csa import HEADERS, STATEMENT, load
from kifu_core.shogi.formats.summary import ServerSummary, read_summary
from kifu_core.shogi.formats.writing import WrittenBranch, branches, ending_kind, one_line
from kifu_core.shogi.move_times import seconds, wrong_totals
from kifu_core.shogi.pieces import BY_CODE, CODES, HAND_KINDS, PROMOTED
from kifu_core.shogi.position import Position
from kifu_core.shogi.specials import EndingKind, find
from kifu_core.shogi.start import start_position

_KEYS: Final = {name: key for key, name in HEADERS.items()}
_ENDS_HEAD: Final = re.compile(rf",(?=[ \t]*+{STATEMENT})")
_ENCODING: Final = "CSA encoding="
_IS_KEY: Final = re.compile(r"[^:\n]{1,60}")
_PLAYER_SIGNS: Final = {"先手": "+", "下手": "+", "後手": "-", "上手": "-"}


def dump(
    record: Record,
    *,
    ending: Ending | None = None,
    version: Literal["2.2", "3"] = "2.2",
    fractions: Mapping[int, str] | None = None,
    remarks: Sequence[str] = (),
) -> str:
    """Return the record as CSA V2.2, or as V3, which is UTF-8 and says so; forks are lost.

    `ending` is as for KIF. `fractions` are the digits beyond whole seconds by ply, which only V3 has.
    `remarks` are the comments about the file, before the side to move, without the line about the encoding.
    Headers without a key in CSA keep their names: readers skip unknown keys. Raises KifuError
    `unknown-format` for any other version.
    """
    if version not in ("2.2", "3"):
        raise KifuError("unknown-format", params={"text": f"CSA {version}"})
    position = start_position(record.get("initial"))
    lines = [f"'{_ENCODING}UTF-8", "V3.0"] if version == "3" else ["V2.2"]
    lines += _comment_lines(text for text in remarks if not text.startswith(_ENCODING))
    lines += [*_header_lines(record), *_start_lines(position), "-" if position.turn else "+"]
    digits = fractions if fractions and version == "3" else {}
    for entry in record["moves"][:1]:
        lines += _comment_lines(entry.get("comments", ()))
    main = next(branches(record, ending))
    turn = main.turn
    for index, entry in enumerate(watched(main.entries)):
        statement, ply = _statement(entry, ending if index == main.closing else None, turn), index + 1
        turn ^= "move" in entry
        if statement:
            lines.append(statement)
        if statement and "time" in entry:
            lines.append(f"T{seconds(entry['time']['now'])}" + (f".{digits[ply]}" if ply in digits else ""))
        lines += _comment_lines(entry.get("comments", ()))
    return "\n".join(lines) + "\n"


def _header_lines(record: Record) -> list[str]:
    players: list[str] = []
    others: list[str] = []
    for name, text in written_headers(record).items():
        if name in _PLAYER_SIGNS:
            players.append(f"N{_PLAYER_SIGNS[name]}{text}")
        else:
            others.append(f"${_KEYS.get(name, name)}:{text}")
    return sorted(players) + others


def written_headers(record: Record) -> dict[str, str]:
    """Return the headers as they are read back.

    A header is lost if its name cannot be a key, or if an earlier header has the same key. A header with the
    name of a key, such as EVENT, comes back under the name of that key's header.
    """
    headers: dict[str, str] = {}
    keys: set[str] = set()
    for name, value in record["header"].items():
        if name in _PLAYER_SIGNS and not one_line(value):
            continue
        key = _PLAYER_SIGNS.get(name) or _KEYS.get(name, name)
        if key not in keys and (name in _PLAYER_SIGNS or _IS_KEY.fullmatch(key)) and not BREAKS.search(name):
            keys.add(key)
            headers[HEADERS.get(name, name)] = _ENDS_HEAD.sub("，", one_line(value))
    return headers


def _start_lines(position: Position) -> list[str]:
    even = Position.initial()
    if position.board == even.board and not any(map(any, position.hands)):
        return ["PI"]
    lines = []
    for rank in range(9):
        cells = position.board[rank * 9 : rank * 9 + 9]
        lines.append(f"P{rank + 1}" + "".join(map(_cell, cells)))
    for sign, hand in zip("+-", position.hands, strict=True):
        items = "".join(f"00{CODES[kind]}" * hand[kind] for kind in reversed(HAND_KINDS))
        lines += [f"P{sign}{items}"] if items else []
    return lines


def _cell(piece: int) -> str:
    if not piece:
        return " * "
    return ("-" if piece < 0 else "+") + CODES[abs(piece)]


def _statement(entry: MoveEntry, ending: Ending | None, turn: int) -> str:
    if "move" in entry:
        move = entry["move"]
        source, kind = move.get("from"), BY_CODE[move["piece"]]
        origin = f"{source['x']}{source['y']}" if source else "00"
        after = PROMOTED[kind] if move.get("promote") else kind
        return f"{'-' if move['color'] else '+'}{origin}{move['to']['x']}{move['to']['y']}{CODES[after]}"
    if "special" not in entry and (ending is None or find(ending.word) is None):
        return ""
    kind_of_ending = ending_kind(entry, ending, turn)
    if kind_of_ending is not None and kind_of_ending.special == "ILLEGAL_ACTION":
        return f"%{'-+'[turn]}ILLEGAL_ACTION"
    if kind_of_ending is not None and kind_of_ending.csa:
        return f"%{kind_of_ending.csa}"
    return f"%{entry['special']}" if "special" in entry else ""


def _comment_lines(comments: Iterable[str]) -> list[str]:
    return ["'" + line for comment in comments for line in (comment.splitlines() or [""])]


class _CsaEndings(Endings):
    def has_word(self, ending: Ending, kind: EndingKind, turn: int) -> bool:
        return bool(kind.csa)

    def names_winner(
        self, record: Record, main: WrittenBranch, ending: Ending, kind: EndingKind | None, turn: int
    ) -> bool:
        summary = _summary(record["header"], main)
        if summary is not None and summary.winner is not None:
            return summary.winner == ending.winner
        return super().names_winner(record, main, ending, kind, turn)


def _summary(header: dict[str, str], main: WrittenBranch) -> ServerSummary | None:
    """Return the last summary in the last comments: readers of CSA take it for the server's result."""
    last = main.entries[-2:] if main.entries and "move" not in main.entries[-1] else main.entries[-1:]
    texts = [line for entry in last for text in entry.get("comments", ()) for line in text.splitlines()]
    summaries = (
        read_summary(text, header.get("先手", ""), header.get("後手", "")) for text in watched(texts)
    )
    return next((summary for summary in reversed(list(summaries)) if summary is not None), None)


def _recount(counts: PartCounts, game: ParsedGame | Record, version: str) -> None:
    """Count losses: times and comments of variations, totals that are no sums, fractions before version 3."""
    record = game.record if isinstance(game, ParsedGame) else game
    counts["times"], counts["comments"] = counts["fork times"], counts["fork comments"]
    counts["totals"] = len(wrong_totals(record["moves"][1:], start_position(record.get("initial")).turn))
    if version == "3":
        counts["fractions"] = 0
    if isinstance(game, ParsedGame) and game.ending is None:
        counts["ending"] = int(_summary(record["header"], next(branches(record))) is not None)


_HEAD: Final = re.compile(rb"V[0-9.]{1,8}[ \t]*+[,\r\n]|N[-+]|PI|P[1-9][-+ *]|P[-+][0-9]")
_STEP: Final = re.compile(rb"[-+][0-9]|%[-+_A-Za-z]")
"""The beginning of a game (a version, a player or a board), and a move or an ending."""

_LAST: Final = re.compile(rb"[^'][^\n]*,[ \t]*+/[ \t]*+\r?\n?\Z")
"""A line of statements before another game, as in Bonanza's books."""

_ON_LINE: Final = re.compile(rb"\A[VNP][^\n]*,[ \t]*+(?:[-+][0-9]{4}[A-Z]{2}|%[A-Z])")
"""Statements with a move on one line."""


def cut(lines: Iterable[bytes], group: int, check: Callable[[int], None]) -> Iterator[Chunk]:
    """Yield the chunks of a file with the numbers of their first lines; blank ones are skipped.

    A chunk ends at a line that begins with `/`, and before a version, a player or a board after moves. At a
    line that ends with `/`, it ends only if it has at least `group` bytes.
    """
    piece, first, has_moves = bytearray(), 1, False
    for number, line in enumerate(lines, 1):
        separates = line.startswith(b"/")
        if separates or (has_moves and _HEAD.match(line)):
            if piece.strip():
                yield first, bytes(piece)
            piece, first, has_moves = bytearray(), number + separates, False
        if not separates:
            piece += line
            has_moves = has_moves or _STEP.match(line) is not None or _ON_LINE.search(line) is not None
            check(len(piece))
            if _LAST.match(line):
                has_moves = False
                if len(piece) >= group:
                    yield first, bytes(piece)
                    piece, first = bytearray(), number + 1
    if piece.strip():
        yield first, bytes(piece)


_MARK: Final = r"""V[23](?:\.[0-9])?[ ]*(?:,|$)|N[+-]|PI|P[1-9](?:[-+ ]|\*)|P[+-][0-9]{2}
    |[+-][0-9]{4}[A-Za-z]{2}|%[-+A-Z_]{4,40}|\$[A-Z_]{1,40}[:：]|[+-]$(?=\s*+(?:['+%$NPV-]|\Z))"""

_FILE: Final = Writer(
    "csa",
    dump,
    options=["ending", "version", "fractions", "remarks"],
    copied=True,
    between="/\n",
    lost=["headers", "times", "totals", "fractions", "comments", "forks", "bookmarks", "ending"],
    kept_headers=written_headers,
    lost_endings=_CsaEndings().lost,
    recount=_recount,
)
FORMAT: Final = Format("csa", load, [Mark(Stage.ROW, _MARK)], [_FILE], cut, default_ending="\n%CHUDAN\n")
