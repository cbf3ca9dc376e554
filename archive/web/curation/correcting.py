"""The form that corrects a game's headers, its ending, and the comment of one move."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from archive.curation import corrections
from archive.curation.edits import (
    LONGEST,
    MOST_HEADERS,
    RESULTS,
    EndingEdit,
    GameEdit,
    TextEdit,
    edited_headers,
    ending_of,
    operations_of_edit,
)
from archive.curation.errors import CurationError
from archive.curation.policy import may_decide, may_propose
from archive.derive.game import storable
from archive.derive.operations import OperationError, name_of
from archive.models import Correction, Game, User
from archive.queries.games.taken_down import game_called, game_shown
from archive.web.curation.deeds import remember_correction
from archive.web.curation.operation_texts import operation_texts
from archive.web.game_registry import PAGES
from archive.web.replay.game_page import facts, ply_of
from archive.web.replay.record import RecordNode, find_node
from archive.web.wording import ENDINGS_OF, RESULTS_OF, entry_text

if TYPE_CHECKING:
    from archive.derive.operations import Document
    from kifu_core.jkf import Record

_COMMENT: Final = 50_000
"""Characters of a comment that the form can change."""
_UNSHOWN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, game_id: int) -> HttpResponse:
    """Show the form, show what it would change, or send it."""
    game = game_shown(request, game_id)
    if game is None:
        return redirect("game-correct", game_called(request, game_id))
    user = request.user
    if not isinstance(user, User) or not may_propose(user, game):
        raise PermissionDenied
    document = corrections.present_document(game)
    node = find_node(document.record, request.GET.get("fork", ""), ply_of(request) or 0)
    if request.method != "POST":
        return _form(request, game, document, node)
    edit, reason = _edit(request), typed_line(request.POST.get("reason", ""))
    try:
        operations = operations_of_edit(edit, document)
        if request.POST.get("do") == "send":
            return _sent(request, corrections.correct_game(user, game, operations, reason))
        corrections.check_applies(game, operations)
    except OperationError as error:
        return _refused(request, game, document, node, CurationError(error.code, index=error.index))
    except CurationError as error:
        return _refused(request, game, document, node, error)
    return _form(request, game, document, node, preview=operation_texts(game.kind, operations), edit=edit)


def _refused(
    request: HttpRequest, game: Game, document: Document, node: RecordNode, error: CurationError
) -> HttpResponse:
    messages.error(request, error.text)
    return _form(request, game, document, node, edit=_edit(request), status=400)


def _sent(request: HttpRequest, row: Correction) -> HttpResponse:
    messages.success(request, outcome_text(row))
    remember_correction(request, row)
    back = request.POST.get("back", "")
    return redirect(back if back in _BACK else "game", row.subject_id)


def outcome_text(row: Correction) -> str:
    """Return what has become of a correction that was just sent."""
    if row.state == Correction.State.APPLIED:
        return _("The correction applies.")
    if row.state != Correction.State.PROPOSED:
        return _("The correction cannot be applied any more.")
    if row.due is None:
        return _("Thank you. Your correction waits for a curator.")
    return _("Thank you. Your correction applies in some days unless somebody objects.")


_BACK: Final = ("game-history", "game-editions")
"""Names of the pages to which the form may lead besides the game's own."""


def _edit(request: HttpRequest) -> GameEdit:
    """Return what was sent. Texts are as browsers send them, with CRLF."""
    names, old, new = (request.POST.getlist(name)[:MOST_HEADERS] for name in ("name", "old", "new"))
    headers = {
        name: TextEdit(typed_text(before), typed_text(after).strip()[:LONGEST])
        for name, before, after in zip(map(typed_line, names), old, new, strict=False)
        if name
    }
    return GameEdit(
        headers, _ending(request.POST), typed_line(request.POST.get("at", "")), _comment(request.POST)
    )


def _ending(data: Mapping[str, str]) -> EndingEdit | None:
    values = [data.get(name, "") for name in ("old-ending", "old-result", "ending", "result")]
    if values[1] not in RESULTS or values[3] not in RESULTS:
        return None
    return EndingEdit((values[0], values[1]), (typed_line(values[2]), values[3]))


def _comment(data: Mapping[str, str]) -> TextEdit | None:
    if "comment" not in data:
        return None
    return TextEdit(
        typed_text(data.get("old-comment", "")), typed_text(data["comment"])[:_COMMENT].rstrip("\n")
    )


def typed_text(text: str) -> str:
    """Return a text of a form as it is stored: with LF, without other control characters."""
    return str(storable(_UNSHOWN.sub("", text.replace("\r\n", "\n"))))


def typed_line(text: str) -> str:
    """Return a text of a form on one line, at most `LONGEST` characters."""
    return " ".join(typed_text(text).split())[:LONGEST]


# --- the page --------------------------------------------------------------------------------------------


def _form(
    request: HttpRequest,
    game: Game,
    document: Document,
    node: RecordNode,
    *,
    preview: Sequence[Any] | None = None,
    edit: GameEdit | None = None,
    status: int = 200,
) -> HttpResponse:
    edit = edit or GameEdit()
    record = document.record
    present = ending_of(document)
    old, new = (edit.ending.old, edit.ending.new) if edit.ending else (present, present)
    context = {
        "game": game,
        "title": facts(game, record)["title"],
        "headers": _headers(game.kind, record, edit),
        "endings": _choices(ENDINGS_OF[game.kind].items(), new[0]),
        "results": _choices(zip(RESULTS, RESULTS_OF[game.kind], strict=True), new[1]),
        "old_ending": old[0],
        "old_result": old[1],
        **_comment_context(game.kind, record, node, edit),
        "ply": node.ply,
        "fork": node.path,
        "reason": request.POST.get("reason", ""),
        "preview": preview,
        "decides": may_decide(request.user, game),
        "section": "games",
    }
    return render(request, "archive/curation/correct.html", context, status=status)


def _headers(kind: str, record: Record, edit: GameEdit) -> list[dict[str, Any]]:
    """Return the fields of headers: name, title, the value before and the value to show."""
    values = dict(edited_headers(record)) | {name: text.old for name, text in edit.headers.items()}
    return [
        {
            "name": name,
            "title": PAGES[kind].header(name),
            "old": old,
            "new": edit.headers[name].new if name in edit.headers else old,
            "lines": "\n" in old,
        }
        for name, old in values.items()
    ]


def _choices(words: Any, chosen: str) -> list[tuple[str, str, bool]]:
    """Return value, text and whether it is chosen of each option; a value without words has itself."""
    options = {value: str(text) for value, text in words}
    if chosen and chosen not in options:
        options[chosen] = chosen
    return [(value, text, value == chosen) for value, text in options.items()]


def _comment_context(kind: str, record: Record, node: RecordNode, edit: GameEdit) -> dict[str, str]:
    entry = node.line[-1]
    old = "\n".join(entry.get("comments", ()))
    return {
        "at": address_of(record, node),
        "move_text": entry_text(kind, entry, node.line[-2] if node.ply else None),
        "old_comment": edit.comment.old if edit.comment else old,
        "comment": edit.comment.new if edit.comment else old,
    }


def address_of(record: Record, node: RecordNode) -> str:
    """Return the address of a node in operations (`archive.derive.operations`)."""
    name = name_of(record)
    forks = "".join(f"{line.first}:{name(line.entries[0])}/" for line in node.lines[1:])
    return f"{forks}{node.ply}"
