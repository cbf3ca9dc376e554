"""Evaluations in the comments of a record: scores, mates, depths and lines, ply by ply.

Every program writes them in its own way; docs/formats/evaluations.md lists the dialects, the side of the
score, and the position it belongs to. Comments are only read; text that does not fully match one of the known
forms is no evaluation.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from kifu_core.game import Evaluation
from kifu_core.jkf import MoveEntry, Record
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.position import Position
from kifu_core.shogi.pv import read_line
from kifu_core.shogi.replay import main_line
from kifu_core.shogi.spelling import MARKS

MATE_SCORE: Final = 29_000
"""Scores that far from zero mean mate: engines write 30000, 31111, 32000, 100000."""

MATE_CONSTANTS: Final = frozenset([15_000])
"""Exact scores below `MATE_SCORE` that mean mate too."""


def evaluations(record: Record) -> list[Evaluation]:
    """Return all evaluations in the comments of a normalized record's main line, in reading order.

    Linear in the main line and its comments; lines of play cost a few microseconds a move. A record without
    such comments is not replayed.
    """
    result: list[Evaluation] = []
    if not any(_may_hold_evaluation(entry) for entry in record["moves"]):
        return result
    before: Position | None = None
    last = -1
    for ply, position, move, entry in main_line(record):
        if _may_hold_evaluation(entry):
            result += _of_entry(entry["comments"], _CommentPosition(ply, position, before, last))
        before = position.copy() if move and _next_has_comment(record, ply) else None
        last = move >> 1 & 127
    return result


def is_evaluation(line: str) -> bool:
    """Return whether a line of a comment is all or part of an evaluation in one of the known forms.

    >>> is_evaluation("** 1704 +8594OU"), is_evaluation("*#評価値=12"), is_evaluation("1704 +8594OU")
    (True, True, False)
    """
    if line[:1] not in ("#", "*"):
        return False
    return any(pattern.fullmatch(line) for pattern in (_SHOGIHOME, *(pattern for pattern, _ in _DIALECTS)))


def is_alternative(line: str) -> bool:
    """Return whether a line of a comment evaluates a move that was not played.

    >>> is_alternative("*#推奨手[150]▲７六歩"), is_alternative("*#形勢[150]")
    (True, False)
    """
    match = _PIYO.fullmatch(line) if line[:1] in ("#", "*") else None
    return match is not None and match["kind"] == "推奨手"


def floodgate(line: str) -> Evaluation | None:
    """Return the evaluation of a single line in floodgate's form; None for other lines.

    It has the score, the line of play as written, and the nodes.

    >>> one = floodgate("** 1704 +8594OU #120")
    >>> one.score, one.pv, one.nodes
    (1704, '+8594OU', 120)
    """
    match = _FLOODGATE.fullmatch(line) if line[:1] == "*" else None
    return None if match is None else _floodgate(match, None)


def best(evaluations_: Iterable[Evaluation]) -> list[Evaluation]:
    """Return the evaluation of each ply that a chart shows.

    An analysis precedes the player's own evaluation, an engine's first line its others, a later one earlier
    ones; lines not played are left out.
    """
    chosen: dict[int, Evaluation] = {}
    for one in evaluations_:
        if one.role == "alternative" or (one.score is None and one.winner is None):
            continue
        old = chosen.get(one.ply)
        if old is None or _rank(one) <= _rank(old):
            chosen[one.ply] = one
    return [chosen[ply] for ply in sorted(chosen)]


def _rank(one: Evaluation) -> tuple[bool, int]:
    return one.role != "analysis", max(1, one.candidate)


def _may_hold_evaluation(entry: MoveEntry) -> bool:
    """Return whether a comment may hold an evaluation: a quick test, negative for nearly all entries."""
    comments = entry.get("comments")
    return comments is not None and any(line[:1] in ("#", "*") for line in _lines(comments))


class _CommentPosition(NamedTuple):
    """The context of a comment after the move that led to `position`. `before` is the position before that
    move, if available, and `last` the square it went to."""

    ply: int
    position: Position
    before: Position | None
    last: int

    def line(self, text: str) -> tuple[str, ...]:
        """Return the moves of a line from this position; some engines begin it with the move just played."""
        moves = read_line(text, self.position, self.last)
        if not moves and self.before is not None:
            first, *following = read_line(text, self.before) or [0]
            moves = following if first >> 1 & 127 == self.last else []
        return tuple(map(to_usi, moves))


def _next_has_comment(record: Record, ply: int) -> bool:
    """Return whether the next entry has a comment, which may refer to the position at `ply`."""
    entries = record["moves"]
    return ply + 1 < len(entries) and _may_hold_evaluation(entries[ply + 1])


def _lines(comments: Iterable[str]) -> Iterator[str]:
    for comment in comments:
        yield from comment.split("\n")


def _of_entry(comments: list[str], place: _CommentPosition) -> Iterator[Evaluation]:
    """Yield the evaluations of one entry; ShogiHome spreads one over several lines."""
    block = _ShogiHomeBlock(place)
    for line in _lines(comments):
        if match := _SHOGIHOME.fullmatch(line):
            yield from block.add(match)
            continue
        for pattern, reader in _DIALECTS:
            if (match := pattern.fullmatch(line)) and (one := reader(match, place)):
                yield one
                break
    yield from block.finish()


def _with_mate(one: Evaluation) -> Evaluation:
    """Add the winner to an evaluation whose score means mate."""
    score = one.score
    if score is None or one.winner is not None:
        return one
    if abs(score) < MATE_SCORE and abs(score) not in MATE_CONSTANTS:
        return one
    return one._replace(winner=int(score < 0))


_PLY = r"(?:[-+]?[0-9]{4}[A-Z]{2}|(?:[1-9][a-i]|[PLNSGBR]\*)[1-9][a-i]\+?)"
_FLOODGATE: Final = re.compile(
    r"\*{1,2} (?P<score>[-+]?[0-9]{1,7})(?:\.[0-9]+)?"
    rf"(?P<pv>(?: +{_PLY})*)(?: +#(?P<nodes>[0-9]{{1,15}}))? *"
)


def _floodgate(match: re.Match[str], place: _CommentPosition | None) -> Evaluation:
    pv = match["pv"].strip()
    return _with_mate(
        Evaluation(
            place.ply if place else 0, "floodgate", "player",
            score=int(match["score"]),
            nodes=int(match["nodes"]) if match["nodes"] else None,
            pv=pv,
            moves=place.line(pv) if place else (),
        )
    )  # fmt: skip


_SHOGIHOME: Final = re.compile(
    r"\*?(?P<mark>[#*])(?:[先後]:)?(?P<key>評価値|詰み|読み筋|深さ|ノード数|エンジン)=(?P<value>.*)"
)
_MATE: Final = re.compile(r"(先手|後手)勝ち(?::([0-9]{1,5})手)?")
_SCORE: Final = re.compile(r"[-+]?[0-9]{1,7}(?:\.[0-9]+)?")


class _ShogiHomeBlock:
    """ShogiHome's lines `#key=value` of one evaluation: `*` of the player, `#` of an analysis."""

    def __init__(self, place: _CommentPosition) -> None:
        self.place = place
        self.mark = ""
        self.values: dict[str, str] = {}

    def add(self, match: re.Match[str]) -> Iterator[Evaluation]:
        """Add a line; a new mark or a repeated key begins another evaluation."""
        if match["mark"] != self.mark or match["key"] in self.values:
            yield from self.finish()
            self.mark = match["mark"]
        self.values[match["key"]] = match["value"].strip()

    def finish(self) -> Iterator[Evaluation]:
        values, self.values = self.values, {}
        score, mate = values.get("評価値", ""), _MATE.fullmatch(values.get("詰み", ""))
        if not mate and not _SCORE.fullmatch(score):
            return
        pv = values.get("読み筋", "")
        yield _with_mate(
            Evaluation(
                self.place.ply, "shogihome", "player" if self.mark == "*" else "analysis",
                score=round(float(score)) if _SCORE.fullmatch(score) else None,
                winner=int(mate[1] == "後手") if mate else None,
                mate=int(mate[2]) if mate and mate[2] else None,
                depth=_count(values.get("深さ", "")),
                nodes=_count(values.get("ノード数", "")),
                engine=values.get("エンジン", ""),
                pv=pv,
                moves=self.place.line(pv),
            )
        )  # fmt: skip


def _count(text: str) -> int | None:
    match = re.match(r"[0-9]{1,15}", text)
    return int(match[0]) if match else None


_SHOGIGUI: Final = re.compile(
    r"\*{1,2}(?P<kind>対局|解析|検討| Engine) (?P<facts>.*?)評価値 "
    r"(?P<score>[-+]?[0-9]{1,7}|[-+]?詰(?: ?[0-9]{1,5})?)[↑↓]?(?: 読み筋(?P<pv>.*)| .*)?"
)
_FACTS: Final = {
    "candidate": re.compile(r"候補([0-9]{1,3})"),
    "depth": re.compile(r"深さ ([0-9]{1,5})"),
    "nodes": re.compile(r"ノード数 ([0-9]{1,15})"),
}
_TIME: Final = re.compile(r"時間 (?:([0-9]{1,3}):)?([0-9]{1,3}):([0-9]{1,2}(?:\.[0-9]*)?)")


def _shogigui(match: re.Match[str], place: _CommentPosition) -> Evaluation:
    facts, score = match["facts"], match["score"]
    numbers = {name: int(match_[1]) for name, one in _FACTS.items() if (match_ := one.search(facts))}
    pv = _from_mark(match["pv"] or "")
    analysed = match["kind"] != "対局"
    kishin = match["kind"] == " Engine"
    one = Evaluation(
        place.ply, "kishin" if kishin else "shogigui", "analysis" if analysed else "player",
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        candidate=numbers.get("candidate", 0),
        time=_time_used(facts),
        engine=facts.partition(" 候補")[0].strip() if kishin else "",
        pv=pv,
        moves=place.line(pv),
    )  # fmt: skip
    if "詰" in score:
        count = _count(score.partition("詰")[2].strip())
        return one._replace(winner=int(score.startswith("-")), mate=count)
    return _with_mate(one._replace(score=int(score)))


def _time_used(facts: str) -> float | None:
    match = _TIME.search(facts)
    if match is None:
        return None
    return int(match[1] or 0) * 3600 + int(match[2]) * 60 + float(match[3])


def _from_mark(text: str) -> str:
    """Return the text from its first side mark on."""
    starts = [at for mark in MARKS if (at := text.find(mark)) >= 0]
    return text[min(starts) :].strip() if starts else text.strip()


_PIYO: Final = re.compile(r"\*?#(?P<kind>指し手|形勢|推奨手)\[(?P<score>[-+]?[0-9]{1,7})\](?P<pv>.*)")


def _piyo(match: re.Match[str], place: _CommentPosition) -> Evaluation:
    """Return the evaluation in a line of ぴよ将棋 or K-Shogi.

    推奨手 is a better move than the last one: it belongs to the position before.
    """
    pv = _from_mark(match["pv"])
    if match["kind"] != "推奨手":
        one = Evaluation(place.ply, "piyo", "analysis", int(match["score"]), pv=pv, moves=place.line(pv))
        return _with_mate(one)
    moves = read_line(pv, place.before) if place.before is not None else []
    return _with_mate(
        Evaluation(
            max(0, place.ply - 1), "piyo", "alternative", int(match["score"]), pv=pv,
            moves=tuple(map(to_usi, moves)),
        )
    )  # fmt: skip


_DIALECTS: Final[
    tuple[tuple[re.Pattern[str], Callable[[re.Match[str], _CommentPosition], Evaluation]], ...]
] = ((_FLOODGATE, _floodgate), (_SHOGIGUI, _shogigui), (_PIYO, _piyo))
