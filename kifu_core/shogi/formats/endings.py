"""What a record has that formats may lose: how much of each part, and which endings a format can tell."""

from collections import Counter
from collections.abc import Iterator

from kifu_core.deadline import watched
from kifu_core.formats import PartCounts
from kifu_core.jkf import Record
from kifu_core.record import Ending
from kifu_core.shogi.formats.writing import WrittenBranch, branches, tells_winner, unnamed_ending_kind
from kifu_core.shogi.specials import BY_SPECIAL, EndingKind, usual_winner


def count_parts(record: Record) -> PartCounts:
    """Count each part but headers and endings; of forks also their own times and comments."""
    found: PartCounts = Counter()
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
    for entry in record["moves"][:1]:
        yield entry.get("comments", [])
    for branch in branches(record):
        for entry in watched(branch.entries):
            yield entry.get("comments", [])


class Endings:
    """What a format can tell of how lines end. This one has words for all that JKF has names for.

    `once` is a format whose lines, variations too, have room for one ending, behind the last move; the others
    keep those of the main line.
    """

    once = False

    def writes(self, branch: WrittenBranch, special: str) -> bool:
        """Tell whether there is a word for an ending of JKF at the end of a line."""
        return True

    def says(self, ending: Ending, kind: EndingKind, turn: int) -> bool:
        """Tell whether there is a word for an ending that JKF has no name for."""
        return False

    def names_winner(
        self, record: Record, main: WrittenBranch, ending: Ending, kind: EndingKind | None, turn: int
    ) -> bool:
        """Tell whether what is written of the main line's ending names the side that has won."""
        return tells_winner(ending, turn, problem=_is_drawn(record))

    def lost(self, record: Record, ending: Ending | None) -> int:
        """Count the endings that have no word, none that says who won, or no place.

        Those of lost variations do not count.
        """
        return sum(
            self._lost_of_line(record, branch, ending)
            for branch in branches(record, ending)
            if branch.is_main or self.once
        )

    def _lost_of_line(self, record: Record, branch: WrittenBranch, ending: Ending | None) -> int:
        """Count the lost endings of a line; one that is repeated, as by shogi-server, counts once."""
        lost, last = 0, -1
        found: list[tuple[int, str]] = []
        for index, entry in enumerate(watched(branch.entries)):
            if "move" in entry:
                last = index
            elif index == branch.closing or "special" in entry:
                found.append((index, entry.get("special", "")))
        for number, (index, special) in enumerate(watched(found)):
            if self.once and (index < last or special != found[0][1]):
                lost += 1
            elif self.once and number:
                continue
            elif ending is not None and index == branch.closing:
                lost += not self._tells(record, branch, ending)
            else:
                lost += not self.writes(branch, special)
        return lost

    def _tells(self, record: Record, main: WrittenBranch, ending: Ending) -> bool:
        """Tell whether the format has a word for the ending of the main line that implies the same winner."""
        turn = main.turn ^ (ending.ply & 1)
        if ending.special is None:
            kind = unnamed_ending_kind(ending, turn)
            if kind is None or not self.says(ending, kind, turn):
                return False
        elif not self.writes(main, ending.special):
            return False
        return self.names_winner(record, main, ending, BY_SPECIAL.get(ending.special or ""), turn)


class JkfEndings(Endings):
    """Endings by JKF's names alone: who has won follows from them."""

    def names_winner(
        self, record: Record, main: WrittenBranch, ending: Ending, kind: EndingKind | None, turn: int
    ) -> bool:
        return kind is not None and usual_winner(kind, turn, problem=_is_drawn(record)) == ending.winner


class NoEndings(Endings):
    """No words for endings at all."""

    def writes(self, branch: WrittenBranch, special: str) -> bool:
        return False


def _is_drawn(record: Record) -> bool:
    return "data" in record.get("initial", {})
