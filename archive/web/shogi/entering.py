"""Entering and editing a game on the board, and the list of an account's drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive.curation.errors import TEXTS
from archive.curation.policy import may_propose
from archive.derive.issues import language
from archive.drafts import own_drafts
from archive.intake.permissions import may_upload
from archive.models import Draft, User, codec
from archive.queries.games.taken_down import game_called, game_shown
from archive.queries.scope import read_private
from archive.web.accounts.own import own
from archive.web.forms import parse_number
from archive.web.pages.library_pages import targets_of
from archive.web.shogi.own_lines import game_before, game_to_enter
from archive.web.shogi.pages import SHOGI as SHOGI_PAGES
from archive.web.wording import entry_text, words_of
from kifu_core.games import SHOGI
from kifu_core.shogi.annotations import MARKS
from kifu_core.shogi.draw import RANK_NAMES
from kifu_core.shogi.handicaps import HANDICAPS
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from kifu_core.jkf import Record

_HEADERS: Final = ("棋戦", "開始日時", "場所", "終了日時", "持ち時間", "備考")
_DOWNLOADS: Final = (("KIF", "kifu"), ("KI2", "ki2u"), ("CSA", "csa"), ("JKF", "jkf"))
_BRUSHES: Final = ("G", "R", "B", "Y")
CODE: Final = "CODE"


@require_safe
@never_cache
def new_game(request: HttpRequest) -> HttpResponse:
    """Show the board on which a game is entered; the address may have a game, a line or a position to begin
    with."""
    record, game = game_to_enter(request)
    source = "-".join(request.GET.get(name, "") for name in ("game", "ply", "fork", "try", "sfen", "after"))
    before = game_before(request)
    return _editor(request, record, {"game": game, "source": source.strip("-"), "before": before})


@own("GET", "HEAD")
def draft(request: HttpRequest, user: User, draft_id: int) -> HttpResponse:
    """Show the board with a draft of the account."""
    found = get_object_or_404(Draft, pk=draft_id, user=user)
    return _editor(request, codec.unpack(found.record), {"draft": found, "game": found.game})


@own("GET", "HEAD")
def correct(request: HttpRequest, user: User, game_id: int) -> HttpResponse:
    """Show the board on which a correction of a game is made. Raises GoneError."""
    game = game_shown(request, game_id)
    if game is None or game.kind != SHOGI.name:
        game_called(request, game_id)
        raise Http404
    if not may_propose(user, game):
        raise PermissionDenied
    read_private(request)
    refusals = {code: str(text) for code, text in TEXTS.items() if "%" not in str(text)}
    return _editor(request, game.jkf, {"correcting": game.pk, "refusals": refusals})


def _editor(request: HttpRequest, record: Record, context: dict[str, Any]) -> HttpResponse:
    position = Position.initial()
    words = SHOGI_PAGES.words
    return render(
        request,
        "shogi/enter.html",
        {
            "record": record,
            "position": position,
            "words": words_of(SHOGI.name, position),
            "start_text": entry_text(SHOGI.name, {}, None),
            "ranks": RANK_NAMES[language()],
            "sides": words.sides,
            "starts": [(start.preset, words.starts[start.preset]) for start in HANDICAPS],
            "endings": [(name, text) for name, text in words.endings.items() if name != "ERROR"],
            "marks": [(mark, mark.word if get_language() == "ja" else mark.english) for mark in MARKS[:6]],
            "brushes": _BRUSHES,
            "headers": [(name, SHOGI_PAGES.header(name)) for name in _HEADERS],
            "downloads": _DOWNLOADS,
            "targets": targets_of(request) if may_upload(request) else [],
            "legal_url_pattern": reverse("api:position-legal", args=[SHOGI.name, CODE]),
            "section": "game-new",
            **context,
        },
    )


@own("GET", "HEAD", "POST")
def drafts(request: HttpRequest, user: User) -> HttpResponse:
    """List the drafts of the account; a POST removes one."""
    if request.method == "POST":
        own_drafts.remove_draft(user, parse_number(request.POST.get("remove", ""), 18) or 0)
        return redirect("drafts")
    context = {"drafts": own_drafts.own_drafts(user), "most": own_drafts.MOST}
    return render(request, "shogi/drafts.html", context)
