"""The curators' bench: what in the public games waits for a decision, by kind, with its possible answers.

Each kind is an entry of `KINDS`. Pages are read newest first from a number on. A kind without an index of its
own examines a limited number of rows for a page, which may then be empty and still have a next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from archive import store
from archive.accounts.audit import note
from archive.curation import corrections, names
from archive.curation.errors import CurationError
from archive.derive.game import SHORT_PLIES
from archive.intake import tasks
from archive.models import AuditEvent, Correction, Entry, Game, Player, Report, User
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

PAGE: Final = 30
EXAMINED: Final = 1_000
"""Rows that one page examines at most."""
MOST_COUNTED: Final = 1_000

State = Correction.State
Answer = Callable[[User, int], object]


@dataclass(frozen=True, slots=True)
class BenchPage:
    """Rows of a kind, and the number before which there may be more; None if there are none."""

    rows: list[Any]
    next: int | None


@dataclass(frozen=True, slots=True)
class BenchKind:
    """A kind of open questions. `undo` has the opposites of those answers that have one."""

    title: _StrOrPromise
    page: Callable[[int | None], BenchPage]
    count: Callable[[], int] | None = None
    """Returns the number of rows, at most `MOST_COUNTED` + 1; None if they cannot be counted quickly."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    undo: Mapping[str, Answer] = field(default_factory=dict)


def perform(kind: str, answer: str, user: User, pk: int) -> None:
    """Give an answer of a kind. Raises CurationError, KeyError for an unknown one."""
    KINDS[kind].answers[answer](user, pk)


def undo(kind: str, answer: str, user: User, pk: int) -> None:
    """Undo an answer. Raises CurationError, KeyError for one that cannot be undone."""
    KINDS[kind].undo[answer](user, pk)


def _listed(rows: QuerySet[Any]) -> tuple[Callable[[int | None], BenchPage], Callable[[], int]]:
    """Return page and count of the rows of an indexed query."""

    def page(before: int | None) -> BenchPage:
        found = list((rows if before is None else rows.filter(pk__lt=before)).order_by("-pk")[: PAGE + 1])
        return BenchPage(found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None)

    return page, lambda: len(rows.order_by().values_list("pk")[: MOST_COUNTED + 1])


def _examined(
    rows: QuerySet[Any], chosen: Callable[[Sequence[Any]], list[Any]]
) -> Callable[[int | None], BenchPage]:
    """Return the pages of those among the next `EXAMINED` rows that `chosen` returns."""

    def page(before: int | None) -> BenchPage:
        window = list((rows if before is None else rows.filter(pk__lt=before)).order_by("-pk")[:EXAMINED])
        found = chosen(window)
        if len(found) > PAGE:
            return BenchPage(found[:PAGE], found[PAGE - 1].pk)
        return BenchPage(found, window[-1].pk if len(window) == EXAMINED else None)

    return page


# --- reports ---------------------------------------------------------------------------------------------


def _settle(user: User, pk: int) -> None:
    if not Report.objects.filter(pk=pk, settled=None).update(settled=timezone.now(), settled_by=user):
        raise CurationError("not-open")


def _open_again(_user: User, pk: int) -> None:
    Report.objects.filter(pk=pk).update(settled=None, settled_by=None)


# --- corrections -----------------------------------------------------------------------------------------


def _act(action: str) -> Answer:
    def act(user: User, pk: int) -> None:
        row = Correction.objects.filter(pk=pk).first()
        if row is None:
            raise CurationError("not-open")
        module = corrections if row.subject == Correction.Subject.GAME else names
        module.perform(action, user, row)

    return act


def _reopen(user: User, pk: int) -> None:
    """Let a rejected proposal wait again."""
    if not Correction.objects.filter(pk=pk, state=State.REJECTED).update(state=State.PROPOSED):
        raise CurationError("not-open")
    store.Author(user).note(pk, corrections.Event.PROPOSED)


# --- entries ---------------------------------------------------------------------------------------------


def _read_again(user: User, pk: int) -> None:
    upload = Entry.objects.values_list("upload_id", flat=True).filter(pk=pk).first()
    if upload is None or not store.retry(upload):
        raise CurationError("not-open")
    note(AuditEvent.REREAD, user, f"upload {upload}: what failed")
    tasks.enqueue(upload)


def _let_in(user: User, pk: int) -> None:
    entry = Entry.objects.filter(pk=pk, state=Entry.State.HELD).first()
    if entry is None:
        raise CurationError("not-open")
    note(AuditEvent.LET_IN, user, f"upload {entry.upload_id}, entry {entry.seq}")
    store.release_held([pk])


def _with_issues(rows: Sequence[Entry]) -> list[Entry]:
    return [row for row in rows if row.issues]


# --- games and names -------------------------------------------------------------------------------------

_ODD: Final = re.compile(r"[0-9０-９?？!！@＠=＝<>＜＞…〜～、。:：;；/／()（）\[\]「」]|.{16}")


def _odd(rows: Sequence[Player]) -> list[Player]:
    return [row for row in rows if _ODD.search(row.name)]


def _twins(rows: Sequence[Game]) -> list[Game]:
    others = Game.objects.filter(stem=OuterRef("stem"), space=PUBLIC).exclude(pk=OuterRef("pk"))
    of_twins = Game.objects.filter(Exists(others), pk__in=[row.pk for row in rows], plies__gte=SHORT_PLIES)
    pks = set(of_twins.values_list("pk", flat=True))
    return [row for row in rows if row.pk in pks]


_OF_DELETED: Final = Q(subject=Correction.Subject.GAME) & ~Exists(
    Game.objects.filter(pk=OuterRef("subject_id"))
)
_CORRECTIONS: Final = Correction.objects.filter(space=PUBLIC).exclude(_OF_DELETED)
_PROPOSED: Final = _CORRECTIONS.filter(state=State.PROPOSED)
_FAILED: Final = _CORRECTIONS.filter(state=State.FAILED)
_GAMES: Final = Game.objects.filter(space=PUBLIC).select_related("player0", "player1", "event")
_ENTRIES: Final = (
    Entry.objects.filter(upload__space=PUBLIC)
    .select_related("upload")
    .defer("record", "parsed_facts", "beyond_jkf")
)

KINDS: Final[Mapping[str, BenchKind]] = {
    "reports": BenchKind(
        _("Reports of visitors"),
        *_listed(Report.objects.filter(settled=None)),
        {"accept": _settle},
        {"accept": _open_again},
    ),
    "proposals": BenchKind(
        _("Proposed corrections"),
        *_listed(_PROPOSED),
        {"accept": _act("accept"), "reject": _act("reject")},
        {"accept": _act("undo"), "reject": _reopen},
    ),
    "failed": BenchKind(
        _("Failed prerequisites"), *_listed(_FAILED), {"reject": _act("undo")}, {"reject": _act("accept")}
    ),
    "held": BenchKind(
        _("Games held for the staff"),
        _examined(_ENTRIES, lambda rows: [row for row in rows if row.state == Entry.State.HELD]),
        None,
        {"accept": _let_in},
    ),
    "entries": BenchKind(
        _("Records that could not be read"),
        _examined(_ENTRIES, lambda rows: [row for row in rows if row.state == Entry.State.FAILED]),
        None,
        {"accept": _read_again},
    ),
    "warnings": BenchKind(_("Records with findings"), _examined(_ENTRIES, _with_issues)),
    "days": BenchKind(
        _("Games without a day"), *_listed(_GAMES.filter(played=0, record_kind=Game.RecordKind.GAME))
    ),
    "twins": BenchKind(_("Likely twins"), _examined(_GAMES, _twins)),
    "names": BenchKind(_("Odd names"), _examined(Player.objects.filter(space=PUBLIC), _odd)),
}
