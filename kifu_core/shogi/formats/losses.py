"""What a record loses when it is written in a format. Everything that is not named here survives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, Literal

from kifu_core.deadline import watched
from kifu_core.errors import Issue, KifuError
from kifu_core.jkf import Record
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi.formats import bod, ki2, kif, write_csa
from kifu_core.shogi.formats.summary import Summary, read_summary
from kifu_core.shogi.formats.usen import ending_letter
from kifu_core.shogi.formats.writing import (
    Branch,
    branches,
    ending_kind,
    ending_word,
    has_sentence,
    kept_headers,
    kind_beside,
    tells_winner,
)
from kifu_core.shogi.normalize import wrong_totals
from kifu_core.shogi.specials import BY_SPECIAL, EndingKind, find, read_result, usual_winner
from kifu_core.shogi.start import start_position

Part = Literal["headers", "moves", "times", "totals", "fractions", "comments", "bookmarks", "forks", "ending"]

_ALL_BUT_MOVES: Final[tuple[Part, ...]] = (
    "headers", "times", "fractions", "comments", "bookmarks", "forks", "ending",
)  # fmt: skip

LOST: Final[dict[str, tuple[Part, ...]]] = {
    "jkf": ("fractions", "ending"),
    "kif": ("headers", "fractions", "ending"),
    "kifu": ("headers", "fractions", "ending"),
    "ki2": ("headers", "moves", "times", "fractions", "bookmarks", "ending"),
    "ki2u": ("headers", "moves", "times", "fractions", "bookmarks", "ending"),
    "csa": ("headers", "times", "totals", "fractions", "comments", "forks", "bookmarks", "ending"),
    "usi": _ALL_BUT_MOVES,
    "sfen": ("moves", *_ALL_BUT_MOVES),
    "bod": ("moves", *_ALL_BUT_MOVES),
    "usen": ("headers", "times", "fractions", "comments", "bookmarks", "ending"),
}
"""The parts of a record that each format has no place for; of endings, those it has no word for, none that
says who won, or no place, of headers in formats that have them, those whose name or text cannot stand on a
line of their own; of bookmarks in KI2, those that become comments.

CSA loses times and comments with the variations, and totals that are not the sums which its readers make. KI2
loses moves that no piece can make: nothing tells which one did."""

_KEPT: Final[dict[str, Callable[[Record], dict[str, str]]]] = {
    **dict.fromkeys(["kif", "kifu"], partial(kept_headers, holds=kif.holds_header)),
    **dict.fromkeys(["ki2", "ki2u"], partial(kept_headers, holds=ki2.holds_header)),
    "csa": write_csa.kept_headers,
    "bod": bod.kept_headers,
}


def losses(game: ParsedGame | Record, file_format: str, *, csa: str = "2.2") -> tuple[Issue, ...]:
    """What this record loses in that format: an issue `lost-…` for each part, with how many there are.

    `ending-in-remark` are endings that are not lost but told where other programs do not read them.

    `csa` is the version of CSA; 3 keeps fractions of seconds. Of a bare record nothing is known of fractions
    and of endings that JKF has no name for. Raises KifuError `unknown-format`. Linear in the number of moves.
    """
    if file_format not in LOST:
        raise KifuError("unknown-format", params={"text": file_format[:40]})
    record, ending = (game.record, game.ending) if isinstance(game, ParsedGame) else (game, None)
    found = _parts(record)
    if isinstance(game, ParsedGame):
        found["fractions"] = len(game.fractions) if (file_format, csa) != ("csa", "3") else 0
    found["ending"] = _lost_endings(record, ending, file_format)
    if isinstance(game, ParsedGame) and ending is None and file_format == "csa":
        found["ending"] = int(_summary(record["header"], next(branches(record))) is not None)
    if file_format == "csa":
        found["times"], found["comments"] = found["fork times"], found["fork comments"]
        found["totals"] = len(wrong_totals(record["moves"][1:], start_position(record.get("initial")).turn))
    if file_format in ("ki2", "ki2u"):
        found["moves"] = ki2.lost_moves(record)
    if file_format in _KEPT:
        kept = _KEPT[file_format](record)
        found["headers"] = sum(kept.get(name) != text for name, text in record["header"].items())
    codes = {f"lost-{part}": found[part] for part in LOST[file_format]}
    if file_format in ("ki2", "ki2u"):
        codes["lost-bookmarks"] = _surplus_bookmarks(record)
        codes["ending-in-remark"] = _endings_in_remarks(record, ending)
    return tuple(
        Issue(code, "warning", params={"format": file_format, "count": count})
        for code, count in codes.items()
        if count > 0
    )


def _surplus_bookmarks(record: Record) -> int:
    """The bookmarks beyond the first of an entry: KI2 has one, and none of endings."""
    entries = [*record["moves"][:1], *(entry for branch in branches(record) for entry in branch.entries)]
    marks = (
        (sum(text.startswith("&") for text in entry.get("comments", ())), "special" not in entry)
        for entry in watched(entries)
    )
    return sum(max(0, count - room) for count, room in marks)


def _endings_in_remarks(record: Record, ending: Ending | None) -> int:
    """The endings that KI2 has no sentence for which other programs know."""
    kinds: list[EndingKind] = []
    for branch in branches(record, ending):
        turn = branch.turn
        for index, entry in enumerate(watched(branch.entries)):
            turn ^= "move" in entry
            kind = None if "move" in entry else _kind(branch, index, ending, turn)
            if kind is not None:
                kinds.append(kind)
                break
    return sum(not has_sentence(kind) for kind in kinds)


def _kind(branch: Branch, index: int, ending: Ending | None, turn: int) -> EndingKind | None:
    """The kind of an entry that is no move."""
    return ending_kind(branch.entries[index], ending if index == branch.closing else None, turn)


def _parts(record: Record) -> Counter[str]:
    """How much there is of each part; endings are counted apart."""
    found = Counter(headers=len(record["header"]))
    for number, branch in enumerate(branches(record)):
        found["forks"] += number > 0
        for entry in watched(branch.entries):
            found["moves"] += "move" in entry
            found["times"] += "time" in entry
            if number:
                found["fork times"] += "time" in entry
                texts = entry.get("comments", ())
                found["fork comments"] += sum(not text.startswith("&") for text in texts)
    for comments in _comments(record):
        marks = sum(comment.startswith("&") for comment in comments)
        found["bookmarks"] += marks
        found["comments"] += len(comments) - marks
    return found


def _comments(record: Record) -> Iterator[list[str]]:
    """The comments of every entry, those of the start first."""
    for entry in record["moves"][:1]:
        yield entry.get("comments", [])
    for branch in branches(record):
        for entry in watched(branch.entries):
            yield entry.get("comments", [])


def _lost_endings(record: Record, ending: Ending | None, file_format: str) -> int:
    """The endings that a format has no word for, none that says who won, or no place; those of lost
    variations do not count."""
    return sum(
        _lost_of_line(record, branch, ending, file_format)
        for branch in branches(record, ending)
        if branch.is_main or file_format in _END_ONCE
    )


_END_ONCE: Final = ("ki2", "ki2u", "usen")
"""Formats whose lines, variations too, have room for one ending, behind the last move."""


def _lost_of_line(record: Record, branch: Branch, ending: Ending | None, file_format: str) -> int:
    """The endings of a line that are lost. The same one twice, as shogi-server writes it, takes no more room
    than one."""
    lost, last, once = 0, -1, file_format in _END_ONCE
    found: list[tuple[int, str]] = []
    for index, entry in enumerate(watched(branch.entries)):
        if "move" in entry:
            last = index
        elif index == branch.closing or "special" in entry:
            found.append((index, entry.get("special", "")))
    for number, (index, special) in enumerate(watched(found)):
        if once and (index < last or special != found[0][1]):
            lost += 1
        elif once and number:
            continue
        elif ending is not None and index == branch.closing:
            lost += not _can_tell(record, branch, ending, file_format)
        else:
            lost += not _can_write(branch, special, file_format)
    return lost


def _can_tell(record: Record, main: Branch, ending: Ending, file_format: str) -> bool:
    """Whether a format has a word for how the main line ended, by which the same side has won."""
    turn = main.turn ^ (ending.ply & 1)
    if ending.special is None:
        if not _can_say(ending, turn, file_format):
            return False
    elif not _can_write(main, ending.special, file_format):
        return False
    kind, problem = BY_SPECIAL.get(ending.special or ""), "data" in record.get("initial", {})
    if file_format in ("jkf", "usen"):
        return kind is not None and usual_winner(kind, turn, problem=problem) == ending.winner
    summary = _summary(record["header"], main) if file_format == "csa" else None
    if summary is not None and summary.winner is not None:
        return summary.winner == ending.winner
    named = ending.winner is not None and kind is not None and "{" in kind.phrase
    if named and file_format in ("ki2", "ki2u"):
        return True  # the まで line names the winner
    return tells_winner(ending, turn, problem=problem)


def _summary(header: dict[str, str], main: Branch) -> Summary | None:
    """What a reader of CSA takes for the server's word about the result: the last summary among the last
    comments."""
    last = main.entries[-2:] if main.entries and "move" not in main.entries[-1] else main.entries[-1:]
    texts = [line for entry in last for text in entry.get("comments", ()) for line in text.splitlines()]
    found = (read_summary(text, header.get("先手", ""), header.get("後手", "")) for text in watched(texts))
    return next((summary for summary in reversed(list(found)) if summary is not None), None)


def _can_say(ending: Ending, turn: int, file_format: str) -> bool:
    """Whether a format has a word for an ending that JKF has no name for."""
    kind = kind_beside(ending, turn)
    if kind is None or file_format in ("jkf", "usi", "sfen", "bod", "usen"):
        return False
    if file_format in ("ki2", "ki2u") and find(ending.word) is None:  # it stands in a まで line
        return read_result(ending.word)[1] in (None, ending.winner)
    return bool(kind.csa) if file_format == "csa" else kif.holds_ending(ending_word(kind, turn))


def _can_write(branch: Branch, special: str, file_format: str) -> bool:
    """Whether a format has a word for an ending of JKF."""
    if file_format == "usen":
        moves = sum("move" in entry for entry in branch.entries)
        return bool(ending_letter(special, branch.turn ^ (moves & 1), moves))
    return file_format not in ("usi", "sfen", "bod")
