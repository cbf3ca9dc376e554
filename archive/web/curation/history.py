"""The history of a game: its corrections, decisions about them, and its states side by side. The list of
corrections, and the actions on them, are also those of players and events (`archive.web.curation.naming`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.curation import corrections
from archive.curation.errors import TEXTS, CurationError
from archive.curation.masks import mask_correction, sides_for
from archive.curation.policy import ACTIONS, Subject, may_decide, may_propose, possible_actions
from archive.models import Correction, CorrectionEvent, Game, User
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.paging import page_before
from archive.web.curation.comparing import compare
from archive.web.curation.operation_texts import OperationText, operation_texts
from archive.web.forms import parse_number
from archive.web.replay.game_page import facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrOrPromise

PAGE: Final = 50
ACTION_TEXTS: Final[Mapping[str, _StrOrPromise]] = {
    "accept": gettext_lazy("Accept"),
    "reject": gettext_lazy("Reject"),
    "withdraw": gettext_lazy("Withdraw"),
    "object": gettext_lazy("Object"),
    "undo": pgettext_lazy("correction", "Undo"),
}
_DONE: Final[Mapping[str, _StrOrPromise]] = {
    "accept": gettext_lazy("The correction applies."),
    "reject": gettext_lazy("The correction was rejected."),
    "withdraw": gettext_lazy("The correction was withdrawn."),
    "object": gettext_lazy("A curator will decide about the correction."),
    "undo": gettext_lazy("The correction was undone."),
}


@dataclass(frozen=True, slots=True)
class ShownCorrection:
    """A correction on a page. `subject` names what it corrects, if that is not the page's own subject."""

    row: Correction
    operations: list[OperationText]
    events: list[CorrectionEvent]
    actions: list[tuple[str, str]]
    subject: str = ""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def history(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the corrections of a game, the latest first, and two of its states side by side; POST takes an
    action on a correction, or restores a state."""
    game = game_shown(request, game_id)
    if game is None:
        return redirect("game-history", game_called(request, game_id))
    if request.method == "POST":
        return _changed(request, game)
    states = _states(game)
    page, following = corrections_page(request, corrections.history(game), game)
    context = {
        "game": game,
        "title": facts(game, game.jkf)["title"],
        "rows": [
            shown_correction(
                row,
                operation_texts(game.kind, row.operations),
                possible_actions(request.user, row, game),
            )
            for row in page
        ],
        "next": following,
        "states": states,
        "corrects": may_propose(request.user, game),
        "decides": may_decide(request.user, game),
        **_comparison(request, game, states[-1]),
        "section": "games",
    }
    return render(request, "archive/curation/history.html", context)


def corrections_page(
    request: HttpRequest, rows: QuerySet[Correction], subject: Subject
) -> tuple[list[Correction], int | None]:
    """Return the page of the history of a subject that an address names, as the visitor may read it, the
    latest first, and the number before which there are more; None if there are none."""
    before = parse_number(request.GET.get("before", ""))
    page, following = page_before(rows.prefetch_related("events"), before, PAGE)
    for row in page:
        mask_correction(request.user, row, subject)
    return page, following


def shown_correction(
    row: Correction, operations: list[OperationText], actions: Sequence[str], subject: str = ""
) -> ShownCorrection:
    """Return a correction, whose events are prefetched, with its operations in words and the actions that
    the visitor may take."""
    events = sorted(row.events.all(), key=lambda event: event.pk)
    for event in events:
        if event.event == CorrectionEvent.Event.FAILED and event.text in TEXTS:
            event.text = CurationError(event.text, index=row.failed_operation or 0).text
    return ShownCorrection(
        row, operations, events, [(name, str(ACTION_TEXTS[name])) for name in actions], subject
    )


def take_action(
    request: HttpRequest,
    rows: QuerySet[Correction],
    perform: Callable[[str, User, Correction, str], Correction],
) -> None:
    """Take the action that was posted on one of some corrections, and say how that went. Raises Http404."""
    user, action = request.user, request.POST.get("action", "")
    if not isinstance(user, User) or action not in ACTIONS:
        raise Http404
    row = get_object_or_404(rows, pk=parse_number(request.POST.get("correction", "")) or 0)
    try:
        after = perform(action, user, row, request.POST.get("reason", ""))
    except CurationError as error:
        messages.error(request, error.text)
        return
    if after.state == Correction.State.FAILED:
        messages.error(request, _("The correction cannot be applied any more."))
    else:
        messages.success(request, str(_DONE[action]))


_MOST_STATES: Final = 1_000


def _states(game: Game) -> list[int]:
    """Return the numbers of the states of a game: 0 and those of its corrections that were ever applied."""
    numbers = corrections.history(game).exclude(number=None).values_list("number", flat=True)
    return [0, *(number for number in numbers[:_MOST_STATES] if number)]


def _comparison(request: HttpRequest, game: Game, last: int) -> dict[str, Any]:
    """Return two states side by side, if the address names them; the state after all corrections is that of
    the last number."""
    one = parse_number(request.GET.get("from", ""))
    other = parse_number(request.GET.get("to", ""))
    numbers = (0 if one is None else min(one, last), last if other is None else min(other, last))
    context: dict[str, Any] = {"from": numbers[0], "to": numbers[1]}
    if "from" in request.GET:
        sides = sides_for(request.user, game)
        records = [corrections.version(game, number, sides).record for number in numbers]
        context["comparison"] = compare(game.kind, records)
        context["heads"] = [str(number) if number else _("as uploaded") for number in numbers]
    return context


def _changed(request: HttpRequest, game: Game) -> HttpResponse:
    if request.POST.get("action") == "restore" and isinstance(request.user, User):
        try:
            _restored(request, request.user, game)
        except CurationError as error:
            messages.error(request, error.text)
    else:
        take_action(request, corrections.history(game), corrections.perform)
    return redirect("game-history", game.pk)


def _restored(request: HttpRequest, user: User, game: Game) -> None:
    number = parse_number(request.POST.get("number", ""))
    if number is None:
        raise Http404
    undone = corrections.restore(user, game, number)
    text = ngettext("%(n)d correction was undone.", "%(n)d corrections were undone.", undone)
    messages.success(request, text % {"n": undone} if undone else _("The game has this state already."))
