"""Names put in order: the form with their facts, merges, namesakes, and their history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.curation import names
from archive.curation.errors import CurationError
from archive.curation.policy import may_decide, may_propose, possible_actions
from archive.derive.name_operations import LONGEST, MOST_SEATS, NameEditError, valid_value
from archive.models import AnyName, Event, NameKind, Player, User
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import InvalidCursorError, KeysetPage
from archive.queries.games.listing import GameRow, find_games
from archive.queries.names import people
from archive.queries.names.ids_of_names import ids_of_name, unique_name
from archive.queries.scope import Scope, scope_of
from archive.queries.search.errors import QueryError
from archive.web.curation.correcting import outcome_text, typed_line, typed_text
from archive.web.curation.deeds import remember_correction
from archive.web.curation.history import corrections_page, shown_correction, take_action
from archive.web.curation.name_texts import FIELD_TEXTS, name_operation_texts, numbered_names
from archive.web.forms import parse_number
from archive.web.lists.rows import side_mark
from archive.web.replay.game_page import game_title
from archive.web.wording import NAME_WORDS, day_text

FIELDS: Final[Mapping[NameKind, tuple[str, ...]]] = {
    "player": ("name", "kana", "latin", "titles", "born", "died", "source", "note"),
    "event": ("name", "kana", "latin", "parent", "place", "source", "note"),
    "place": ("name", "kana", "latin", "source", "note"),
}
"""The fields of the form, in its order."""
_DAY: Final = 10
_NEW_TITLES: Final = 3
"""Empty rows for titles."""


def shown_name(request: HttpRequest, kind: NameKind, pk: int) -> AnyName:
    """Return the row of an address, which may be that of a row merged into it. Raises Http404."""
    rows: list[Any] = [*people.shown_rows(scope_of(request), kind, {pk})]
    if not rows:
        raise Http404
    row: AnyName = rows[0]
    return row if row.root_id == pk else type(row)._default_manager.get(pk=row.root_id)


# --- history ---------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def history(request: HttpRequest, kind: NameKind, name_id: int) -> HttpResponse:
    """Show the corrections of a name, the latest first; POST takes an action on one."""
    row = shown_name(request, kind, name_id)
    if request.method == "POST":
        take_action(request, names.history(row), names.perform)
        return redirect(f"{kind}-history", name_id)
    page, following = corrections_page(request, names.history(row), row)
    texts = name_operation_texts(page)
    others = numbered_names({kind: {one.subject_id for one in page} - {row.pk}}, [row.space])
    context = {
        "row": row,
        "kind": kind,
        "words": NAME_WORDS[kind],
        "title": row.name,
        "rows": [
            shown_correction(
                one,
                texts[one.pk],
                possible_actions(request.user, one, row),
                others.get((kind, one.subject_id), ""),
            )
            for one in page
        ],
        "next": following,
        "corrects": may_propose(request.user, row),
        "section": f"{kind}s",
    }
    return render(request, "archive/curation/name_history.html", context)


# --- the form --------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, kind: NameKind, name_id: int) -> HttpResponse:
    """Show the form of a name's facts and that of a merge; POST sends one of them."""
    row = shown_name(request, kind, name_id)
    user = request.user
    if not isinstance(user, User) or not may_propose(user, row):
        raise PermissionDenied
    if request.method != "POST":
        return _form(request, kind, row, _facts(kind, row))
    merges = request.POST.get("do") == "merge"
    try:
        operations = [_merge(kind, row, request.POST)] if merges else [*_edits(kind, row, request.POST)]
        if not operations:
            raise CurationError("nothing-changed")
        made = names.correct(user, row, operations, typed_line(request.POST.get("reason", "")))
    except CurationError as error:
        messages.error(request, error.text)
        facts = {} if merges else _posted(kind, request.POST)
        return _form(request, kind, row, _facts(kind, row) | facts, status=400)
    messages.success(request, outcome_text(made))
    remember_correction(request, made)
    return redirect(kind, names.subject_of(made).root_id)


def _form(
    request: HttpRequest, kind: NameKind, row: AnyName, facts: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    context = {
        "row": row,
        "kind": kind,
        "words": NAME_WORDS[kind],
        "title": row.name,
        "fields": [
            {"name": name, "title": FIELD_TEXTS[name], "value": facts[name], "most": LONGEST.get(name, _DAY)}
            for name in FIELDS[kind]
        ],
        "titles": [*facts.get("titles", ()), *({},) * _NEW_TITLES],
        "before": request.POST.get("before") or orjson.dumps(_before(kind, row)).decode(),
        "spelling": request.POST.get("spelling", ""),
        "into": request.POST.get("into", ""),
        "reason": request.POST.get("reason", ""),
        "decides": may_decide(request.user, row),
        "search": urlencode([(kind, unique_name(row))]),
        "section": f"{kind}s",
    }
    return render(request, "archive/curation/name_correct.html", context, status=status)


def _facts(kind: NameKind, row: AnyName) -> dict[str, Any]:
    """Return what the fields show; a series by its name and number."""
    facts = {name: getattr(row, name) for name in FIELDS[kind]}
    if isinstance(row, Event):
        facts["parent"] = f"{row.parent.name} #{row.parent_id}" if row.parent else ""
    return facts


def _before(kind: NameKind, row: AnyName) -> dict[str, list[Any]]:
    """Return value of each field and who set it, which the form sends back: edits of something that changed
    meanwhile do not apply."""
    names_of = {name: "parent_id" if name == "parent" else name for name in FIELDS[kind]}
    return {name: [getattr(row, column), row.set_by.get(name)] for name, column in names_of.items()}


def _posted(kind: NameKind, data: Any) -> dict[str, Any]:
    """Return the values of the fields that were sent, titles as objects."""
    values: dict[str, Any] = {name: typed_text(data[name]).strip() for name in FIELDS[kind] if name in data}
    if kind == "player" and "title-name" in data:
        columns = (data.getlist(f"title-{part}") for part in ("kind", "name", "from", "to"))
        rows = [list(map(typed_line, row)) for row in zip(*columns, strict=False)]
        values["titles"] = [_title(*row) for row in rows if row[1]]
    return values


def _title(kind: str, name: str, since: str, until: str) -> dict[str, str]:
    days = {"from": since, "to": until}
    return {"grade" if kind == "grade" else "title": name, **{key: day for key, day in days.items() if day}}


def _edits(kind: NameKind, row: AnyName, data: Any) -> Iterator[dict[str, Any]]:
    """Yield the operations of the form. Raises CurationError."""
    before, shown = _sent_before(kind, row, data.get("before", "")), _facts(kind, row)
    for name, value in _posted(kind, data).items():
        old, old_by = before[name]
        if name == "parent":
            new = old if value == shown[name] else chosen(kind, row, value) if value else None
        else:
            new = _valid(kind, name, value)
        if new != old:
            yield {"op": "field", "name": name, "old": old, "new": new, "old_by": old_by}
    if spelling := typed_line(data.get("spelling", "")):
        yield {"op": "spelling", "name": spelling}


def _valid(kind: NameKind, name: str, value: Any) -> Any:
    try:
        return valid_value(kind, name, value)
    except NameEditError as error:
        raise CurationError(f"form-{error.code}" if error.code == "invalid-value" else error.code) from error


def _sent_before(kind: NameKind, row: AnyName, text: str) -> dict[str, list[Any]]:
    present = _before(kind, row)
    try:
        sent = orjson.loads(text)
    except orjson.JSONDecodeError:
        return present
    if not isinstance(sent, dict):
        return present
    pairs = {name: pair for name, pair in sent.items() if isinstance(pair, list) and len(pair) == 2}
    return {name: pairs.get(name, present[name]) for name in present}


def _merge(kind: NameKind, row: AnyName, data: Mapping[str, str]) -> dict[str, Any]:
    return {"op": "merge", "into": chosen(kind, row, typed_line(data.get("into", "")))}


def chosen(kind: NameKind, row: AnyName, text: str) -> int:
    """Return the row of the same space that a text names, perhaps with its number. Raises
    CurationError if there is none, or several."""
    ids = ids_of_name(Scope((row.space,)), kind, text or None) or ()
    if not ids:
        raise CurationError("unknown-target")
    if len(ids) > 1:
        raise CurationError("several-names", names=", ".join(f"#{pk}" for pk in ids))
    return ids[0]


# --- namesakes -------------------------------------------------------------------------------------------

SPLIT_PAGE: Final = 50
"""Games on a page of the form that gives games to a namesake."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def split(request: HttpRequest, player_id: int) -> HttpResponse:
    """Show games of a player to choose from; POST gives the chosen sides to another player of this name."""
    row, user = shown_name(request, "player", player_id), request.user
    if not isinstance(user, User) or not isinstance(row, Player) or not may_propose(user, row):
        raise PermissionDenied
    if request.method == "POST":
        try:
            made = names.correct(
                user, row, [_split(request.POST)], typed_line(request.POST.get("reason", ""))
            )
        except CurationError as error:
            messages.error(request, error.text)
            return _split_form(request, row, status=400)
        messages.success(request, outcome_text(made))
        remember_correction(request, made)
        return redirect("player", made.operations[0].get("row") or row.pk)
    return _split_form(request, row)


def _split(data: Any) -> dict[str, Any]:
    seats = [one.partition("-") for one in data.getlist("seat")[:MOST_SEATS]]
    games = [
        {"game": parse_number(game, 18) or 0, "colour": int(colour == "1")} for game, _dash, colour in seats
    ]
    if not games:
        raise CurationError("nothing-changed")
    return {"op": "split", "games": games, "row": parse_number(data.get("namesake", ""), 18)}


def _split_form(request: HttpRequest, row: Player, status: int = 200) -> HttpResponse:
    search = request.GET.get("q", "").strip()
    filters = GameFilters(player=unique_name(row), q=search or None)
    try:
        page = find_games(Scope((row.space,)), filters, "oldest", request.GET.get("after"), SPLIT_PAGE)
    except (InvalidCursorError, QueryError):
        messages.error(request, _("The search has an error."))
        page, status = KeysetPage((), None), 400
    context = {
        "row": row,
        "title": row.name,
        "games": [seat for game in page.items for seat in _seats(game, row.pk)],
        "next": urlencode({"q": search, "after": page.next}) if page.next else "",
        "q": search,
        "namesakes": row.namesakes.order_by("pk"),
        "chosen": request.POST.getlist("seat"),
        "reason": request.POST.get("reason", ""),
        "decides": may_decide(request.user, row),
        "section": "players",
    }
    return render(request, "archive/curation/split.html", context, status=status)


def _seats(game: GameRow, pk: int) -> Iterator[dict[str, Any]]:
    """Yield the sides of a game that a player has, each with the value of its box."""
    days = day_text(game.played_from, game.precision)
    for colour, player in enumerate((game.first_id, game.second_id)):
        if player == pk:
            yield {
                "value": f"{game.id}-{colour}",
                "game": game,
                "mark": side_mark(game.kind, colour),
                "title": game_title([game.first, game.second]),
                "facts": " · ".join(filter(None, (days, game.event, game.site))),
            }
