"""Hostile uploads: nothing crashes, no limit is passed, everything has a reason.

KIFU_HOSTILE=full runs the long form: 100,000 files in one ZIP, 10,000 mutated records.
"""

from __future__ import annotations

import io
import os
import time
from random import Random

import pytest

from archive.derive import issues
from archive.derive.game import DerivedEntry
from archive.intake.reader import read_part
from archive.intake.walk import walk
from archive.management.commands.sample_games import sample_files
from archive.models import Entry, Upload
from kifu_core.containers.walk import FilePart
from tests.archive.games import BROKEN, CSA, KIF, UNREADABLE, stored
from tests.containers import tarred, zipped

FULL = os.environ.get("KIFU_HOSTILE") == "full"
TINY = 100_000 if FULL else 5_000
MUTATED = 10_000 if FULL else 400
SLOWEST = 5.0
SEED = 20_240_501


def records() -> list[bytes]:
    """Records of several programs to begin from."""
    texts = [
        text.encode(encoding) for text in (KIF, CSA, BROKEN, UNREADABLE) for encoding in ("utf-8", "cp932")
    ]
    return texts + [path.read_bytes() for path in sample_files()]


def mutated(data: bytes, dice: Random) -> bytes:
    """The bytes with some changed, taken out, doubled, moved, or cut off."""
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5, 30))):
        at = dice.randrange(len(changed)) if changed else 0
        end = min(len(changed), at + dice.choice((1, 2, 10, 200)))
        match dice.randrange(7):
            case 0:
                changed[at:end] = dice.randbytes(end - at)
            case 1:
                del changed[at:end]
            case 2:
                changed[at:at] = changed[at:end] * dice.choice((1, 2, 50))
            case 3:
                changed[at:at] = dice.choice(
                    (b"\0", b"\r", b"\n", b"/\n", b"\xff", b"\x1b$B", b"{", "変化：1手\n".encode())
                )
            case 4:
                del changed[end:]
            case 5:
                changed[at:end] = changed[at:end][::-1]
            case _:
                changed[at:at] = dice.choice((b"9" * 400, b"(" * 400, b"'" * 40, "　".encode() * 400))
    return bytes(changed)


def wrong_with(part: FilePart) -> list[str]:
    """Faults of the entries that a part is read into, one sentence each."""
    began, entries = time.process_time(), list(read_part(part, "hostile.kif"))
    wrong = ["slow"] if time.process_time() - began > SLOWEST else []
    return wrong + faults(entries)


def faults(entries: list[DerivedEntry]) -> list[str]:
    wrong = ["no entry"] if not entries else []
    for entry in entries:
        if entry.game is None and not any(issue.severity == "error" for issue in entry.issues):
            wrong.append(f"failed without a reason: {entry.issues}")
        wrong += [f"fault: {issue}" for issue in entry.issues if issue.code == "internal-error"]
        wrong += [f"no text for {issue.code}" for issue in entry.issues if message(issue) == issue.code]
    return wrong


def message(issue) -> str:
    return issues.as_json(issues.as_stored(issue))["message"]


def test_mutated_records_are_read_or_refused_with_a_reason():
    dice, begin = Random(SEED), records()
    wrong = []
    for number in range(MUTATED):
        data = mutated(dice.choice(begin), dice)
        found = wrong_with(FilePart("", data)) if data else []
        wrong += [(number, text) for text in found]
    assert wrong == []


@pytest.mark.django_db
def test_mutated_records_can_be_stored():
    dice, begin = Random(SEED + 1), records()
    files = [(f"{number}.kif", mutated(dice.choice(begin), dice)) for number in range(80)]
    upload = stored(zipped(*files), "mutated.zip")
    assert upload.state == Upload.State.DONE
    assert set(Entry.objects.values_list("path", flat=True)) == {name for name, _ in files}


def test_mutated_containers_are_read_or_refused_with_a_reason():
    dice = Random(SEED)
    files = [(f"{number}.kif", KIF.encode()) for number in range(5)]
    begin = [zipped(*files), *(tarred(*files, mode=mode) for mode in ("w", "w:gz", "w:bz2", "w:xz"))]
    for _ in range(MUTATED):
        data = mutated(dice.choice(begin), dice)
        if not data:
            continue
        found = list(walk(io.BytesIO(data), "hostile.zip"))
        assert found != []
        assert [part.number for part in found] == list(range(len(found)))
        assert not any(part.issue.code == "internal-error" for part in found if part.issue)


@pytest.mark.django_db
def test_very_many_tiny_files_all_get_an_entry(settings):
    settings.ARCHIVE_MAX_ENTRIES = TINY - 1
    upload = stored(zipped(*((f"{number}", b"x") for number in range(TINY))), "tiny.zip")
    entries = Entry.objects.filter(upload=upload).order_by("seq").values_list("path", "issues")
    assert [path for path, _ in entries] == [f"{number}" for number in range(TINY)]
    too_many = [path for path, issues in entries if issues[0]["code"] == "too-many-entries"]
    assert too_many == [f"{TINY - 1}"]


@pytest.mark.django_db
def test_strange_names_and_bombs_in_one_upload_leave_the_good_game(settings):
    names = ["../../etc/passwd", "a\0b.kif", "x" * 5000, "\u202egpj.kif", "", "/", "..", "con.kif", "🐉.kif"]
    files = [(name, b"no record") for name in names]
    bomb = zipped(("inner", bytes(20_000_000)))
    upload = stored(zipped(*files, ("bomb.zip", bomb), ("good.kif", KIF.encode())), "hostile.zip")
    assert upload.state == Upload.State.DONE
    states = dict(Entry.objects.values_list("path", "state"))
    assert states["good.kif"] == "stored"
    assert states["bomb.zip/inner"] == "failed"
    assert all(len(path) <= 1000 and "\0" not in path for path in states)
    assert not any(entry.issues == [] for entry in Entry.objects.filter(state="failed"))


@pytest.mark.parametrize(
    "text",
    [
        "'" * 1_000_000,
        "変化：1手\n" * 20_000,
        "+7776FU," * 100_000,
        "/\n" * 100_000,
        "手合割：" * 50_000,
        "{" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "1 ７六歩(77)\n" * 30_000,
        "▲" * 300_000,
        "position startpos moves " + "7g7f " * 60_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_the_time_to_read_long_repetitions_grows_with_their_length(text):
    """A quadratic reader takes 16 times as long for four times the text; a busy processor doubles a time."""
    quarter, _ = seconds_and_entries(text[: len(text) // 4])
    complete, entries = seconds_and_entries(text)
    assert faults(entries) == []
    assert complete <= 10 * max(quarter, 0.1)


def seconds_and_entries(text: str) -> tuple[float, list[DerivedEntry]]:
    began = time.process_time()
    entries = list(read_part(FilePart("", text.encode()), "hostile.kif"))
    return time.process_time() - began, entries
