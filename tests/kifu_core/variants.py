"""The same thing written otherwise: moves, times, boards and hands in all the ways a grammar allows.

What a line means is given; how it is spelt (blanks, widths, marks, other names, brackets, times) is drawn
from the expressions that read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from kifu_core.jkf import Move, Record
from kifu_core.shogi.formats.kakinoki_words import NO_PIECE, read_hand
from kifu_core.shogi.formats.writing import branches
from kifu_core.shogi.handicaps import HANDICAPS, by_name
from kifu_core.shogi.pieces import BY_CODE, BY_NAME, CODES, HAND_KINDS
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import start
from kifu_core.shogi.specials import BY_WORD, read_result
from kifu_core.shogi.spelling import MARKS
from kifu_core.shogi.squares import FILES, RANKS
from tests.kifu_core.expressions import Given, text_of
from tools.grammars import GRAMMARS

WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
KANJI = str.maketrans("123456789", "一二三四五六七八九")
RELATIVE = {"L": "左", "C": "直", "R": "右", "U": "上行入", "M": "寄", "D": "引下", "H": "打"}
DROPS = (("打", None), ("打", "00"), (None, "00"), (None, "００"))
NOTHING = ("", "なし", "無し")


class Speller:
    """Writes the lines of one record otherwise. `line` is called with its lines in order."""

    def __init__(self, name: str, random: Random, record: Record) -> None:
        self.name = name
        self.random = random
        self.leaves = {leaf.name: leaf.pattern for leaf in GRAMMARS[name].lines.leaves}
        self.parts = GRAMMARS[name].parts
        self.moves = _moves_of(record)

    def line(self, kind: str, text: str) -> str:
        """A line of that kind, with its end, in other words; lines of other kinds stay as they are."""
        write: Callable[[str], str] | None = getattr(self, f"_{kind}", None)
        return text if write is None else write(text)

    # --- help ----------------------------------------------------------------------------------------

    def _drawn(self, pattern: str, given: Given, good: Callable[[str], object] = bool) -> str:
        """A text of the expression with these groups that is `good`."""
        for _ in range(1000):
            text = text_of(pattern, self.random, given)
            if good(text):
                return text
        raise AssertionError(f"nothing drawn for {pattern} with {given}")

    def _again(self, kind: str, text: str, *groups: int) -> str:
        """A line of that kind with the same text in these groups."""
        pattern = self.leaves[kind]
        match = re.match(pattern, text)
        assert match is not None, text
        same = [match[group] for group in groups]

        def good(drawn: str) -> bool:
            again = re.fullmatch(pattern, drawn)
            return again is not None and [again[group] for group in groups] == same

        drawn = self._drawn(pattern, {group: match[group] for group in groups}, good)
        return drawn.rstrip("\n") + "\n"

    def _one_of(self, *texts: str | None) -> str | None:
        return self.random.choice(texts)

    def _widths(self, digits: str) -> str:
        """Digits of either width."""
        return "".join(self.random.choice((digit, digit.translate(WIDE))) for digit in digits)

    def _blanks(self, *blanks: str, most: int = 3) -> str:
        return "".join(self.random.choice(blanks) for _ in range(self.random.randint(0, most)))

    def _names(self, kind: int, pattern: str) -> list[str]:
        """The names of a piece that an expression takes."""
        return [name for name, value in BY_NAME.items() if value == kind and re.fullmatch(pattern, name)]


class KakinokiSpeller(Speller):
    """What KIF and KI2 share."""

    def _variation(self, text: str) -> str:
        return self._again("variation", text, 1)

    def _result(self, text: str) -> str:
        match = re.match(self.leaves["result"], text)
        assert match is not None
        meant = read_result(match[2])

        def good(drawn: str) -> bool:
            again = re.fullmatch(self.leaves["result"], drawn)
            return again is not None and read_result(again[2]) == meant

        return self._drawn(self.leaves["result"], {2: match[2]}, good).rstrip("\n") + "\n"

    def _side_to_move(self, text: str) -> str:
        other = f"手番：{text.strip()}\n"
        return self.random.choice((self._again("side_to_move", text, 1), other))

    def _header(self, text: str) -> str:
        key, value = re.split("[：:]", text.rstrip("\n"), maxsplit=1)
        handicap = by_name(value) if key == "手合割" else None
        if handicap is not None:
            names = [one.name for one in HANDICAPS if one == handicap] + list(handicap.aliases)
            value = self._otherwise(self.random.choice(names))
        return f"{key}{self.random.choice('：:')}{value}\n"

    def _otherwise(self, name: str) -> str:
        """A handicap's name with digits, without its last syllable, or with a blank."""
        digits = {numeral: str(value) for value, numeral in enumerate("一二三四五六七八九", 1)} | {"十": "10"}
        changed = "".join(self._widths(digits[c]) if c in digits and self._coin() else c for c in name)
        return self._blanks(" ", "　") + (changed.removesuffix("ち") if self._coin() else changed)

    def _coin(self) -> bool:
        return self.random.random() < 0.5

    def _hand(self, text: str) -> str:
        match = re.match(self.leaves["hand"], text)
        assert match is not None
        counts, _ = read_hand(match[2])
        items = [self._hand_item(kind, counts[kind]) for kind in HAND_KINDS if counts[kind]]
        self.random.shuffle(items)
        pieces = "".join(item + self._blanks(" ", "　") for item in items) or self.random.choice(NOTHING)
        return self._drawn(self.leaves["hand"], {1: match[1], 2: pieces}).rstrip("\n") + "\n"

    def _hand_item(self, kind: int, count: int) -> str:
        tens, ones = divmod(count, 10)
        kanji = ("十" if tens else "") + str(ones).translate(KANJI).replace("0", "")
        numbers = [kanji, self._widths(str(count))] + ([""] if count == 1 else [])
        name = self.random.choice(self._names(kind, "."))
        return text_of(self.parts["hand_item"], self.random, {1: name, 2: self.random.choice(numbers)})

    def _board(self, text: str) -> str:
        if text.startswith("|"):
            return self._board_row(text)
        if text.startswith("+"):
            return self._one_of("", text, self._drawn(self.parts["board_edge"], {}).rstrip("\n") + "\n") or ""
        return text

    def _unknown(self, text: str) -> str:
        """The files above a board, which are no line by themselves."""
        return text if self._coin() else text.translate(str.maketrans("１２３４５６７８９", "123456789"))

    def _board_row(self, text: str) -> str:
        cells, rank = text[1:].rstrip("\n").split("|")
        drawn = "".join(self._cell(cells[at : at + 2]) for at in range(0, len(cells), 2))
        return f"{self._blanks(' ', '　')}|{drawn}|{rank}\n"

    def _cell(self, text: str) -> str:
        pattern = self.parts["cell"]
        if text[1] == "・":
            drawn = self._drawn(pattern, {1: ""})
            return drawn[:-1] + self.random.choice(sorted(NO_PIECE - set(" 　")))
        name = self.random.choice(self._names(BY_NAME[text[1]], "."))
        return text_of(
            pattern, self.random, {1: self.random.choice("vVｖ") if text[0] == "v" else "", 2: name}
        )

    def _place(self, move: Move) -> str:
        file, rank = str(move["to"]["x"]), str(move["to"]["y"])
        return self._widths(file) + self.random.choice((rank.translate(KANJI), self._widths(rank)))

    def _piece(self, move: Move) -> str:
        pattern = r"成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜]"
        return self.random.choice(self._names(BY_CODE[move["piece"]], pattern))

    def _target(self, move: Move) -> dict[int, str | None]:
        """同 and the square: if the move before went there, the square may follow 同."""
        if move.get("same"):
            return {1: "同", 2: self._one_of(None, self._place(move))}
        return {1: None, 2: self._place(move)}


class KifSpeller(KakinokiSpeller):
    def _rows(self, text: str) -> str:
        match = re.match(self.parts["row"], text)
        assert match is not None
        number = text.split(maxsplit=1)[0]
        ending = BY_WORD.get(match[1].strip())
        if ending is None:
            spelt = self._move(next(self.moves))
        else:
            spelt = self.random.choice([word for word, kind in BY_WORD.items() if kind == ending])
        row = self.parts["row"].replace("[0-9０-９]{1,6}+", self._widths(number), 1)
        return text_of(row, self.random, {1: spelt, 2: self._time() if self._coin() else None}) + "\n"

    def _time(self) -> str:
        return self._drawn(self.parts["time"], {}, re.compile(self.parts["clock"]).fullmatch)

    def _move(self, move: Move) -> str:
        given = self._target(move) | {3: self._piece(move)}
        source = move.get("from")
        if source is None:
            drops = DROPS if move.get("relative") else (*DROPS, (None, None))
            given[4], given[5] = self.random.choice(drops)
        else:
            given[4] = "成" if move.get("promote") else self._one_of(None, "不成", "不", "生")
            given[5] = self._widths(f"{source['x']}{source['y']}")
            if not move.get("relative") and self.random.random() < 0.2:
                given[5] = None  # only one piece can come there
        return self._drawn(self.parts["move"], given, re.compile(self.parts["text"] + "[ 　]*").fullmatch)


class Ki2Speller(KakinokiSpeller):
    def _moves(self, text: str) -> str:
        lines, tokens = "", [self._token(next(self.moves)) for mark in text if mark in MARKS]
        while tokens:
            count = self.random.randint(1, 7)
            lines += self._blanks(" ", "　", "\t") + "".join(tokens[:count]) + "\n"
            tokens = tokens[count:]
        return lines

    def _token(self, move: Move) -> str:
        given, words = self._target(move) | {3: self._piece(move)}, self._words(move)
        given[5] = "成" if move.get("promote") else self._one_of(None, "不成", "不", "生")
        at = self.random.randint(0, len(words)) if given[5] and "打" not in words else len(words)
        given[4], given[6] = words[:at], words[at:]
        blanks = self._blanks(" ", "　", "\t")
        text = self._drawn(self.parts["move"], given, lambda drawn: len(drawn + blanks) <= 24)
        return self.random.choice(MARKS[move["color"] :: 2]) + text + blanks

    def _words(self, move: Move) -> str:
        words = [self.random.choice(RELATIVE[letter]) for letter in move.get("relative", "")]
        self.random.shuffle(words)
        return "".join(words)


SERVERS_WORDS = {
    "TORYO": "RESIGN", "TIME_UP": "TIME_UP", "SENNICHITE": "SENNICHITE", "CHUDAN": "CHUDAN",
    "ILLEGAL_MOVE": "ILLEGAL_MOVE",
}  # fmt: skip
"""CSA's endings in the words of 81Dojo's server."""


class CsaSpeller(Speller):
    def __init__(self, name: str, random: Random, record: Record) -> None:
        super().__init__(name, random, record)
        self.start = self._start(start(record))

    def _start_even(self, text: str) -> str:
        return self.start

    def _board_rank(self, text: str) -> str:
        return self.start if text[1] == "1" else ""

    def _pieces(self, text: str) -> str:
        return ""

    def _turn(self, text: str) -> str:
        return self._again("turn", text, 1)

    def _ending(self, text: str) -> str:
        match = re.match(self.leaves["ending"], text)
        assert match is not None
        word = self.random.choice((match[1], match[1].lower()))
        if match[1] in SERVERS_WORDS and self.random.random() < 0.3:
            return f"#{SERVERS_WORDS[match[1]]}\n"
        return self._drawn(self.leaves["ending"], {1: word}).rstrip("\n,") + "\n"

    def _moves(self, text: str) -> str:
        match = re.match(self.parts["statement"], text)
        assert match is not None
        move = self.random.choice((match[2], match[2].lower()))
        return self._drawn(self.parts["statement"], {1: match[1], 2: move}) + self.random.choice("\n\n,")

    def _start(self, position: Position) -> str:
        """A start in one of the three ways: the even one less some pieces, rank by rank, piece by piece."""
        ways = [self._ranks, self._single_pieces]
        even, hands = Position.initial().board, any(map(any, position.hands))
        if not hands and all(piece in (0, there) for piece, there in zip(position.board, even, strict=True)):
            ways.append(self._less)
        return self.random.choice(ways)(position)

    def _less(self, position: Position) -> str:
        there = Position.initial().board
        missing = [place for place in range(81) if there[place] and not position.board[place]]
        self.random.shuffle(missing)
        return "PI" + "".join(_place(place) + CODES[abs(there[place])] for place in missing) + self._end()

    def _ranks(self, position: Position) -> str:
        lines = []
        for rank in range(9):
            cells = [
                (_sign(piece) + CODES[abs(piece)] if piece else "*") + self._blanks(" ", "\t")
                for piece in position.board[rank * 9 : rank * 9 + 9]
            ]
            lines.append(f"P{rank + 1}" + self._blanks(" ") + "".join(cells) + self._end())
        return "".join(lines) + self._in_hands(position)

    def _single_pieces(self, position: Position) -> str:
        pieces = [(place, piece) for place, piece in enumerate(position.board) if piece]
        self.random.shuffle(pieces)
        lines = [
            f"P{_sign(piece)}{_place(place)}{CODES[abs(piece)]}" + self._end() for place, piece in pieces
        ]
        return "".join(lines) + self._in_hands(position)

    def _in_hands(self, position: Position) -> str:
        lines = ""
        for sign, hand in zip("+-", position.hands, strict=True):
            items = [f"00{CODES[kind]}" for kind in HAND_KINDS for _ in range(hand[kind])]
            self.random.shuffle(items)
            while items:
                count = self.random.randint(1, 20)
                lines += f"P{sign}" + "".join(items[:count]) + self._end()
                items = items[count:]
        return lines

    def _end(self) -> str:
        """The end of a statement of the start."""
        return self._blanks(" ", "\t", most=2) + self.random.choice("\n\n\n,")


SPELLERS = {"kif": KifSpeller, "ki2": Ki2Speller, "csa": CsaSpeller}


def _moves_of(record: Record) -> Iterator[Move]:
    """The moves of a record in the order in which they are written."""
    for branch in branches(record):
        for entry in branch.entries:
            if "move" in entry:
                yield entry["move"]


def _place(square: int) -> str:
    return f"{FILES[square]}{RANKS[square]}"


def _sign(piece: int) -> str:
    return "-" if piece < 0 else "+"
