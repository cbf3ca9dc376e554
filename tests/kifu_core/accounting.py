"""Look for each line of a text in the result of reading it.

A reader takes a line for a move, an ending, a header, a comment or a part of the start, or reports it. This
module checks that by the result and expressions of its own, without any reader or grammar. A line that the
result contains nowhere was lost in silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from kifu_core import ParsedGame, ParseResult
from kifu_core.errors import Issue
from kifu_core.shogi.formats.writing import branches
from kifu_core.shogi.pieces import CODES, HAND_KINDS
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import start
from kifu_core.shogi.specials import BY_WORD, SIDES
from kifu_core.shogi.squares import BY_CSA

_NAMES: Final = {
    "FU": "歩", "KY": "香", "KE": "桂", "GI": "銀", "KI": "金", "KA": "角", "HI": "飛", "OU": "玉",
    "TO": "と", "NY": "成香", "NK": "成桂", "NG": "成銀", "UM": "馬", "RY": "龍",
}  # fmt: skip
_OTHER_NAMES: Final = {
    "王": "玉", "竜": "龍", "杏": "成香", "圭": "成桂", "全": "成銀", "成歩": "と", "成角": "馬",
    "成飛": "龍",
}  # fmt: skip
_KANJI: Final = str.maketrans("一二三四五六七八九", "123456789")
_PIECE: Final = "成[香桂銀歩角飛]|[歩香桂銀金角飛玉王と杏圭全馬龍竜]"
_MOVE: Final = re.compile(
    rf"(同\s*|[1-9][1-9一二三四五六七八九]\s*)({_PIECE})[左直右上寄引行入下打]*(?:成|不成|不|生)?"
    r"[左直右上寄引行入下]*\s*(?:\(([0-9]{2})\))?"
)
_CSA_MOVE: Final = re.compile(r"[-+]([0-9]{4}[A-Za-z]{2})")
_CLOCK: Final = re.compile(
    r"\(\s*(?:(\d+):)?(\d+):(\d+)[^()\n]*(?:\)|$)|(?<![0-9A-Za-z])T(?:(\d+)(?:\.\d*)?)?(?![0-9A-Za-z])"
    r"|\(?(?=\d+(?:時間|[分秒]))(?:(\d+)時間)?(?:(\d+)分)?(?:(\d+)秒)?\)?"
)
_NO_CLOCK: Final = re.compile(r"\([\s:/.]*\)")
_TWICE: Final = re.compile(r"(\([^()\n]+\))\s*\1")
"""A clock that some programs write twice."""

_ENDING: Final = re.compile(
    "|".join(map(re.escape, sorted(BY_WORD, key=len, reverse=True))) + r"|%[-+A-Za-z_]+"
)
_ROW_OF_ENDING: Final = re.compile(rf"^[0-9]+(?:{'|'.join(map(re.escape, BY_WORD))})", re.MULTILINE)
_SIGNS: Final = re.compile(
    r"[SG]:|[▲△☗☖▼▽⛊⛉●○■□◆◇+,/]|\bPI\b|(?:^|(?<=\s))\(?[0-9]{1,4}(?:手目?|[.:)])?(?=\s|$|[▲△☗☖▼▽])"
)
_RESULT: Final = re.compile(
    r"[\s#(~]*(?:(?:まで|以[上下])[、,]?\s*([0-9]*)|([0-9]+)手(?:まで|で)|(?=[先後上下]手の勝ち))(.*)"
)
_ZERO_WIDTH: Final = re.compile("[\u00ad\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f]")
_DECORATION: Final = re.compile(
    r"手数-.*|盤面[回反]転.*|[+|\-\s_=ー―─]+|[1-9\s]*9\s*8\s*7\s*6\s*5\s*4\s*3\s*2\s*1\s*|V[0-9.]+,?|[-+/,]+|#(?:終局|開始時)のコメント"
)
"""Lines that hold nothing of a game."""


def plain(text: str) -> str:
    """A text without blanks, colons and widths: the same words stay the same."""
    return re.sub(r"[\s:]", "", _ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)))


def losses(text: str, result: ParseResult) -> list[tuple[int, str]]:
    """The lines of a text, with their numbers, that the result holds nowhere.

    A text without any game is refused, and an error says why.
    """
    if not result.games and any(issue.severity == "error" for issue in result.issues):
        return []
    return list(_Account(result).losses(text))


def issues_of(result: ParseResult) -> list[Issue]:
    return [*result.issues, *(issue for game in result.games for issue in game.issues)]


class _Account:
    """The contents of a result. A line takes out the parts that it matches, so that none counts twice."""

    def __init__(self, result: ParseResult) -> None:
        self.games = result.games
        self.issues = issues_of(result)
        self.headers = {plain(text) for game in self.games for text in _headers(game)}
        texts = [plain(line) for game in self.games for text in _texts(game) for line in text.split("\n")]
        self.texts = Counter(texts)
        self.words = "\n".join([*self.headers, *texts])
        self.moves: Counter[str] = Counter()
        self.clocks: Counter[int] = Counter()
        self.variations: Counter[int] = Counter()
        self.taken: list[tuple[Counter[Any], Any]] = []
        self.endings = 0
        self.ends: set[int] = set()
        self.last_plies: set[int] = set()
        for game in self.games:
            self._add(game)
        self.starts = [start(game.record) for game in self.games]
        self.ranks = {rank for position in self.starts for rank in _ranks(position)}

    def _add(self, game: ParsedGame) -> None:
        for branch in branches(game.record, game.ending):
            self.variations[branch.ply] += not branch.is_main
            ply = branch.ply - 1
            for entry in branch.entries:
                if "move" in entry:
                    ply += 1
                    self.moves.update(_keys(entry["move"]))
                elif "special" in entry or branch.is_main:
                    self.endings += 1
                    self.ends.add(ply)
                self.last_plies.add(ply)
                if "time" in entry:
                    now = entry["time"]["now"]
                    self.clocks[now.get("h", 0) * 3600 + now["m"] * 60 + now["s"]] += 1
        if game.ending is not None:
            self.endings += game.ending.special is None
            self.ends.add(game.ending.ply)

    def losses(self, text: str) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(re.split("\r\n|\n|\r", text), 1):
            if plain(line) and not (self._has(line) or self._reported(number, line)):
                yield number, line

    def _try(self, test: Callable[[str], bool], line: str) -> bool:
        """A test of a line that takes out what it finds, and puts it back if it fails."""
        self.taken.clear()
        endings = self.endings
        if test(line):
            return True
        self.endings = endings
        for supply, key in self.taken:
            supply[key] += 1
        return False

    # --- one line ------------------------------------------------------------------------------------

    def _has(self, line: str) -> bool:
        return self._is_start(line) or self._is_text(line) or self._try(self._is_play, line)

    def _is_text(self, line: str) -> bool:
        """A header or a comment. Each comment accounts for one line only."""
        found = plain(line)
        value = plain(re.sub(r"^\s*(?:N[-+]|\$[A-Z_]+:)", "", line))
        forms = (found, found[1:], found.lstrip("*'&#"), value)
        return any(not form or form in self.headers or self._take(self.texts, form) for form in forms)

    def _has_words(self, words: str, played: bool = True) -> bool:
        """Return whether words are part of a header, or on a line with a move, of a comment."""
        found, held = plain(words), self.words if played else "\n".join(self.headers)
        return found in held or found.strip("()[]{}「」、。,.;-") in held

    def _is_start(self, line: str) -> bool:
        found = plain(line)
        if _DECORATION.fullmatch(unicodedata.normalize("NFKC", line).strip()):
            return True
        if hand := re.fullmatch(r"(先手|下手|▲|後手|上手|△)の?持ち?駒(.*)", found):
            return any(_counts(hand[2]) == one.hands[hand[1] in "後手上手△"] for one in self.starts)
        if side := re.fullmatch(r"(?:手番)?(先手|下手|後手|上手)番?", found):
            return any(one.turn == (side[1] in ("後手", "上手")) for one in self.starts)
        if found.startswith("|") or re.match("P[1-9]", found):
            return _rank(found) in self.ranks
        if pieces := re.fullmatch(r"P([-+])((?:[0-9]{2}[A-Z]{2})*),?", found):
            return any(_holds(one, pieces[1], pieces[2]) for one in self.starts)
        return re.fullmatch(r"PI(?:[0-9]{2}[A-Z]{2})*,?", found) is not None

    def _is_play(self, line: str) -> bool:
        """Moves, an ending, a variation or a result, with times, and nothing else but words that are held."""
        rest = unicodedata.normalize("NFKC", line)
        if variation := re.match(r"\s*変化\s*:?\s*([0-9]+)\s*手?目?\s*$", rest):
            return self._take(self.variations, int(variation[1]))
        if result := _RESULT.match(rest):
            return self._is_result(int(result[1] or result[2] or 0), plain(result[3]))
        rest, sign, comment = re.split(r"(['*]|\Z)", _NO_CLOCK.sub(" ", rest), maxsplit=1)
        comment = comment.rstrip().removesuffix("+")
        if joined := re.search("まで([0-9]+)手(.*)", rest):
            if not self._is_result(int(joined[1]), plain(joined[2])):
                return False
            rest = rest[: joined.start()]
        for clock in _CLOCK.finditer(comment):
            if not self._has_words(comment) and self._take_clock(clock):
                comment = comment.replace(clock[0], " ")
        if sign and not (rest.strip() and (self._has_words(comment) or self._has_words(sign + comment))):
            return False
        rest = _TWICE.sub(r"\1", rest)
        for pattern, take in (
            (_MOVE, self._take_move),
            (_CSA_MOVE, self._take_csa),
            (_CLOCK, self._take_clock),
        ):
            if not all(map(take, pattern.finditer(rest))):
                return False
            rest = pattern.sub(" ", rest)
        endings = self.endings
        if (ending := _ENDING.search(_SIGNS.sub(" ", rest).strip())) and self.endings:
            rest = rest.replace(ending[0], " ", 1)
            self.endings -= 1
        played = bool(self.taken) or self.endings < endings
        return all(self._has_words(words, played) for words in _SIGNS.sub(" ", rest).split())

    def _is_result(self, ply: int, sentence: str) -> bool:
        """Return whether a line ends at a ply, or as a sentence says; the row of its ending may be unread.

        Some writers count the ending's row.
        """
        winners = {game.ending.winner for game in self.games if game.ending}
        named_winner = next((winner for name, winner in SIDES.items() if f"{name}の勝ち" in sentence), None)
        word = sentence.strip("手目でにて、,")
        ends = self.ends if word else self.last_plies
        ended = (not ply and self.ends) or any(abs(ply - end) < 2 for end in ends)
        return bool(
            ended
            or (word and word in self.words)
            or named_winner in winners - {None}
            or _ROW_OF_ENDING.search(self.words)
        )

    def _take_move(self, match: re.Match[str]) -> bool:
        place = match[1].strip().translate(_KANJI)
        return self._take(self.moves, f"{place}{_OTHER_NAMES.get(match[2], match[2])}{match[3] or ''}")

    def _take_csa(self, match: re.Match[str]) -> bool:
        return self._take(self.moves, match[1].upper())

    def _take_clock(self, match: re.Match[str]) -> bool:
        hours, minutes, seconds, csa, *offset = (int(group or 0) for group in match.groups())
        time = (hours + offset[0]) * 3600 + (minutes + offset[1]) * 60 + seconds + csa + offset[2]
        if not any(match.groups()) or self._take(self.clocks, time):
            return True
        return self._has_words(match[0])  # a second clock is a comment

    def _take(self, supply: Counter[Any], key: Any) -> bool:
        if supply[key] <= 0:
            return False
        supply[key] -= 1
        self.taken.append((supply, key))
        return True

    def _reported(self, number: int, line: str) -> bool:
        """An issue about the line shows it, or names it elsewhere."""
        found = plain(line)
        return any(
            found in plain(issue.source_line) and (issue.line == number or len(found) > 3)
            for issue in self.issues
        )


# --- what a game holds -----------------------------------------------------------------------------------


def _headers(game: ParsedGame) -> Iterator[str]:
    """Headers, each of their lines with and without its name, and how the game ended."""
    for name, value in game.record["header"].items():
        for line in value.split("\n"):
            yield from (f"{name}:{line}", line)
    if game.ending is not None:
        yield game.ending.word


def _texts(game: ParsedGame) -> Iterator[str]:
    """Comments of all lines, remarks, and what could not be played."""
    yield from game.record["moves"][0].get("comments", ()) if game.record["moves"] else ()
    for branch in branches(game.record):
        for entry in branch.entries:
            yield from entry.get("comments", ())
    yield from game.remarks
    yield game.unread


def _keys(move: Any) -> Iterator[str]:
    """The ways to write a move: by its square or 同, with its source or without, and that of CSA."""
    piece, source = _NAMES[move["piece"]], move.get("from")
    to = f"{move['to']['x']}{move['to']['y']}"
    for place in (to, "同") if move.get("same") else (to,):
        yield place + piece
        yield f"{place}{piece}{source['x']}{source['y']}" if source else f"{place}{piece}00"
    landed = PROMOTED[move["piece"]] if move.get("promote") else move["piece"]
    yield (f"{source['x']}{source['y']}" if source else "00") + to + landed


PROMOTED: Final = {"FU": "TO", "KY": "NY", "KE": "NK", "GI": "NG", "KA": "UM", "HI": "RY"}


def _ranks(position: Position) -> Iterator[str]:
    """The ranks of a board as diagrams and CSA draw them, without blanks."""
    for rank in range(9):
        cells = position.board[rank * 9 : rank * 9 + 9]
        yield "".join(_cell(piece) for piece in cells)
        yield f"P{rank + 1}" + "".join(("-" if c < 0 else "+") + CODES[abs(c)] if c else "*" for c in cells)


def _cell(piece: int) -> str:
    return ("v" if piece < 0 else "") + _NAMES[CODES[abs(piece)]] if piece else "・"


def _rank(found: str) -> str:
    """A rank as `_ranks` has it."""
    if found.startswith("P"):
        return found.rstrip(".,")
    cells = re.findall(r"([vV]?)(成[香桂銀]|[^vV|])", found[1:].partition("|")[0])
    return "".join(("v" if mark else "") + _OTHER_NAMES.get(name, name) for mark, name in cells)


def _counts(text: str) -> list[int]:
    """The pieces of a hand by kind."""
    counts = [0] * 8
    kinds = {_NAMES[CODES[kind]]: kind for kind in HAND_KINDS}
    for name, number in re.findall(r"([飛角金銀桂香歩])([一二三四五六七八九十0-9]*)", text):
        tens, ten, ones = number.translate(_KANJI).partition("十")
        counts[kinds[name]] += int(tens or 1) * 10 + int(ones or 0) if ten else int(tens or 1)
    return counts


def _holds(position: Position, sign: str, text: str) -> bool:
    """Return whether a position has the pieces of a line of CSA."""
    color = int(sign == "-")
    for place, code in re.findall("([0-9]{2})([A-Z]{2})", text):
        if code == "AL":
            continue
        kind = CODES.index(code) if code in CODES else 0
        found = position.hands[color][kind] if place == "00" else abs(position.board[BY_CSA[place]]) == kind
        if not kind or not found:
            return False
    return True
