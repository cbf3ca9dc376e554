"""The bytes of uploads and the history of corrections are enough to build the archive again.

`KIFU_SEQUENCES=long` builds 200 archives in place of 12.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

import pytest

from archive import store
from archive.derive.name_operations import NameEditError
from archive.intake import worker
from archive.models import Correction, CorrectionEvent, Entry, Game, Player, Upload, UploadChunk, User
from archive.store import Author, people
from archive.store.verify import verify
from tests.archive.games import KIF
from tests.archive.test_invariants import correct, correct_name, undo_or_apply_again, wipe

ARCHIVES = 200 if os.environ.get("KIFU_SEQUENCES") == "long" else 12
STEPS = 12

pytestmark = pytest.mark.django_db(transaction=True)

Where = tuple[str, int]
"""The hash of an upload, and the number of an entry in it."""


def texts() -> list[str]:
    """Records of a few games, with editions that say more, less and other things."""
    more = KIF.replace("   8 投了         ( 0:08/00:00:20)\nまで7手で先手の勝ち\n", "")
    more += "   8 ４四歩(43)\n   9 ９六歩(97)\n  10 ９四歩(93)\n  11 １六歩(17)\n  12 投了\n"
    plain = [more.replace("先手の人", name) for name in "甲乙丙"]
    commented = [text.replace("   3 ２二角成", "*角交換\n   3 ２二角成") for text in plain]
    undated = [text.replace("開始日時：2024/05/01\n", "") for text in plain]
    return [*plain, *commented, *undated, "\n".join(plain[:2]), more.replace("先手：先手の人\n", "")]


@dataclass(frozen=True)
class Step:
    """Bytes that came, or an event in the history of a correction."""

    at: datetime
    data: bytes = b""
    event: str = ""
    correction: int = 0


def send(data: bytes) -> None:
    upload, _new = store.create_upload("game.kif", [data], source="command")
    worker.work_off(upload.pk)


def live(random: Random, user: User) -> None:
    """Uploads, corrections, undone ones and merged players, in any order."""
    send(random.choice(texts()).encode())
    for _ in range(STEPS):
        action = random.choice(("send", "send", "correct", "correct", "undo", "name"))
        if action == "send":
            send(random.choice(texts()).encode())
        elif action == "correct":
            correct(random, user)
        elif action == "undo":
            undo_or_apply_again(random, user)
        else:
            correct_name(random, user)


def bytes_of(upload: Upload) -> bytes:
    return b"".join(UploadChunk.objects.filter(upload=upload).order_by("n").values_list("bytes", flat=True))


def history() -> list[Step]:
    uploads = [Step(upload.received, data=bytes_of(upload)) for upload in Upload.objects.all()]
    # The archive notes by itself which corrections fail, and apply again.
    steps = CorrectionEvent.objects.exclude(account=None)
    events = [Step(event.at, event=event.event, correction=event.correction_id) for event in steps]
    return sorted([*uploads, *events], key=lambda step: step.at)


@dataclass(frozen=True)
class Proposal:
    """A correction as it can be proposed in another archive."""

    subject: str
    where: Where | str
    operations: list[Any]


def proposals() -> dict[int, Proposal]:
    result = {}
    for row in Correction.objects.all():
        if row.subject == "game":
            sha256, seq = Entry.objects.values_list("upload__sha256", "seq").get(pk=row.entry)
            result[row.pk] = Proposal("game", (sha256, seq), row.operations)
        else:
            result[row.pk] = Proposal("player", key_of(row.subject_id), [with_key(row.operations[0])])
    return result


def key_of(player: int) -> str:
    """The key of a player, also of one whose name was taken down."""
    row = Player.objects.get(pk=player)
    return str((row.taken_down or {}).get("key", row.key))


def with_key(operation: dict[str, Any]) -> dict[str, Any]:
    return operation | ({"into": key_of(operation["into"])} if "into" in operation else {})


def rebuild(steps: list[Step], known: dict[int, Proposal], user: User) -> None:
    rows: dict[int, int] = {}
    for step in steps:
        if step.data:
            send(step.data)
        else:
            repeat(step, known[step.correction], rows, user)


def repeat(step: Step, proposal: Proposal, rows: dict[int, int], user: User) -> None:
    if proposal.subject == "player":
        repeat_name(step, proposal, rows, user)
    elif step.event == "proposed":
        sha256, seq = proposal.where
        game = Game.objects.get(entries__upload__sha256=sha256, entries__seq=seq)
        rows[step.correction] = store.propose_correction(game, proposal.operations, "", Author(user)).pk
    elif step.event == "undone":
        store.undo_corrections([rows[step.correction]], Author(user))
    else:
        store.apply_correction(rows[step.correction], Author(user))


def repeat_name(step: Step, proposal: Proposal, rows: dict[int, int], user: User) -> None:
    if step.event == "applied":
        operation = dict(proposal.operations[0])
        if "into" in operation:
            operation["into"] = Player.objects.get(key=operation["into"]).pk
        subject = Player.objects.get(key=proposal.where).pk
        rows[step.correction] = people.correct_name("player", subject, [operation], user, apply=True).pk
    elif step.event != "proposed":
        change = people.undo_name if step.event == "undone" else people.restore_name
        with suppress(NameEditError):
            change(rows[step.correction], user)


def content() -> list[Any]:
    """The games with their people and corrections, without the numbers of rows."""
    return sorted(
        (
            bytes(game.digest).hex(), game.corrected, repr(game.jkf), repr(game.stored.parsed_facts),
            *(key_of(player) if player else "" for player in (game.player0_id, game.player1_id)),
            [(row.number, row.state, row.operations) for row in corrections_of(game)],
            sorted(game.entries.values_list("upload__sha256", "seq", "state")),
        )
        for game in Game.objects.select_related("stored", "player0", "player1")
    )  # fmt: skip


def corrections_of(game: Game) -> list[Correction]:
    rows = Correction.objects.filter(subject="game", subject_id=game.pk, number__isnull=False)
    return list(rows.order_by("number"))


@pytest.mark.parametrize("number", range(ARCHIVES))
def test_an_archive_is_built_again_from_bytes_and_operations(number):
    user = User.objects.create_user("anna")
    live(Random(number), user)
    before, steps, known = content(), history(), proposals()
    assert not list(verify())
    wipe()
    rebuild(steps, known, user)
    assert content() == before
    assert not list(verify())
