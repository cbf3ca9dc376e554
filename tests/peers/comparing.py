"""What a peer read of a record beside what we wrote: the differences by name.

`lines` of an answer is the record's main line as entries {"move" or "special", "comments", "forks"}, the
first of them the start; moves stand as USI writes them, forks are lines again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kifu_core.jkf import MoveEntry
from kifu_core.record import ParsedGame
from kifu_core.shogi.formats import losses
from kifu_core.shogi.formats.writing import unnamed_ending_kind
from kifu_core.shogi.legality import findings
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.replay import packed_move, start
from kifu_core.shogi.specials import BY_CSA, BY_SPECIAL, EndingKind, find, winner

Line = list[dict[str, Any]]
Outcome = int | str | None
"""The winning colour, `draw`, or None."""

TELLS: Final = {
    "json-kifu-format": {"position", "moves", "comments", "forks", "ending"},
    "tsshogi": {"position", "moves", "comments", "forks", "ending"},
    "python-shogi": {"position", "moves", "winner"},
    "cshogi": {"position", "moves", "comments", "winner"},
}
"""What each peer has to say of a record; `ending` is how it ended, with its winner."""

HOLDS: Final = {
    "kif": {"comments", "forks", "ending", "winner"},
    "ki2": {"comments", "forks", "ending", "winner"},
    "csa": {"comments", "ending", "winner"},
    "jkf": {"comments", "forks", "ending", "winner"},
    "usi": set[str](),
}
"""What each format holds beside moves."""


class Case(NamedTuple):
    """A game that is written, with what the reasons of differences ask for."""

    name: str
    game: ParsedGame

    @property
    def preset(self) -> str:
        return str(self.game.record.get("initial", {}).get("preset", "HIRATE"))

    @property
    def handicap(self) -> str:
        return self.game.record["header"].get("手合割", "").strip(" 　")

    @property
    def drawn(self) -> bool:
        return self.preset == "OTHER"

    @property
    def entries(self) -> list[MoveEntry]:
        return self.game.record["moves"]

    @property
    def forked(self) -> bool:
        return any("forks" in entry for entry in self.entries)

    @property
    def plies(self) -> int:
        return sum("move" in entry for entry in self.entries)

    @property
    def turn(self) -> int:
        """The side that begins."""
        return start(self.game.record).turn

    @property
    def illegal(self) -> bool:
        codes = {issue.code for issue in (*self.game.issues, *findings(self.game))}
        return bool(codes & ILLEGAL)

    @property
    def starred(self) -> bool:
        """Whether a header begins with the sign of comments (`*放送日：…`)."""
        return any(name.startswith("*") for name in self.game.record["header"])

    @property
    def commented(self) -> bool:
        return self.starred or any(said(lines(self.entries)))

    @property
    def worded(self) -> bool:
        """Whether a move has relative words."""
        return any("relative" in entry["move"] for entry in self.entries if "move" in entry)

    @property
    def specials(self) -> list[str]:
        return [entry["special"] for entry in self.entries if "special" in entry]

    @property
    def nameless(self) -> bool:
        """Whether an entry with comments is neither a move nor an ending of JKF."""
        others = (entry for entry in self.entries[1:] if "move" not in entry and "special" not in entry)
        return any("comments" in entry for entry in others)

    @property
    def result(self) -> Outcome:
        """Who won."""
        return outcome(self.kind, self.turn ^ (self.plies & 1))

    @property
    def pairs_in_hand(self) -> bool:
        """Whether the start has two of a kind in a hand."""
        return any(count > 1 for hand in start(self.game.record).hands for count in hand)

    @property
    def kind(self) -> EndingKind | None:
        """How the game ended."""
        special = next((entry["special"] for entry in self.entries if "special" in entry), None)
        if special is not None:
            return BY_SPECIAL.get(special)
        return unnamed_ending_kind(self.game.ending, self.turn ^ (self.plies & 1))


ILLEGAL: Final = {
    "no-piece", "wrong-side", "unreachable", "nifu", "dead-drop", "must-promote", "bad-promote", "occupied",
    "not-in-hand", "bad-move", "bad-drop",
}  # fmt: skip
"""Findings about moves that peers do not play; a king left in check they do."""


def lines(entries: list[MoveEntry], *, forks: bool = True) -> Line:
    """A line of a record as answers have it."""
    found = []
    for entry in entries:
        one: dict[str, Any] = {"comments": [], "forks": []}
        for text in entry.get("comments", []):
            one["comments"] += text.splitlines() or [""]
        if forks:
            one["forks"] = [lines(fork) for fork in entry.get("forks", [])]
        if "move" in entry:
            one["move"] = to_usi(packed_move(entry["move"]))
        elif "special" in entry:
            one["special"] = entry["special"]
        found.append(one)
    return found


def moves(line: Line) -> list[str]:
    """The moves of the main line."""
    return [entry["move"] for entry in line if "move" in entry]


def tree(line: Line) -> Any:
    """The moves of a line with their forks, in whatever order siblings are."""
    kept = [entry for entry in line if "move" in entry or entry["forks"]]
    return [(entry.get("move", ""), sorted(map(tree, entry["forks"]))) for entry in kept]


def doubled(line: Line) -> bool:
    """Whether a variation begins with the move that it varies, or with a sibling's."""
    firsts = [
        [one["move"] for one in (entry, *(fork[0] for fork in entry["forks"] if fork)) if "move" in one]
        for entry in line
    ]
    inner = any(doubled(fork) for entry in line for fork in entry["forks"])
    return inner or any(len(set(found)) < len(found) for found in firsts)


def said(line: Line) -> list[tuple[str, Any]]:
    """The comments of a line by move, those of an ending with the last move's; bookmarks are left out."""
    found: list[tuple[list[str], list[Any]]] = []
    for entry in line:
        if not found or "move" in entry:
            found.append(([], []))
        texts = [text for text in entry["comments"] if not text.startswith("&")]
        found[-1][0].extend(text.strip(" 　\t") for text in texts)
        found[-1][1].extend(sorted(map(said, entry["forks"])))
    kept = [("\n".join(filter(None, texts)), forks) for texts, forks in found]
    while kept and not kept[-1][0] and not kept[-1][1]:
        kept.pop()
    return kept


def position(case: Case) -> str:
    """The position after the main line."""
    last = start(case.game.record)
    for entry in case.entries:
        if "move" in entry:
            last.do_move(packed_move(entry["move"]))
    return last.sfen(None)


_OF_TSSHOGI: Final = {
    "resign": "TORYO", "interrupt": "CHUDAN", "repetitionDraw": "SENNICHITE", "timeout": "TIME_UP",
    "foulLose": "ILLEGAL_MOVE", "foulWin": "ILLEGAL_ACTION", "impass": "JISHOGI", "draw": "HIKIWAKE",
    "enteringOfKing": "KACHI", "mate": "TSUMI", "noMate": "FUZUMI", "maxMoves": "最大手数",
    "winByDefault": "不戦勝", "loseByDefault": "不戦敗", "try": "トライ",
}  # fmt: skip


def outcome(kind: EndingKind | None, turn: int) -> Outcome:
    """Who wins by an ending."""
    if kind is None:
        return None
    return "draw" if kind.rule == "draw" else winner(kind, turn)


def ending(special: str | None, turn: int) -> tuple[str, Outcome]:
    """An ending as it can be compared; fouls are one kind, whoever is said to have moved."""
    if special is None:
        return "", None
    word = _OF_TSSHOGI.get(special, special)
    kind = BY_SPECIAL.get(word) or BY_CSA.get(word) or find(word)
    if kind is None:
        return word, None
    name = "foul" if "ILLEGAL" in (kind.special or "") else kind.special or kind.word
    return name, outcome(kind, turn)


def differences(case: Case, peer: str, file_format: str, answer: dict[str, Any]) -> set[str]:
    """What a peer reads otherwise than we wrote it: parts of `TELLS`, or `refused`."""
    if "refused" in answer:
        return {"refused"}
    theirs = answer["lines"]
    ours = lines(case.entries, forks=file_format != "csa")
    turn = case.turn ^ (case.plies & 1)
    other = case.kind.word if case.kind is not None else None
    special = next((entry["special"] for entry in ours if "special" in entry), other)
    found = {
        "position": " ".join(answer["sfen"].split()[:3]) != position(case),
        "moves": moves(theirs) != moves(ours),
        "forks": tree(theirs) != tree(ours),
        "comments": said(theirs) != said(ours),
        "winner": answer.get("winner") != case.result,
        "ending": ending(next((one["special"] for one in theirs if "special" in one), None), turn)
        != ending(special, turn),
    }
    compared = TELLS[peer] & (HOLDS[file_format] | {"position", "moves"})
    if any(issue.code == "lost-ending" for issue in losses(case.game, file_format)):
        compared -= {"ending", "winner"}
    different = {name for name in compared if found[name]}
    return different - {"forks"} if "moves" in different else different
