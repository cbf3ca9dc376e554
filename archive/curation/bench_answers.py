"""Answers of the bench, and their opposites: each takes the curator and the numbers that name a row, and
raises CurationError if the row is not open any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from archive import store
from archive.accounts.audit import note
from archive.curation import batches, corrections, marks, names, taking_down
from archive.curation.errors import CurationError
from archive.curation.steps import REASON_LENGTH
from archive.curation.tasks import enqueue_batch
from archive.intake import tasks
from archive.models import (
    AuditEvent,
    Correction,
    CorrectionBatch,
    CorrectionEvent,
    Entry,
    Game,
    GameAlias,
    Player,
    Report,
    User,
)
from archive.queries.scope import Scope
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

Answer = Callable[..., object]
"""Takes the curator and the numbers of a row."""

State = Correction.State
_PUBLIC: Final = Scope((PUBLIC,))
REASON_TEXTS: Final[Mapping[str, _StrOrPromise]] = {
    "reading": gettext_lazy("equal readings"),
    "latin": gettext_lazy("equal names in Latin letters"),
    "spelling": gettext_lazy("names that differ in one character"),
    "titles": gettext_lazy("a common title"),
    "years": gettext_lazy("careers that overlap"),
}
"""The reasons for which two players may be one person (`archive.queries.names.same_person`)."""


# --- marks -----------------------------------------------------------------------------------------------


def fine(kind: str, *, later: bool = False) -> tuple[Answer, Answer]:
    """Return the answer that rows of a kind are fine, or wait, and its opposite."""

    def mark(user: User, *key: int) -> None:
        name = Player.objects.filter(pk=key[0]).values_list("name", flat=True) if kind == "names" else ()
        marks.mark(user, kind, *key, text=next(iter(name), ""), later=later)
        note(AuditEvent.CORRECT, user, f"bench: {kind} {key[0]} is {'put off' if later else 'fine'}")

    def unmark(user: User, *key: int) -> None:
        marks.unmark(kind, *key)
        note(AuditEvent.CORRECT, user, f"bench: {kind} {key[0]} is open again")

    return mark, unmark


# --- reports ---------------------------------------------------------------------------------------------


def settle(user: User, pk: int) -> None:
    """Settle a report."""
    if not Report.objects.filter(pk=pk, settled=None).update(settled=timezone.now(), settled_by=user):
        raise CurationError("not-open")
    note(AuditEvent.CORRECT, user, f"bench: report {pk} is settled")


def open_again(user: User, pk: int) -> None:
    """Open a report that was settled."""
    if Report.objects.filter(pk=pk).exclude(settled=None).update(settled=None, settled_by=None):
        note(AuditEvent.CORRECT, user, f"bench: report {pk} is open again")


def take_reported_down(user: User, pk: int) -> None:
    """Take down the game of a report, with the report as the reason, and settle the report."""
    report = Report.objects.filter(pk=pk, settled=None).exclude(game=None).first()
    if report is None:
        raise CurationError("not-open")
    _take_down(user, report.game or 0, ": ".join(filter(None, [report.get_reason_display(), report.text])))
    settle(user, pk)


def restore_reported(user: User, pk: int) -> None:
    """Restore the game of a report, and open the report again."""
    report = Report.objects.filter(pk=pk).exclude(game=None).first()
    if report is None:
        raise CurationError("not-open")
    restore(user, report.game or 0)
    open_again(user, pk)


# --- games that are taken down ---------------------------------------------------------------------------


def take_twin_down(user: User, pk: int) -> None:
    """Take a game down because it is another one once more."""
    _take_down(user, pk, _("The same game as another one"))


def _take_down(user: User, pk: int, reason: str) -> None:
    game = Game.objects.filter(pk=_present(pk), space=PUBLIC).first()
    if game is None:
        raise CurationError("not-open")
    taking_down.take_down(user, game, reason[:REASON_LENGTH], hide_bytes=False)


def _present(pk: int) -> int:
    """Return the id that a game has now: of a game that was restored, another one."""
    return GameAlias.objects.filter(pk=pk).values_list("game", flat=True).first() or pk


def restore(user: User, pk: int) -> None:
    """Restore a game that was taken down, by its former id."""
    taking_down.restore(user, pk, _PUBLIC)


def restore_entry(user: User, pk: int) -> None:
    """Restore the game that was read from an entry."""
    restore(user, _taken_from(pk))


def take_entry_down(user: User, pk: int) -> None:
    """Take the game of an entry down again after it was restored."""
    game = Entry.objects.filter(pk=pk).values_list("game", flat=True).first()
    _take_down(user, game or 0, _("Restored by mistake"))


def _taken_from(pk: int) -> int:
    return Entry.objects.filter(pk=pk).values_list("taken_from", flat=True).first() or 0


# --- corrections -----------------------------------------------------------------------------------------


def act(action: str) -> Answer:
    """Return the answer that takes an action on a correction."""

    def perform(user: User, pk: int) -> None:
        row = Correction.objects.filter(pk=pk).first()
        if row is None:
            raise CurationError("not-open")
        module: Any = corrections if row.subject == Correction.Subject.GAME else names
        module.perform(action, user, row)

    return perform


def try_again(user: User, pk: int) -> None:
    """Apply a failed correction of a name again; those of games do so by themselves."""
    act("accept")(user, pk)
    if Correction.objects.filter(pk=pk, state=State.FAILED).exists():
        raise CurationError("not-applied")


def leave_out(user: User, pk: int) -> None:
    """End a correction that failed: one of a game is undone, one of a name rejected."""
    of_name = Correction.objects.filter(pk=pk).exclude(subject=Correction.Subject.GAME)
    act("reject" if of_name.exists() else "undo")(user, pk)


def take_in(user: User, pk: int) -> None:
    """Let a correction that was left out wait or apply again."""
    if Correction.objects.filter(pk=pk, state=State.REJECTED).exists():
        reopen(user, pk)
    else:
        act("accept")(user, pk)


def reopen(user: User, pk: int) -> None:
    """Let a rejected proposal wait again."""
    _change(user, pk, State.PROPOSED, CorrectionEvent.Event.PROPOSED)


def _change(user: User, pk: int, state: Correction.State, event: CorrectionEvent.Event) -> None:
    if not Correction.objects.filter(pk=pk, state=State.REJECTED).update(state=state):
        raise CurationError("not-open")
    store.Author(user).note(pk, event)


def undo_batch(user: User, pk: int) -> None:
    """Begin to undo an edit of many games."""
    batch = CorrectionBatch.objects.filter(pk=pk).first()
    if batch is None:
        raise CurationError("batch-unfinished")
    batches.undo(user, batch)
    enqueue_batch(pk)


# --- entries ---------------------------------------------------------------------------------------------


def read_again(user: User, pk: int) -> None:
    """Read what failed of the upload of an entry again."""
    upload = Entry.objects.values_list("upload_id", flat=True).filter(pk=pk).first()
    if upload is None or not store.retry(upload):
        raise CurationError("not-open")
    note(AuditEvent.REREAD, user, f"upload {upload}: what failed")
    tasks.enqueue(upload)


def let_in(user: User, pk: int) -> None:
    """Let a held game in."""
    entry = Entry.objects.filter(pk=pk, state=Entry.State.HELD).first()
    if entry is None:
        raise CurationError("not-open")
    note(AuditEvent.LET_IN, user, f"upload {entry.upload_id}, entry {entry.seq}")
    store.release_held([pk])


def hold_again(user: User, pk: int) -> None:
    """Take the game of an entry down that was let in; one that other entries have stays."""
    game = Entry.objects.filter(pk=pk, state=Entry.State.STORED).values_list("game", flat=True).first()
    if game is None or Entry.objects.filter(game=game).exclude(pk=pk).exists():
        raise CurationError("not-open")
    _take_down(user, game, _("Let in by mistake"))


def hide_bytes(user: User, pk: int) -> None:
    """Hide the bytes of an entry without a game from all but the staff."""
    _set_hidden(user, pk, hidden=True)


def show_bytes(user: User, pk: int) -> None:
    """Show the bytes of an entry again."""
    _set_hidden(user, pk, hidden=False)


def _set_hidden(user: User, pk: int, *, hidden: bool) -> None:
    # A game's page shows its records: with a game there is nothing to hide.
    entry = Entry.objects.filter(pk=pk, game=None, hidden=not hidden).first()
    if entry is None or not taking_down.may_take_down(user):
        raise CurationError("not-open")
    what = f"upload {entry.upload_id}, entry {entry.seq}: {'hidden' if hidden else 'shown'}"
    note(AuditEvent.HIDE, user, what)
    Entry.objects.filter(pk=pk, game=None).update(hidden=hidden)


# --- two players who may be one --------------------------------------------------------------------------


def merge_players(user: User, one: int, other: int) -> None:
    """Merge a player into another one."""
    names.correct(user, _player(one), _merge(other), _("The same person"))


def undo_merge(user: User, one: int, other: int) -> None:
    """Undo the merge of two players."""
    act("undo")(user, _latest_merge(one, other, State.APPLIED))


def reject_merge(user: User, one: int, other: int) -> None:
    """Reject the merge of two players: they are not the same person."""
    names.reject(user, _player(one), _merge(other), _("Not the same person"))


def undo_rejection(user: User, one: int, other: int) -> None:
    """Undo the rejection of a merge."""
    pk = _latest_merge(one, other, State.REJECTED)
    _change(user, pk, State.UNDONE, CorrectionEvent.Event.UNDONE)


def _merge(into: int) -> list[Any]:
    return [{"op": "merge", "into": into}]


def _player(pk: int) -> Player:
    player = Player.objects.filter(pk=pk, space=PUBLIC).first()
    if player is None:
        raise CurationError("not-open")
    return player


def _latest_merge(one: int, other: int, state: Correction.State) -> int:
    rows = Correction.objects.filter(subject=Correction.Subject.PLAYER, subject_id=one, state=state)
    for pk, operations in rows.order_by("-pk").values_list("pk", "operations"):
        if any(one.get("op") == "merge" and one.get("into") == other for one in operations):
            return pk
    raise CurationError("not-open")
