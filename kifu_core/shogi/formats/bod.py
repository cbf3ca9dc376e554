"""BOD: one position as the text diagram that Kifu for Windows copies (.bod).

A diagram has the hands, the board, the last move and the side to move
(http://kakinoki.o.oo7.jp/kif_format.html). KIF and KI2 draw a start in the same way.
"""

import re
from collections.abc import Iterator
from typing import Final

from kifu_core.decoding import Notes, Source
from kifu_core.formats import ALL_BUT_MOVES, Format, Writer
from kifu_core.jkf import Move, Record
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats.endings import NoEndings
from kifu_core.shogi.formats.grammar import LineGrammar
from kifu_core.shogi.formats.kakinoki import (
    BLANK,
    BOARD,
    BOOKMARK,
    COMMENT,
    COUNTER,
    FLIP,
    HAND,
    HEADER,
    REMARK,
    RESULT,
    SEPARATOR,
    SIDE,
    UNKNOWN,
    headers_mark,
)
from kifu_core.shogi.formats.kakinoki_games import KakinokiMatch
from kifu_core.shogi.formats.positions import position_at
from kifu_core.shogi.formats.read_kakinoki import KakinokiReader, read_games
from kifu_core.shogi.formats.writing import (
    board_lines,
    handicap_names,
    one_line,
    piece_name,
    side_name,
    square_text,
)
from kifu_core.shogi.position import Position
from kifu_core.shogi.specials import side_of

GRAMMAR: Final = LineGrammar(
    BOARD, HAND, COUNTER, SIDE, FLIP, HEADER, COMMENT, REMARK, BLANK, RESULT, SEPARATOR, BOOKMARK, UNKNOWN
)


def load(source: Source, notes: Notes) -> list[ParsedGame]:
    """Return the diagrams of a text as records.

    The line of the last move, for which JKF has no place, becomes a remark.
    """
    return read_games(_BodReader, source, notes)


def _locate(block: str) -> list[int]:
    """Return no offsets: a diagram has no moves."""
    return []


class _BodReader(KakinokiReader):
    grammar = GRAMMAR
    locate = staticmethod(_locate)

    @classmethod
    def split(cls, text: str) -> Iterator[tuple[int, tuple[str, KakinokiMatch]]]:
        """Yield the leaves of a text; a second hand or board begins another diagram."""
        begin, parts, last = 0, set[object](), ""
        for name, match in cls.leaves(text):
            part = side_of(match[1]) if name == "hand" and isinstance(match, re.Match) else name
            if (
                "board" in parts
                and part in parts
                and (name == "hand" or (name == "board" and last == "hand"))
            ):
                begin, parts = match.start(), set()
            parts.add(part)
            last = name if name != "blank" else last
            yield begin, (name, match)


_NAMES: Final = (("先手", "下手"), ("後手", "上手"))


def diagram(position: Position, handicap: bool = False, caption: str = "") -> list[str]:
    """Return a position as lines.

    They are White's hand, the board, Black's hand, the caption, and the side to move if it is White.
    """
    lines = board_lines(position, handicap)
    side = [lines.pop()] if position.turn else []
    return [*lines, *([caption] if caption else []), *side]


def dump(record: Record, *, ply: int | None = 0) -> str:
    """Return the diagram of the position after `ply` half-moves of the main line, with the players' names.

    `ply` None is the last position. Everything else is lost. Raises KifuError `no-such-ply`.
    """
    number, position, entry = position_at(record, ply)
    handicap = handicap_names(record)
    caption = f"手数＝{number}  {_move_text(entry['move'])}  まで" if "move" in entry else ""
    return "\n".join([*diagram(position, handicap, caption), *_name_lines(record, handicap)]) + "\n"


def _move_text(move: Move) -> str:
    """Return a move with its square even instead of 同: ▲６二角成."""
    promote = {True: "成", False: "不成", None: ""}[move.get("promote")]
    drop = "" if move.get("from") else "打"
    return f"{'△' if move['color'] else '▲'}{square_text(move)}{piece_name(move)}{promote}{drop}"


def _name_lines(record: Record, handicap: bool) -> list[str]:
    headers = written_headers(record)
    names = [next((headers[name] for name in names if name in headers), "") for names in _NAMES]
    return [f"{side_name(color, handicap)}：{name}" for color, name in enumerate(names) if name]


def written_headers(record: Record) -> dict[str, str]:
    """Return the players' names as written, each under the first header of its side."""
    header = record["header"]
    chosen = (next((name for name in names if header.get(name)), "") for names in _NAMES)
    return {name: one_line(header[name]) for name in chosen if name}


_FILE: Final = Writer(
    "bod",
    dump,
    options=["ply"],
    position_only=True,
    between=None,
    lost=["moves", *ALL_BUT_MOVES],
    kept_headers=written_headers,
    lost_endings=NoEndings().lost,
)
FORMAT: Final = Format("bod", load, [headers_mark("bod")], [_FILE])
