"""What the faults happen to: an archive with an upload of many games, and what must be true after each."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache

from django.utils import timezone

from archive import store
from archive.index import schema
from archive.intake import reader, worker
from archive.intake.walk import walk
from archive.models import Entry, Game, Upload
from archive.store import verify
from benchmarks import generate
from tests.archive.games import BROKEN, CSA, UNREADABLE
from tests.containers import zipped

HOT_GAMES = 20
"""Keys have counters from so few games on, so that most batches change some."""

SAMPLE = 50
"""Games that are derived again after each fault; all of them at the end."""


class Broken(AssertionError):
    """Something that must always be true is not."""


def make_hot() -> None:
    """Let this process keep counters as a much larger archive would, and store a pile in several batches."""
    setattr(schema, "HOT_GAMES", HOT_GAMES)  # noqa: B010 - a constant everywhere else
    worker.BATCH_ENTRIES = 30


@cache
def pile(numbers: range) -> bytes:
    """A ZIP of these games: most in a large collection, single files in two encodings, a duplicate of each
    tenth, files that break off, cannot be read or are none."""
    single = len(numbers) // 4
    collection, rest = numbers[: len(numbers) - single], numbers[len(numbers) - single :]
    files = [("collection.csa", generate.csa_file(collection).encode())]
    for number in rest:
        text = generate.csa(number)
        files.append((f"{number}.csa", text.encode("cp932" if number % 2 else "utf-8")))
        if number % 10 == 0:
            files.append((f"again/{number}.csa", text.encode()))
        if number % 25 == 0:
            files.append((f"broken/{number}.kif", BROKEN.replace("甲", f"甲{number}").encode()))
            files.append((f"failed/{number}.kif", UNREADABLE.encode()))
            files.append((f"failed/{number}.txt", b"hello"))
    return zipped(*files, ("last.csa", CSA.encode()))


Found = tuple[int, str, int, bytes | None]
"""Number, path and place of an entry, and its game's digest."""


@dataclass
class World:
    """An upload, what it must come to, and how."""

    upload: int
    data: bytes
    expected: Sequence[Found]

    @classmethod
    def with_pile(cls, games: int) -> World:
        """Store the pile as an upload and read it once, undisturbed, to know what it must come to."""
        return cls.of(pile(range(games)))

    @classmethod
    def of(cls, data: bytes) -> World:
        upload, _ = store.create_upload("pile.zip", [data], source="command")
        return cls(upload.pk, data, _expected(data))

    def again(self) -> World:
        """The same games in another upload, of which nothing is new."""
        data = self.data + b"\0"
        upload, _ = store.create_upload("pile again.zip", [data], source="command")
        return replace(self, upload=upload.pk, data=data)

    @property
    def state(self) -> str:
        return Upload.objects.values_list("state", flat=True).get(pk=self.upload)

    @property
    def count(self) -> int:
        """Entries that are there."""
        return Entry.objects.filter(upload=self.upload).count()

    def let_claims_run_out(self) -> None:
        """As if the time had passed in which a silent worker is taken to be alive."""
        past = timezone.now() - timedelta(seconds=1)
        Upload.objects.filter(pk=self.upload, claimed_until__isnull=False).update(claimed_until=past)

    def check_so_far(self) -> int:
        """What must be true at any time; the number of entries. Raises Broken."""
        count = self._check_entries()
        self._check_games()
        return count

    def _check_entries(self) -> int:
        rows = Entry.objects.filter(upload=self.upload).order_by("seq")
        found = list(rows.values_list("seq", "path", "index", "game__digest", "state"))
        there = [
            (seq, path, index, bytes(digest) if digest else None) for seq, path, index, digest, _ in found
        ]
        if there != list(self.expected[: len(there)]):
            wrong = next(pair for pair in zip(there, self.expected, strict=False) if pair[0] != pair[1])
            raise Broken(f"an entry is not as it should be: {wrong}")
        for *_, digest, state in found:
            if (digest is None) != (state == Entry.State.FAILED):
                raise Broken(f"an entry is {state} and has {'no' if digest is None else 'a'} game")
        self._check_source()
        return len(there)

    def check_all(self) -> None:
        """What must be true at the end. Raises Broken."""
        self.check_own()
        self._check_games()

    def check_own(self) -> None:
        """The same, but for the games of the whole archive. Raises Broken."""
        count = self._check_entries()
        if self.state != Upload.State.DONE:
            raise Broken(f"the upload is {self.state}")
        if count != len(self.expected):
            raise Broken(f"{count} entries of {len(self.expected)}")
        wanted = {digest for *_, digest in self.expected if digest}
        stored = Entry.objects.filter(upload=self.upload, state=Entry.State.STORED).count()
        if not Entry.objects.exclude(upload=self.upload).exists() and stored != len(wanted):
            raise Broken(f"{stored} entries brought {len(wanted)} games")

    def _check_games(self) -> None:
        digests = Counter(bytes(digest) for digest in Game.objects.values_list("digest", flat=True))
        if digests and max(digests.values()) > 1:
            raise Broken("a game is there twice")
        differences = list(verify.verify(None if self.state == Upload.State.DONE else SAMPLE))
        if differences:
            raise Broken(f"{len(differences)} differences, the first: {differences[0]}")

    def _check_source(self) -> None:
        digest = hashlib.sha256()
        for piece in Upload.objects.get(pk=self.upload).stream():
            digest.update(piece)
        if digest.digest() != hashlib.sha256(self.data).digest():
            raise Broken("the bytes of the upload have changed")


@cache
def _expected(data: bytes) -> Sequence[Found]:
    """Return what a pile must come to, read once for all uploads of it."""
    return tuple(_found(data))


def _found(data: bytes) -> Iterator[Found]:
    seq = index = 0
    for part in walk(io.BytesIO(data), "pile.zip"):
        if part.first:
            index = 0
        for entry in reader.read_part(part, "pile.zip"):
            yield seq, part.path, index, entry.game.digest if entry.game else None
            seq += 1
            index += 1
