"""The curators' bench: one page with everything that waits for a decision, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.accounts.roles import may_curate
from archive.curation import bench
from archive.curation.errors import CurationError
from archive.models import Correction, Entry, Game, Player, Report, User
from archive.queries.games.taken_down import hide_names, hide_paths
from archive.web.curation.operation_texts import OperationText, operation_texts
from archive.web.forms import parse_number
from archive.web.lists.game_search import source_name
from archive.web.replay.game_page import game_title
from archive.web.replay.issue_texts import shown_issues
from archive.web.wording import day_text
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

_LAST: Final = "bench"
"""The key of sessions for the last answer."""
_ISSUES: Final = 2
_TEXT: Final = 300
ANSWER_TEXTS: Final[Mapping[str, Mapping[str, _StrOrPromise]]] = {
    "reports": {"accept": gettext_lazy("Mark as settled")},
    "proposals": {"accept": gettext_lazy("Accept"), "reject": gettext_lazy("Reject")},
    "failed": {"reject": pgettext_lazy("correction", "Undo")},
    "held": {"accept": gettext_lazy("Let it in")},
    "entries": {"accept": gettext_lazy("Read the file again")},
}
_KEYS: Final = {"accept": "a", "reject": "r"}


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the bench. `edit` is the address of the form that corrects its game, if it has one."""

    pk: int
    title: str
    href: str
    detail: str = ""
    edit: str = ""
    operations: tuple[OperationText, ...] = ()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """Show the open questions of a kind, by default of the first kind that has some; POST answers one, or
    undoes the last answer."""
    user = request.user
    if not isinstance(user, User) or not may_curate(user):
        raise PermissionDenied
    if request.method == "POST":
        return _answered(request, user)
    counts = {name: kind.count() if kind.count else None for name, kind in bench.KINDS.items()}
    waiting = next((name for name, count in counts.items() if count), next(iter(counts)))
    name = request.GET.get("kind", waiting)
    if name not in bench.KINDS:
        raise Http404
    page = bench.KINDS[name].page(parse_number(request.GET.get("before", "")))
    context = {
        "kinds": [
            (one, kind.title, _count_text(counts[one]), one == name) for one, kind in bench.KINDS.items()
        ],
        "kind": name,
        "title": bench.KINDS[name].title,
        "items": _items(request, page.rows),
        "answers": [
            (answer, _KEYS[answer], ANSWER_TEXTS[name][answer]) for answer in bench.KINDS[name].answers
        ],
        "next": page.next,
        "last": bool(request.session.get(_LAST)),
    }
    return render(request, "archive/curation/bench.html", context)


def _count_text(count: int | None) -> str:
    if not count:
        return ""
    return str(count) if count <= bench.MOST_COUNTED else f"{bench.MOST_COUNTED}+"


def _answered(request: HttpRequest, user: User) -> HttpResponse:
    kind, answer = request.POST.get("kind", ""), request.POST.get("answer", "")
    pk = parse_number(request.POST.get("item", ""), 18) or 0
    try:
        if answer == "undo":
            kind, *last = request.session.pop(_LAST, None) or ["", "", 0]
            bench.undo(kind, last[0], user, last[1])
            messages.success(request, _("The last answer was undone."))
        else:
            bench.perform(kind, answer, user, pk)
            undoable = answer in bench.KINDS[kind].undo
            request.session[_LAST] = [kind, answer, pk] if undoable else None
    except KeyError:
        if answer != "undo":
            raise Http404 from None
        messages.error(request, _("There is nothing to undo."))
    except CurationError as error:
        messages.error(request, error.text)
    return redirect(f"{reverse('bench')}?kind={kind}" if kind in bench.KINDS else "bench")


# --- rows ------------------------------------------------------------------------------------------------


def _items(request: HttpRequest, rows: list[Any]) -> list[Item]:
    entries = [row for row in rows if isinstance(row, Entry)]
    hide_names(request, [row.upload for row in entries])
    hide_paths(request, entries)
    subjects = [row.subject_id for row in rows if isinstance(row, Correction) and row.subject == "game"]
    kinds = dict(Game.objects.filter(pk__in=subjects).values_list("pk", "kind"))
    return [_correction(row, kinds) if isinstance(row, Correction) else _ITEM[type(row)](row) for row in rows]


def _report(row: Report) -> Item:
    text = " · ".join(filter(None, [row.get_reason_display(), row.text[:_TEXT]]))
    if row.game is None:
        title = _("collection %(number)s") % {"number": row.collection}
        return Item(row.pk, title, reverse("collection", args=[row.collection]), text)
    return Item(row.pk, _game_number(row.game), reverse("game", args=[row.game]), text, _edit(row.game))


def _game_number(pk: int) -> str:
    return _("game %(number)s") % {"number": pk}


def _edit(game: int) -> str:
    return reverse("game-correct", args=[game])


def _correction(row: Correction, kinds: Mapping[int, str]) -> Item:
    detail = " · ".join(filter(None, [row.author_name, row.reason[:_TEXT]]))
    if row.subject == Correction.Subject.GAME:
        texts = tuple(operation_texts(kinds.get(row.subject_id, SHOGI.name), row.operations))
        href = reverse("game-history", args=[row.subject_id])
        return Item(row.pk, _game_number(row.subject_id), href, detail, _edit(row.subject_id), texts)
    href = reverse(row.subject, args=[row.subject_id])
    return Item(row.pk, f"{row.get_subject_display()} {row.subject_id}", href, detail)


def _entry(row: Entry) -> Item:
    name = row.path or source_name(row.upload_id, row.upload.name)
    texts = (one.text for one in shown_issues(row.issues, _ISSUES))
    edit = _edit(row.game_id) if row.game_id else ""
    return Item(row.pk, name[:_TEXT], reverse("upload-detail", args=[row.upload_id]), " ".join(texts), edit)


def _game(row: Game) -> Item:
    names = [player.name if player else "" for player in (row.player0, row.player1)]
    words = [row.event.name if row.event else "", day_text(row.played_from, row.precision)]
    title = game_title(names)
    return Item(row.pk, title, reverse("game", args=[row.pk]), " · ".join(filter(None, words)), _edit(row.pk))


def _player(row: Player) -> Item:
    return Item(row.pk, row.name, reverse("player", args=[row.pk]))


_ITEM: Final[Mapping[type, Callable[[Any], Item]]] = {
    Report: _report,
    Entry: _entry,
    Game: _game,
    Player: _player,
}
