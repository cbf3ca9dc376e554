"""Edits of all games of a search: the form with its preview, progress, undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from archive.curation import batches
from archive.curation.batch_edits import GROUPS, KINDS, BatchEdit
from archive.curation.errors import CurationError
from archive.curation.tasks import enqueue_batch
from archive.models import LABELS, CorrectionBatch, Game, User
from archive.queries.games.filters import stored_parameters
from archive.queries.names.ids_of_names import NUMBERED
from archive.queries.scope import CHOSEN, readable_spaces
from archive.queries.search.errors import QueryError
from archive.web.curation.deeds import remember
from archive.web.curation.operation_texts import OperationText, operation_texts
from archive.web.forms import GameFilterForm
from archive.web.pages.library_pages import private_names
from archive.web.replay.game_page import title_of
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.utils.functional import _StrOrPromise

    from archive.derive.operations import Operation

_LISTED: Final = 50
_SHOWN: Final = 30
"""Games of a preview."""
KIND_TEXTS: Final[Mapping[str, _StrOrPromise]] = {
    "replace": gettext_lazy("Replace a value by another"),
    "replace-text": gettext_lazy("Replace a text within a header"),
    "set": gettext_lazy("Set a header"),
    "remove": gettext_lazy("Remove a header"),
    "add-comment": gettext_lazy("Add a comment before the first move"),
}
GROUP_TEXTS: Final[Mapping[str, _StrOrPromise]] = {
    "players": gettext_lazy("Players (both sides)"),
    "event": gettext_lazy("Event"),
    "day": gettext_lazy("Day"),
    "place": gettext_lazy("Place"),
    "opening": gettext_lazy("Opening"),
    "time-limit": gettext_lazy("Time limit"),
}
assert KIND_TEXTS.keys() == {*KINDS} and GROUP_TEXTS.keys() == GROUPS.keys()


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game of a preview."""

    pk: int
    title: str
    operations: list[OperationText]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Show the form for a search of the list of games, preview the edit, or start it."""
    posted = request.method == "POST"
    search = request.POST.get("search", "") if posted else request.GET.urlencode()
    form, space = GameFilterForm(QueryDict(search), label_suffix=""), _space(request, search)
    user = request.user
    if not isinstance(user, User) or not batches.may_batch(user, space):
        raise PermissionDenied
    context: dict[str, Any] = {"search": search, "kinds": KIND_TEXTS.items(), "groups": GROUP_TEXTS.items()}
    context |= {name: request.POST.get(name, "") for name in (*_FIELDS, "reason")}
    context["other_header"] = context["header"] if context["header"] not in GROUPS else ""
    if not form.is_valid():
        messages.error(request, _("The search has an error."))
        return render(request, "archive/curation/batch_new.html", context, status=400)
    context["chosen"] = [(field.label, field.value()) for field in form if field.value()]
    if not posted:
        context |= _present(form.cleaned_data)
        return render(request, "archive/curation/batch_new.html", context)
    filters = stored_parameters(form.cleaned_data)
    try:
        edit = BatchEdit.of(_values(request.POST))
        if request.POST.get("do") == "run":
            batch = batches.create(user, space, filters, edit, request.POST.get("reason", ""))
            enqueue_batch(batch.pk)
            remember(request, "", "edit", batch.pk)
            return redirect("batch", batch.pk)
        return render(
            request, "archive/curation/batch_new.html", context | _preview(user, space, filters, edit)
        )
    except CurationError as error:
        messages.error(request, error.text)
    except QueryError as error:
        messages.error(request, str(error.message()))
    return render(request, "archive/curation/batch_new.html", context, status=400)


def _present(filters: Mapping[str, Any]) -> dict[str, str]:
    """Return header and present text of an edit of the games of one name, without its number."""
    names = {"players": filters.get("player")} | {str(kind): filters.get(kind) for kind in LABELS}
    header, name = next(((header, name) for header, name in names.items() if name), ("", ""))
    numbered = NUMBERED.fullmatch(name)
    return {"header": header, "old": numbered[1] if numbered else name}


_FIELDS: Final = ("kind", "header", "old", "new")


def _values(data: Mapping[str, str]) -> dict[str, str]:
    values = {name: data.get(name, "").replace("\r\n", "\n").strip() for name in _FIELDS}
    return values | ({"header": other} if (other := data.get("other", "").strip()) else {})


def _space(request: HttpRequest, search: str) -> int:
    """Return the space that a search names, else the public one."""
    name = QueryDict(search).get(CHOSEN, "public")
    return readable_spaces(request).get(name, PUBLIC)


def _preview(user: User, space: int, filters: Mapping[str, Any], edit: BatchEdit) -> dict[str, Any]:
    preview = batches.preview(user, space, filters, edit)
    return {
        "previewed": True,
        "games": preview.games,
        "read": len(preview.fitting) + len(preview.others),
        "fits": len(preview.fitting),
        "fitting": _shown({one.game: one.operations for one in preview.fitting[:_SHOWN]}),
        "others": _shown(dict.fromkeys(preview.others[:_SHOWN], ())),
    }


def _shown(operations: Mapping[int, Sequence[Operation]]) -> list[ShownGame]:
    games = Game.objects.filter(pk__in=operations).select_related("player0", "player1").order_by("pk")
    return [
        ShownGame(
            game.pk,
            title_of(game),
            operation_texts(game.kind, operations[game.pk]),
        )
        for game in games
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def batch(request: HttpRequest, batch_id: int) -> HttpResponse:
    """Show the progress of a batch; POST undoes it."""
    row = get_object_or_404(batches.shown(request.user), pk=batch_id)
    if request.method == "POST" and isinstance(request.user, User):
        try:
            batches.undo(request.user, row)
            enqueue_batch(row.pk)
        except CurationError as error:
            messages.error(request, error.text)
        return redirect("batch", row.pk)
    context = {"one": _described([row])[0], "spaces": private_names(request, [row.space])}
    return render(request, "archive/curation/batch.html", context)


@never_cache
@require_safe
def listed(request: HttpRequest) -> HttpResponse:
    """Show the latest batches of the spaces in which the visitor may make some."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    rows = batches.shown(request.user).order_by("-pk")[:_LISTED]
    return render(request, "archive/curation/batches.html", {"rows": _described(rows)})


def _described(rows: Iterable[CorrectionBatch]) -> list[dict[str, Any]]:
    """Return batches for pages: their edits in words, and how far they are."""
    return [
        {
            "row": row,
            "kind": KIND_TEXTS.get(row.edit.get("kind", ""), ""),
            "header": GROUP_TEXTS.get(row.edit.get("header", ""), row.edit.get("header", "")),
            "games": len(row.games),
            "corrected": row.corrections.count(),
            "works": row.state in batches.UNFINISHED,
            "filters": row.filters.items(),
        }
        for row in rows
    ]
