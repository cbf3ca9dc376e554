"""The writers of KIF and KI2 share this module: headers, boards, hands, result lines, the order of
variations."""

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from kifu_core.deadline import check_time, watched
from kifu_core.decoding import BREAKS
from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.record import Ending
from kifu_core.shogi.handicaps import HANDICAPS, by_name
from kifu_core.shogi.pieces import BY_CODE, HAND_KINDS, KANJI, MOST_IN_HAND, NAMES
from kifu_core.shogi.position import Position
from kifu_core.shogi.specials import BY_SPECIAL, FOULS, SIDES, EndingKind, find, usual_winner, winner
from kifu_core.shogi.squares import FILE_DIGITS, RANK_KANJI
from kifu_core.shogi.start import start_position

_NUMERALS: Final = "〇一二三四五六七八九"
_PRESET_NAMES: Final = {handicap.preset: handicap.name for handicap in reversed(HANDICAPS)}


class WrittenBranch(NamedTuple):
    """A line to be written: its entries, the ply of the first, and whether a later sibling follows.

    `of_second` marks a variation of another variation's second move. `closing` is the index of the entry for
    the main line's ending, -1 in variations and without an ending.
    """

    entries: list[MoveEntry]
    ply: int
    sibling_follows: bool
    turn: int
    is_main: bool = False
    of_second: bool = False
    closing: int = -1


def branches(record: Record, ending: Ending | None = None) -> Iterator[WrittenBranch]:
    """Yield the main line and the variations in the order in which readers find their parents.

    Later plies come first, a variation's own variations right after it, siblings in order. The main line has
    an entry for the `ending` of the game, an empty one if JKF has no name for it.
    """
    entries, closing = _with_closing(record["moves"][1:], ending)
    turn = start_position(record.get("initial")).turn
    waiting = [WrittenBranch(entries, 1, False, turn, is_main=True, closing=closing)]
    while waiting:
        branch = waiting.pop()
        check_time()
        yield branch
        waiting += _variations(branch)


def _with_closing(entries: list[MoveEntry], ending: Ending | None) -> tuple[list[MoveEntry], int]:
    """Return a main line with an entry for its ending, and that entry's index; the first ending counts."""
    if ending is None:
        return entries, -1
    first = next((index for index, entry in enumerate(watched(entries)) if "move" not in entry), len(entries))
    special = entries[first].get("special") if first < len(entries) else ""
    if special == ending.special and (special is not None or first == ending.ply):
        return entries, first
    at = min(first, ending.ply)
    return [*entries[:at], {}, *entries[at:]], at


def _variations(branch: WrittenBranch) -> list[WrittenBranch]:
    """Return the variations of a line, the one to be written first at the end."""
    variations: list[WrittenBranch] = []
    ply, turn = branch.ply, branch.turn
    for index, entry in enumerate(watched(branch.entries)):
        forks, of_second = entry.get("forks") or [], index == 1 and not branch.is_main
        for number, fork in reversed(list(enumerate(forks, start=1))):
            variations.append(WrittenBranch(fork, ply, number < len(forks), turn, of_second=of_second))
        ply += 1
        turn ^= "move" in entry
    return variations


HeaderTest = Callable[[str, str], bool]
"""Tells whether a format reads a header of a name and a text back as such."""


def written_headers(record: Record, can_hold: HeaderTest) -> dict[str, str]:
    """Return the headers as written, each on its line, and the handicap.

    A record without moves names its start: otherwise nothing may show that it is a record. A header that
    would be read as something else (a name with a line break or a colon, or one that begins a comment) is
    left out, so that no header adds lines to a record.
    """
    header, initial = dict(record["header"]), record.get("initial")
    handicap = header.get("手合割", "")
    named = by_name(handicap)
    if initial is None:
        wrong = handicap.strip(" 　") not in ("", "その他") and (named is None or named.preset != "HIRATE")
        bare = not handicap and not any("move" in entry for entry in record["moves"])
        if wrong or bare:
            header["手合割"] = _PRESET_NAMES["HIRATE"]
    elif initial["preset"] != "OTHER":
        if named is None or named.preset != initial["preset"]:
            header["手合割"] = _PRESET_NAMES[initial["preset"]]
    elif names_other_side(header.get("手番", ""), start_position(initial).turn):
        del header["手番"]
    lines = ((name, one_line(value)) for name, value in header.items())
    return {name: text for name, text in lines if not BREAKS.search(name) and can_hold(name, text)}


def names_other_side(text: str, turn: int) -> bool:
    """Return whether a header 手番 names another side than the one to move."""
    return SIDES.get(text.strip(" 　").removesuffix("番"), turn) != turn


def header_lines(record: Record, can_hold: HeaderTest) -> list[str]:
    """Return the lines of the headers, the handicap and, if programs do not know its name, the board."""
    initial = record.get("initial")
    board: list[str] = []
    if initial is not None and (initial["preset"] == "OTHER" or initial["preset"] in DRAWN_HANDICAPS):
        board = board_lines(start_position(initial), handicap_names(record))
    lines: list[str] = []
    for key, value in written_headers(record, can_hold).items():
        lines.append(f"{key}：{value}")
        if key == "手合割":
            lines += board
            board = []
    return lines + board


DRAWN_HANDICAPS: Final = ("3", "5", "5_L", "7_L", "7_R")
"""Handicaps whose names tsshogi ignores, beginning with the even game: their board is drawn too."""


def handicap_names(record: Record) -> bool:
    """Return whether the sides are called 下手 and 上手."""
    preset = record.get("initial", {}).get("preset", "HIRATE")
    return preset not in ("HIRATE", "OTHER") or not {"下手", "上手"}.isdisjoint(record["header"])


def side_name(color: int, handicap: bool) -> str:
    """Return 先手 or 後手, in handicap games 下手 or 上手."""
    return (("先手", "後手"), ("下手", "上手"))[handicap][color]


def board_lines(position: Position, handicap: bool) -> list[str]:
    """Return a position as a drawn board with both hands, and the side to move if it is White."""
    lines = [
        f"{side_name(1, handicap)}の持駒：{hand_text(position.hands[1])}",
        "  ９ ８ ７ ６ ５ ４ ３ ２ １",
        "+---------------------------+",
    ]
    for rank in range(9):
        cells = position.board[rank * 9 : rank * 9 + 9]
        lines.append("|" + "".join(map(_cell, cells)) + "|" + RANK_KANJI[rank])
    lines.append("+---------------------------+")
    lines.append(f"{side_name(0, handicap)}の持駒：{hand_text(position.hands[0])}")
    if position.turn:
        lines.append(f"{side_name(1, handicap)}番")
    return lines


def _cell(piece: int) -> str:
    if not piece:
        return " ・"
    return ("v" if piece < 0 else " ") + KANJI[abs(piece)]


def hand_text(hand: list[int]) -> str:
    """Return a hand as KIF writes it: 飛　歩十八　."""
    items = [f"{KANJI[kind]}{_count(hand[kind])}　" for kind in reversed(HAND_KINDS) if hand[kind]]
    return "".join(items) or "なし"


def _count(number: int) -> str:
    """Return a count in Chinese numerals, an empty text for one, digits beyond `MOST_IN_HAND`."""
    if number == 1:
        return ""
    if number > MOST_IN_HAND:
        return str(number)
    tens, ones = divmod(number, 10)
    text = "" if not tens else "十" if tens == 1 else _NUMERALS[tens] + "十"
    return text + (_NUMERALS[ones] if ones or not tens else "")


def square_text(move: Move) -> str:
    """Return the target square: ７六."""
    return FILE_DIGITS[move["to"]["x"] - 1] + RANK_KANJI[move["to"]["y"] - 1]


def piece_name(move: Move) -> str:
    """Return the name of the piece in moves."""
    return NAMES[BY_CODE[move["piece"]]]


def width(text: str) -> int:
    """Count the columns of a text: two for every character that is not ASCII."""
    return sum(1 if char < "\x7f" else 2 for char in text)


def padded(text: str, columns: int) -> str:
    """Return a text filled with blanks to a number of columns."""
    return text + " " * (columns - width(text))


def one_line(text: str) -> str:
    r"""Return a text without line breaks; they become `\n` in two characters, as in relay records."""
    return "\\n".join(text.splitlines()) if len(text.splitlines()) > 1 else text.strip("\r\n")


def comment_lines(comments: list[str]) -> list[str]:
    """Return comments as lines with `*`; bookmarks carry their own sign."""
    lines = [line for comment in comments for line in (comment.splitlines() or [""])]
    return [line if line.startswith("&") else "*" + line for line in lines]


def ending_kind(entry: MoveEntry, ending: Ending | None, turn: int) -> EndingKind | None:
    """Return the kind of ending of an entry: by JKF's name, else by the word of the game's ending.

    `turn` is the side to move: of the words for a foul, that of the right winner is chosen.
    """
    if special := entry.get("special"):
        if _is_adjourned(special, ending):
            return _ADJOURNED
        return _foul_kind(BY_SPECIAL.get(special), ending, turn)
    return unnamed_ending_kind(ending, turn)


def _foul_kind(kind: EndingKind | None, ending: Ending | None, turn: int) -> EndingKind | None:
    """Return the kind whose word names the side that has broken a rule."""
    if kind is None or ending is None or ending.winner is None or kind.special not in FOULS:
        return kind
    if winner(kind, turn) == ending.winner:
        return kind
    return BY_SPECIAL["ILLEGAL_ACTION" if ending.winner == turn else "ILLEGAL_MOVE"]


def implies_winner(ending: Ending, turn: int, *, problem: bool) -> bool:
    """Return whether the ending's word, with the side to move, implies the ending's winner.

    `problem` marks a record from a drawn board.
    """
    kind = BY_SPECIAL.get(ending.special) if ending.special else unnamed_ending_kind(ending, turn)
    kind = _foul_kind(kind, ending, turn)
    return kind is not None and usual_winner(kind, turn, problem=problem) == ending.winner


_ADJOURNED: Final = EndingKind("CHUDAN", "封じ手", "CHUDAN", "none", "封じ手")
"""A sealed move: JKF and CSA have only the interruption, KIF and KI2 have its own word."""


def _is_adjourned(special: str, ending: Ending | None) -> bool:
    return ending is not None and ending.word == _ADJOURNED.word and ending.special == special


def unnamed_ending_kind(ending: Ending | None, turn: int) -> EndingKind | None:
    """Return the kind of the game's ending by its word.

    An unknown word is its own kind if it fits into a row.
    """
    if ending is None:
        return None
    if (kind := find(ending.word)) is not None:
        return _foul_kind(kind, ending, turn)
    return EndingKind(None, ending.word, "", "none", "") if _ROW_WORD.fullmatch(ending.word) else None


_ROW_WORD: Final = re.compile(r"[^\s　()（）+▲△☗☖▼▽：:*&#|0-9０-９同][^\s　()（）+：:]{0,19}")


def ending_word(kind: EndingKind, turn: int) -> str:
    """Return the word of a row; the words for fouls depend on the side to move."""
    if not kind.word:
        return BY_SPECIAL["ILLEGAL_ACTION" if winner(kind, turn) == turn else "ILLEGAL_MOVE"].word
    return kind.word


class ResultContext(NamedTuple):
    """The context of a result line: whether the sides have handicap names, whether the board is drawn."""

    handicap: bool
    drawn: bool


def sides(record: Record) -> ResultContext:
    """Return the context of a record's result line.

    A record from a drawn board that ends in mate is taken for a problem.
    """
    return ResultContext(handicap_names(record), "data" in record.get("initial", {}))


_SENTENCES: Final = frozenset(
    (
        "TORYO", "CHUDAN", "SENNICHITE", "TIME_UP", "ILLEGAL_MOVE", "ILLEGAL_ACTION", "JISHOGI", "TSUMI",
        "FUZUMI",
    )
)  # fmt: skip
"""The endings whose まで line programs know; json-kifu-format refuses a whole record for any other."""


def has_sentence(kind: EndingKind) -> bool:
    """Return whether an ending has a まで line that all programs read."""
    return not kind.word or kind.special in _SENTENCES


def result_line(kind: EndingKind, plies: int, turn: int, sides: ResultContext, won: int | None = None) -> str:
    """Return the line that ends a game: まで96手で後手の勝ち; of a problem まで7手詰.

    `won` is the winner, if known apart from the kind of ending.
    """
    if kind.special == "TSUMI" and sides.drawn:
        return f"まで{plies}手詰"
    handicap = sides.handicap
    if not kind.word:
        kind = BY_SPECIAL["ILLEGAL_ACTION" if winner(kind, turn) == turn else "ILLEGAL_MOVE"]
    usual = winner(kind, turn)
    won = _known_winner(usual, won)
    mover = turn if won == usual else turn ^ 1
    names = {"mover": side_name(mover, handicap), "winner": side_name(won or 0, handicap)}
    sentence = kind.phrase.format(**names) if kind.phrase else kind.word  # a word may have braces in it
    return f"まで{plies}手で{sentence}"


def _known_winner(usual: int | None, won: int | None) -> int | None:
    return usual if won is None or usual is None else won


def winner_line(kind: EndingKind, plies: int, turn: int, sides: ResultContext, won: int | None = None) -> str:
    """Return the line that only names the winner, for an ending without a sentence; empty without a winner.

    `won` is as for `result_line`.
    """
    won = _known_winner(winner(kind, turn), won)
    return "" if won is None else f"まで{plies}手で{side_name(won, sides.handicap)}の勝ち"
