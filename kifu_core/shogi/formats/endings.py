"""Count the parts of a record that formats may lose, and the endings that a format can write."""

from collections import Counter
from collections.abc import Iterator

from kifu_core.deadline import watched
from kifu_core.formats import PartCounts
from kifu_core.jkf import Record
from kifu_core.record import Ending
from kifu_core.shogi.formats.writing import WrittenBranch, branches, implies_winner, unnamed_ending_kind
from kifu_core.shogi.specials import BY_SPECIAL, EndingKind, usual_winner


def count_parts(record: Record) -> PartCounts:
    """Count each part but headers and endings; of forks also their own times and comments."""
    counts: PartCounts = Counter()
    for number, branch in enumerate(branches(record)):
        counts["forks"] += number > 0
        for entry in watched(branch.entries):
            counts["moves"] += "move" in entry
            counts["times"] += "time" in entry
            if number:
                counts["fork times"] += "time" in entry
                texts = entry.get("comments", ())
                counts["fork comments"] += sum(not text.startswith("&") for text in texts)
    for comments in _comments(record):
        marks = sum(comment.startswith("&") for comment in comments)
        counts["bookmarks"] += marks
        counts["comments"] += len(comments) - marks
    return counts


def _comments(record: Record) -> Iterator[list[str]]:
    for entry in record["moves"][:1]:
        yield entry.get("comments", [])
    for branch in branches(record):
        for entry in watched(branch.entries):
            yield entry.get("comments", [])


class Endings:
    """The endings that a format can write: here, all that JKF has names for.

    With `one_per_line`, each line, variations included, has one ending after its last move. Other formats
    keep all endings of the main line.
    """

    one_per_line = False

    def has_jkf_word(self, branch: WrittenBranch, special: str) -> bool:
        """Return whether the format has a word for an ending of JKF at the end of a line."""
        return True

    def has_word(self, ending: Ending, kind: EndingKind, turn: int) -> bool:
        """Return whether the format has a word for an ending without a name in JKF."""
        return False

    def names_winner(
        self, record: Record, main: WrittenBranch, ending: Ending, kind: EndingKind | None, turn: int
    ) -> bool:
        """Return whether the written ending of the main line implies the winner."""
        return implies_winner(ending, turn, problem=_is_drawn(record))

    def lost(self, record: Record, ending: Ending | None) -> int:
        """Count the endings without a word, without a word that implies the winner, or without a place.

        Endings of lost variations do not count.
        """
        return sum(
            self._count_lost_in_line(record, branch, ending)
            for branch in branches(record, ending)
            if branch.is_main or self.one_per_line
        )

    def _count_lost_in_line(self, record: Record, branch: WrittenBranch, ending: Ending | None) -> int:
        """Count the lost endings of a line; one that is repeated, as by shogi-server, counts once."""
        lost, last = 0, -1
        endings: list[tuple[int, str]] = []
        for index, entry in enumerate(watched(branch.entries)):
            if "move" in entry:
                last = index
            elif index == branch.closing or "special" in entry:
                endings.append((index, entry.get("special", "")))
        for number, (index, special) in enumerate(watched(endings)):
            if self.one_per_line and (index < last or special != endings[0][1]):
                lost += 1
            elif self.one_per_line and number:
                continue
            elif ending is not None and index == branch.closing:
                lost += not self._keeps_winner(record, branch, ending)
            else:
                lost += not self.has_jkf_word(branch, special)
        return lost

    def _keeps_winner(self, record: Record, main: WrittenBranch, ending: Ending) -> bool:
        """Return whether the format has a word for the ending of the main line that implies the same
        winner."""
        turn = main.turn ^ (ending.ply & 1)
        if ending.special is None:
            kind = unnamed_ending_kind(ending, turn)
            if kind is None or not self.has_word(ending, kind, turn):
                return False
        elif not self.has_jkf_word(main, ending.special):
            return False
        return self.names_winner(record, main, ending, BY_SPECIAL.get(ending.special or ""), turn)


class JkfEndings(Endings):
    """Endings by JKF's names alone, which imply the winner."""

    def names_winner(
        self, record: Record, main: WrittenBranch, ending: Ending, kind: EndingKind | None, turn: int
    ) -> bool:
        return kind is not None and usual_winner(kind, turn, problem=_is_drawn(record)) == ending.winner


class NoEndings(Endings):
    """No words for endings at all."""

    def has_jkf_word(self, branch: WrittenBranch, special: str) -> bool:
        return False


def _is_drawn(record: Record) -> bool:
    return "data" in record.get("initial", {})
