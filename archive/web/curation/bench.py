"""The curators' bench: one page with everything that waits for a decision, and its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.accounts.roles import may_curate
from archive.curation import bench
from archive.curation.bench import PairRow, TwinRow
from archive.curation.bench_answers import REASON_TEXTS
from archive.curation.errors import CurationError
from archive.derive.headers import PLAYERS
from archive.models import Correction, Entry, Game, Player, Report, User
from archive.queries.games.taken_down import hide_names, hide_paths
from archive.web.curation.deeds import remember, remembered, undo_last
from archive.web.curation.name_texts import name_operation_texts
from archive.web.curation.operation_texts import OperationText, operation_texts
from archive.web.forms import parse_number
from archive.web.lists.game_search import source_name
from archive.web.replay.game_page import game_title, title_of
from archive.web.replay.issue_texts import shown_issues
from archive.web.wording import day_text, number_text, plies_text
from kifu_core.games import SHOGI

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

_ISSUES: Final = 2
_TEXT: Final = 300
_TWINS: Final = 5
ANSWER_TEXTS: Final[Mapping[str, Mapping[str, _StrOrPromise]]] = {
    "reports": {"accept": gettext_lazy("Mark as settled")},
    "proposals": {"accept": gettext_lazy("Accept"), "reject": gettext_lazy("Reject")},
    "failed": {"accept": gettext_lazy("Try again"), "reject": gettext_lazy("Leave it out")},
    "people": {"accept": gettext_lazy("The same person"), "reject": gettext_lazy("Not the same")},
    "twins": {"fine": gettext_lazy("Not the same")},
    "held": {"accept": gettext_lazy("Let it in")},
    "entries": {"accept": gettext_lazy("Read the file again"), "hide": gettext_lazy("Hide the bytes")},
    "taken": {
        "accept": gettext_lazy("Restore"),
        "hide": gettext_lazy("Hide the bytes"),
        "show": gettext_lazy("Show the bytes"),
    },
}
"""The answers of kinds in words; those that are missing are in `_USUAL_TEXTS`."""
_USUAL_TEXTS: Final[Mapping[str, _StrOrPromise]] = {
    "fine": gettext_lazy("Fine as it is"),
    "later": gettext_lazy("Later"),
    "hide": gettext_lazy("Take it down"),
}
_KEYS: Final = {"accept": "a", "reject": "r", "fine": "f", "later": "l", "hide": "h", "show": "s"}


@dataclass(frozen=True, slots=True)
class Item:
    """A row of the bench. `edit` is the address of the form that corrects its game or name, if it has one,
    `others` are addresses and texts of what it resembles. `key` are its numbers, and `answers` those that it
    can have."""

    title: str
    href: str
    detail: str = ""
    edit: str = ""
    operations: tuple[OperationText, ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    key: str = ""
    answers: Sequence[str] = ()


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
        "items": _items(request, name, page.rows),
        "answers": [
            (answer, _KEYS[answer], _answer_text(name, answer)) for answer in bench.KINDS[name].answers
        ],
        "next": page.next,
        "undoable": remembered(request),
    }
    return render(request, "archive/curation/bench.html", context)


def _count_text(count: int | None) -> str:
    if not count:
        return ""
    return str(count) if count <= bench.MOST_COUNTED else f"{bench.MOST_COUNTED}+"


def _answer_text(kind: str, answer: str) -> _StrOrPromise:
    return ANSWER_TEXTS.get(kind, {}).get(answer) or _USUAL_TEXTS[answer]


def _answered(request: HttpRequest, user: User) -> HttpResponse:
    kind, answer = request.POST.get("kind", ""), request.POST.get("answer", "")
    try:
        if answer == "undo":
            kind = undo_last(request, user) or kind
            messages.success(request, _("The last answer was undone."))
        else:
            key = [parse_number(part, 18) or 0 for part in request.POST.get("item", "").split("-")[:2]]
            _give(request, user, kind, answer, key)
    except KeyError:
        if answer != "undo":
            raise Http404 from None
        messages.error(request, _("There is nothing to undo."))
    except CurationError as error:
        messages.error(request, error.text)
    return redirect(f"{reverse('bench')}?kind={kind}" if kind in bench.KINDS else "bench")


def _give(request: HttpRequest, user: User, kind: str, answer: str, key: list[int]) -> None:
    if len(key) != bench.key_length(kind):
        raise Http404
    bench.perform(kind, answer, user, *key)
    if answer in bench.KINDS[kind].undo:
        remember(request, kind, answer, *key)


# --- rows ------------------------------------------------------------------------------------------------


def _items(request: HttpRequest, kind: str, rows: list[Any]) -> list[Item]:
    entries = [row for row in rows if isinstance(row, Entry)]
    hide_names(request, [row.upload for row in entries])
    hide_paths(request, entries)
    corrections = [row for row in rows if isinstance(row, Correction)]
    subjects = [row.subject_id for row in corrections if row.subject == Correction.Subject.GAME]
    kinds = dict(Game.objects.filter(pk__in=subjects).values_list("pk", "kind"))
    texts = name_operation_texts([row for row in corrections if row.subject != Correction.Subject.GAME])
    for row in corrections:
        if row.subject == Correction.Subject.GAME:
            texts[row.pk] = operation_texts(kinds.get(row.subject_id, SHOGI.name), row.operations)
    items = (
        _correction(row, texts[row.pk]) if isinstance(row, Correction) else _ITEM[type(row)](row)
        for row in rows
    )
    return [
        replace(item, key="-".join(map(str, bench.key_of(row))), answers=bench.answers_of(kind, row))
        for item, row in zip(items, rows, strict=True)
    ]


def _report(row: Report) -> Item:
    text = " · ".join(filter(None, [row.get_reason_display(), row.text[:_TEXT]]))
    if row.game is None:
        title = _("collection %(number)s") % {"number": row.collection}
        return Item(title, reverse("collection", args=[row.collection]), text)
    return Item(_game_number(row.game), reverse("game", args=[row.game]), text, _edit(row.game))


def _game_number(pk: int) -> str:
    return _("game %(number)s") % {"number": pk}


def _edit(game: int) -> str:
    return reverse("game-correct", args=[game])


def _correction(row: Correction, texts: list[OperationText]) -> Item:
    detail = " · ".join(filter(None, [row.author_name, row.reason[:_TEXT]]))
    title = f"{row.get_subject_display()} {row.subject_id}"
    href, edit = (reverse(f"{row.subject}-{page}", args=[row.subject_id]) for page in ("history", "correct"))
    return Item(title, href, detail, edit, tuple(texts))


def _entry(row: Entry) -> Item:
    if row.game_id is None and (row.taken_from or row.hidden):
        return _taken(row)
    texts = (one.text for one in shown_issues(row.issues, _ISSUES))
    edit = _edit(row.game_id) if row.game_id else ""
    return Item(_file(row), reverse("upload-detail", args=[row.upload_id]), " ".join(texts), edit)


def _file(row: Entry) -> str:
    return (row.path or source_name(row.upload_id, row.upload.name))[:_TEXT]


def _taken(row: Entry) -> Item:
    """Return the row of a game that was taken down, or of a record whose bytes are hidden."""
    address = reverse("upload-detail", args=[row.upload_id])
    if row.taken_from is None:
        return Item(_file(row), address)
    header = row.jkf["header"] if row.record and row.jkf else {}
    sides = [next((header[name] for name in names if header.get(name)), "") for names in PLAYERS]
    words = [_game_number(row.taken_from), _file(row), _("bytes hidden") if row.hidden else ""]
    title = game_title(sides) if any(sides) else words[0]
    return Item(title, address, " · ".join(filter(None, words)))


def _game(row: Game) -> Item:
    words = [row.event.name if row.event else "", day_text(row.played_from, row.precision)]
    detail = " · ".join(filter(None, [*words, plies_text(row.plies)]))
    return Item(title_of(row), reverse("game", args=[row.pk]), detail, _edit(row.pk))


def _twin(row: TwinRow) -> Item:
    others = tuple((reverse("game", args=[twin.id]), _game_number(twin.id)) for twin in row.twins[:_TWINS])
    return replace(_game(row.game), others=others)


def _player(row: Player) -> Item:
    edit = reverse("player-correct", args=[row.pk])
    return Item(row.name, reverse("player", args=[row.pk]), edit=edit)


def _pair(row: PairRow) -> Item:
    one, other = (
        f"{player.name} ({number_text(games)})"
        for player, games in zip((row.one, row.other), row.games, strict=True)
    )
    return Item(
        one,
        reverse("player", args=[row.one.id]),
        " · ".join(str(REASON_TEXTS[reason]) for reason in row.reasons),
        reverse("player-correct", args=[row.one.id]),
        others=((reverse("player", args=[row.other.id]), other),),
    )


_ITEM: Final[Mapping[type, Callable[[Any], Item]]] = {
    Report: _report,
    Entry: _entry,
    Game: _game,
    Player: _player,
    TwinRow: _twin,
    PairRow: _pair,
}
