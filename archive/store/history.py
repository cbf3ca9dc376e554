"""The rows of corrections that follow from writing their game, and the identities of its editions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from archive.derive.corrections import GameCorrection
from archive.derive.game import DerivedGame
from archive.models import Correction, CorrectionEvent, GameIdentity
from archive.store.existing import ACTIVE

GAME = Correction.Subject.GAME
State = Correction.State
Event = CorrectionEvent.Event


def write(pk: int, corrections: Sequence[GameCorrection], derived: DerivedGame) -> None:
    """Write which corrections of a game apply now, and the identity of the union of its editions."""
    for each in corrections:
        failed = derived.failures.get(each.id)
        if failed == each.failed:
            continue
        state = State.APPLIED if failed is None else State.FAILED
        changed = Correction.objects.filter(pk=each.id).exclude(state=state)
        if changed.update(state=state, failed_operation=failed):
            event = Event.APPLIED if failed is None else Event.FAILED
            CorrectionEvent.objects.create(correction_id=each.id, event=event)
    if derived.base is not None:
        remember([(derived.base, pk)])


def remember(editions: Iterable[tuple[DerivedGame, int]]) -> None:
    """Remember the identities of editions as uploaded, each with the id of its game."""
    GameIdentity.objects.bulk_create(
        [
            GameIdentity(space=game.space, digest=game.digest, stem=game.stem, game_id=pk)
            for game, pk in editions
        ],
        ignore_conflicts=True,
    )


def remember_shown(games: Iterable[tuple[DerivedGame, int]]) -> None:
    """Remember the identities of masked games as they are shown, each with its id: their downloaded records
    find the games."""
    remember((replace(game, digest=game.shown_digest), pk) for game, pk in games if game.masked)


def follow(pk: int, home: int) -> None:
    """Let the corrections and identities of a game that is merged into another one follow it."""
    GameIdentity.objects.filter(game=pk).update(game=home)
    moved = Correction.objects.filter(subject=GAME, subject_id=pk)
    last = Correction.objects.filter(subject=GAME, subject_id=home).order_by("-number").first()
    offset = (last.number or 0) if last else 0
    for row in moved.order_by("number", "pk"):
        if row.number is not None:
            row.number += offset
        row.subject_id = home
        row.save(update_fields=["subject_id", "number"])


def release(pk: int) -> None:
    """Make the corrections of a game proposals again, because its record is now read as another game."""
    for row in Correction.objects.filter(subject=GAME, subject_id=pk, state__in=ACTIVE):
        Correction.objects.filter(pk=row.pk).update(state=State.PROPOSED, failed_operation=None)
        CorrectionEvent.objects.create(
            correction_id=row.pk, event=Event.FAILED, text="the record is now read as another game"
        )


def move(pk: int, to: int) -> None:
    """Let the corrections and identities of a game follow it to another space. Corrections that name people
    of its former space are undone."""
    there = GameIdentity.objects.filter(space=to).values("digest")
    GameIdentity.objects.filter(game=pk, digest__in=there).delete()
    GameIdentity.objects.filter(game=pk).update(space=to)
    rows = Correction.objects.filter(subject=GAME, subject_id=pk)
    rows.update(space=to)
    for row in rows.filter(state__in=(State.PROPOSED, State.APPLIED, State.FAILED)):
        if any(operation["op"] == "player" for operation in row.operations):
            rows.filter(pk=row.pk).update(state=State.UNDONE)
            CorrectionEvent.objects.create(
                correction_id=row.pk, event=Event.UNDONE, text="the game moved to another library"
            )
