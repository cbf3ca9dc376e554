"""The training of an account: cards on the board, repertoires, and the forms that change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from archive.derive.issues import text_of
from archive.http.limits.text_limits import check_body, check_size, check_text, limited_reading
from archive.models import Game, Repertoire, RepertoireMove, TrainingCard, User
from archive.models.training import TITLE_LENGTH
from archive.queries.collections import collection_shown
from archive.queries.games.taken_down import game_shown
from archive.queries.scope import read_private, readable_scope
from archive.training import cards, repertoires
from archive.training.departures import departures_in_uploads, departures_of
from archive.training.errors import LONGEST, MOST_NEW, TrainingError
from archive.training.moves import moves_from, moves_of
from archive.training.sources import moves_of_collection, moves_of_text
from archive.web.accounts.own import own
from archive.web.forms import parse_number
from archive.web.game_registry import PAGES
from archive.web.lists.rows import position_address
from archive.web.pages.way_back import way_back
from archive.web.replay.engine_lines import in_words
from archive.web.replay.lines import read_line, usual_start
from archive.web.wording import entry_text, number_text, words_of
from kifu_core.errors import DecodeError, KifuError
from kifu_core.games import SHOGI
from kifu_core.lines import nodes_of
from kifu_core.shogi.moves import from_usi, to_usi
from kifu_core.shogi.replay import packed_move, start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from archive.training.departures import GameDeparture
    from archive.training.moves import Played
    from archive.web.replay.lines import WalkedLine

PLIES: Final = 20
"""Plies of lines that are added, unless the visitor chooses another number."""
SHOWN_LINES: Final = 200
SHOWN_MOVES: Final = 3_000
_CODE: Final = "CODE"
_DOWNLOADS: Final = (("KIF", "kifu"), ("JKF", "jkf"))


# --- cards -------------------------------------------------------------------------------------------------


@own("GET", "HEAD", "POST")
def train(request: HttpRequest, user: User) -> HttpResponse:
    """Show the next card, which comes after the card `after`, and the account's repertoires. A POST reviews a
    card, removes one, or sets the number of new cards a day."""
    read_private(request)
    if request.method == "POST":
        return _change(request, user)
    before = TrainingCard.objects.filter(user=user, pk=_number(request.GET.get("after", ""))).first()
    card = cards.next_card(user, before)
    context = {
        "counts": cards.counts(user),
        "next_due": None if card else cards.next_due(user),
        "repertoires": repertoires.own_repertoires(user),
        "most_new": MOST_NEW,
        "title_length": TITLE_LENGTH,
        "section": "mine",
        **(_card_context(user, card) if card else {}),
    }
    return render(request, "shogi/training.html", context)


def _number(text: str) -> int:
    return parse_number(text, 18) or 0


def _change(request: HttpRequest, user: User) -> HttpResponse:
    fields = request.POST
    action, pk = fields.get("action", ""), _number(fields.get("card", ""))
    if action == "limit":
        user.new_cards = min(_number(fields.get("new_cards", "")), MOST_NEW)
        user.save(update_fields=["new_cards"])
        return redirect("training")
    if action == "remove":
        if not cards.remove(user, pk):
            raise Http404
        return redirect("training")
    if action not in cards.GRADES:
        raise BadRequest("action")
    if cards.review(user, pk, action) is None:
        raise Http404
    return redirect(f"{reverse('training')}?after={pk}")


def _card_context(user: User, card: TrainingCard) -> dict[str, Any]:
    """Return what the page needs to ask for the move of a card."""
    ((_card, position, answers, others, lead),) = cards.details_of(user, [card])
    return {
        "card": card,
        "position": position,
        "flipped": position.turn == 1,
        "last": from_usi(lead.move) if lead else None,
        "lead": lead and {"sfen": lead.position.sfen(1), "move": lead.move},
        "answers": answers,
        "answer_texts": [in_words(SHOGI, position, None, [name])[0] for name in answers],
        "others": others,
        "words": words_of(SHOGI.name, position),
        "position_url": position_address(SHOGI.name, card.code),
        "legal_url_pattern": reverse("api:position-legal", args=[SHOGI.name, _CODE]),
        **PAGES[SHOGI.name].board(position, 0),
    }


@own("POST")
def add_card(request: HttpRequest, user: User) -> HttpResponse:
    """Add the card of a mistake, or of the first move of a problem."""
    fields = request.POST
    try:
        if fields.get("kind") == TrainingCard.Kind.PROBLEM:
            _add_problem(user, _game(request))
        elif fields.get("kind") == TrainingCard.Kind.MISTAKE:
            move, *accepted = fields.get("accepted", "").split()[: cards.MOST_ACCEPTED] or [""]
            game, ply = _game(request).pk, _number(fields.get("ply", ""))
            cards.add(user, TrainingCard.Kind.MISTAKE, fields.get("code", ""), move, accepted, game, ply)
        else:
            raise BadRequest("kind")
    except TrainingError as error:
        messages.error(request, error.text)
    else:
        messages.success(request, _("It comes up in your training."))
    return redirect(way_back(request))


def _game(request: HttpRequest) -> Game:
    """Return the game of shogi in a form. Raises Http404, GoneError."""
    game = game_shown(request, _number(request.POST.get("game", "")))
    if game is None or game.kind != SHOGI.name:
        raise Http404
    return game


def _add_problem(user: User, game: Game) -> None:
    first = next(moves_of(game.jkf, 1, forks=False), None)
    if first is None:
        raise TrainingError("wrong-card")
    (move,) = (packed_move(entry["move"]) for entry in game.jkf["moves"][1:2] if "move" in entry)
    cards.add(user, TrainingCard.Kind.PROBLEM, first.code, to_usi(move), (), game.pk, 0)


# --- repertoires -------------------------------------------------------------------------------------------


@own("POST")
def create(request: HttpRequest, user: User) -> HttpResponse:
    """Create a repertoire."""
    side = request.POST.get("side", "")
    if side not in SHOGI.rules.sides:
        raise BadRequest("side")
    try:
        made = repertoires.create(user, request.POST.get("title", ""), SHOGI.rules.sides.index(side))
    except TrainingError as error:
        messages.error(request, error.text)
        return redirect(way_back(request))
    return redirect(way_back(request) if "next" in request.POST else reverse("repertoire", args=[made.pk]))


@own("GET", "HEAD", "POST")
def repertoire(request: HttpRequest, user: User, repertoire_id: int) -> HttpResponse:
    """Show the lines of a repertoire. A POST renames it, removes it, or removes a move of it."""
    found = get_object_or_404(repertoires.own_repertoires(user), pk=repertoire_id)
    if request.method == "POST":
        return _edit(request, user, found)
    rows = list(RepertoireMove.objects.filter(repertoire=found).order_by("pk"))
    trees = [
        _tree(found, number, repertoires.tree_of(rows, *root))
        for number, root in enumerate(repertoires.roots_of(rows).items())
    ][:_MOST_TREES]
    context = {
        "repertoire": found,
        "trees": trees,
        "title_length": TITLE_LENGTH,
        "downloads": _DOWNLOADS,
        "start_url": reverse("positions"),
        "longest": LONGEST,
        "section": "mine",
    }
    return render(request, "shogi/repertoire.html", context)


_MOST_TREES: Final = 20


def _edit(request: HttpRequest, user: User, found: Repertoire) -> HttpResponse:
    action = request.POST.get("action", "")
    if action == "remove":
        repertoires.remove(user, found)
        messages.success(request, _("The repertoire was removed; its cards keep their progress."))
        return redirect("training")
    if action == "remove-move":
        if not repertoires.remove_move(user, found, _number(request.POST.get("move", ""))):
            raise Http404
        return redirect(way_back(request))
    if action != "rename":
        raise BadRequest("action")
    try:
        repertoires.rename(found, request.POST.get("title", ""))
    except TrainingError as error:
        messages.error(request, error.text)
    return redirect("repertoire", found.pk)


class ShownLine(NamedTuple):
    """A line of a repertoire: the number of moves before it, its moves in words, and the address of its end
    in the explorer."""

    before: int
    texts: list[str]
    href: str


class ShownTree(NamedTuple):
    """The lines from one position, whether there are more of them, and the number in addresses of files."""

    lines: list[ShownLine]
    more: bool
    number: int


def _tree(found: Repertoire, number: int, record: Any) -> ShownTree:
    lines: list[ShownLine] = []
    moves = 0
    for line in _lines_of(record):
        moves += len(line.texts)
        if len(lines) >= SHOWN_LINES or moves > SHOWN_MOVES:
            return ShownTree(lines, True, number)
        lines.append(line)
    return ShownTree(lines, False, number)


def _lines_of(record: Any) -> Iterator[ShownLine]:
    """Yield the lines of a record, the main line first."""
    begin = SHOGI.codec.encode(start(record))
    names: dict[str, list[str]] = {}
    texts: dict[str, tuple[int, list[str]]] = {}
    before: Any = None
    for path, ply, entry in nodes_of(record["moves"]):
        if path not in names:
            parent = path.rpartition("-")[0]
            names[path] = names.get(parent, [])[: ply - 1]
            texts[path] = (max(ply - 1, 0), [])
            before = None
        if "move" in entry:
            names[path].append(to_usi(packed_move(entry["move"])))
            texts[path][1].append(entry_text(SHOGI.name, entry, before))
            before = entry
    for path, (first, words) in texts.items():
        if words:
            yield ShownLine(first, words, _address_of(begin, names[path]))


def _address_of(begin: str, names: Sequence[str]) -> str:
    """Return the address of the end of a line in the explorer."""
    position = SHOGI.codec.decode(begin)
    for name in names:
        position.do_move(from_usi(name))
    line = ".".join(names)
    first = "" if begin == usual_start(SHOGI.name) else f"start={begin}&"
    return f"{position_address(SHOGI.name, SHOGI.codec.encode(position))}?{first}line={line}"


# --- lines -------------------------------------------------------------------------------------------------


@own("POST")
def add_lines(request: HttpRequest, user: User) -> HttpResponse:
    """Add lines to a repertoire: of a line in the explorer, of a game, of a collection, or of a text."""
    check_body(request, settings.ARCHIVE_MAX_CONVERT_BYTES)
    found = get_object_or_404(Repertoire, pk=_number(request.POST.get("repertoire", "")), user=user)
    plies = min(_number(request.POST.get("plies", "")) or PLIES, LONGEST)
    try:
        with limited_reading():
            moves = list(_moves(request, plies))
        added = repertoires.add_lines(user, found, moves)
    except TrainingError as error:
        messages.error(request, error.text)
    except KifuError as error:
        messages.error(request, text_of(error.code, error.params))
    else:
        messages.success(request, _added_text(added))
    return redirect(way_back(request))


def _added_text(added: repertoires.Added) -> str:
    moves = ngettext("%(n)s move was added.", "%(n)s moves were added.", added.moves)
    new = ngettext("%(n)s card is new.", "%(n)s cards are new.", added.cards)
    return " ".join(text % {"n": number_text(n)} for text, n in ((moves, added.moves), (new, added.cards)))


def _moves(request: HttpRequest, plies: int) -> Iterable[Played]:
    """Return the moves of a form. Raises KifuError, TrainingError, BadRequest, Http404, GoneError."""
    fields = request.POST
    if "line" in fields:
        return _line(fields.get("start", ""), fields["line"])
    if fields.get("game"):
        return moves_of(_game(request).jkf, plies, forks="forks" in fields)
    if fields.get("collection"):
        collection = collection_shown(request, _number(fields["collection"]))
        return moves_of_collection(readable_scope(request), collection.pk, plies)
    if (file := request.FILES.get("file")) is not None:
        check_size(file.size or 0, settings.ARCHIVE_MAX_CONVERT_BYTES)
        return moves_of_text(file.read(), plies, file.name)
    text = fields.get("text", "")
    if not text.strip():
        raise TrainingError("nothing-to-add")
    check_text(text, settings.ARCHIVE_MAX_CONVERT_BYTES)
    return moves_of_text(text, plies)


def _line(code: str, names: str) -> Iterable[Played]:
    try:
        position = SHOGI.codec.decode(code)
    except DecodeError as error:
        raise BadRequest("start") from error
    return moves_from(position, (played.move for played in read_line(SHOGI.name, position, names)))


# --- other pages -------------------------------------------------------------------------------------------


def adding_context(request: HttpRequest) -> dict[str, Any]:
    """Return the visitor's repertoires, to which a page may add lines; empty without any."""
    if not isinstance(request.user, User):
        return {}
    read_private(request)
    found = list(Repertoire.objects.filter(user=request.user).order_by("pk"))
    return {"own_repertoires": found, "plies": PLIES, "longest": LONGEST} if found else {}


class ShownMove(NamedTuple):
    """A move of a repertoire in words, and its number."""

    pk: int
    text: str


class ShownRepertoire(NamedTuple):
    """A repertoire at a position, with its moves there, and whether they are its owner's."""

    repertoire: Repertoire
    moves: list[ShownMove]
    own: bool


def position_context(request: HttpRequest, kind: str, position: Any, walk: WalkedLine) -> dict[str, Any]:
    """Return the visitor's repertoires at a position, for its page; empty for strangers and other games."""
    if not isinstance(request.user, User) or kind != SHOGI.name:
        return {}
    read_private(request)
    return {
        "repertoires": [
            ShownRepertoire(
                one.repertoire,
                [ShownMove(pk, in_words(SHOGI, position, None, [name])[0]) for pk, name in one.moves],
                one.own,
            )
            for one in repertoires.repertoires_at(request.user, position)
        ],
        "walked": ".".join(played.name for played in walk.line[: walk.at]),
        "repertoire_title_length": TITLE_LENGTH,
    }


class ShownDeparture(NamedTuple):
    """A game that leaves a repertoire: the position before, the move by name, its number, and the moves in
    words."""

    repertoire: Repertoire
    own: bool
    code: str
    name: str
    number: int
    played: str
    expected: list[str]
    href: str


def game_departures(request: HttpRequest, game: Game) -> dict[str, Any]:
    """Return where a game leaves the visitor's repertoires, and the repertoires to which its moves can be
    added; empty for strangers and other games."""
    if not isinstance(request.user, User) or game.kind != SHOGI.name:
        return {}
    adding = adding_context(request)
    if not adding:
        return {}
    found = departures_of(readable_scope(request), request.user, [game], {game.pk: game.jkf})
    return {**adding, "departures": [_shown(one) for one in found]}


def upload_departures(request: HttpRequest, uploads: Sequence[int]) -> list[ShownDeparture]:
    """Return where the newest own games of uploads leave the visitor's repertoires."""
    if not isinstance(request.user, User):
        return []
    return [_shown(one) for one in departures_in_uploads(readable_scope(request), request.user, uploads)]


def _shown(found: GameDeparture) -> ShownDeparture:
    left = found.departure
    position = SHOGI.codec.decode(left.code)
    played, expected = left.names()
    words = [in_words(SHOGI, position, None, [name])[0] for name in (played, *expected)]
    href = f"{reverse('game', args=[found.game])}?ply={left.ply + 1}"
    number = left.ply + 1
    return ShownDeparture(found.repertoire, left.own, left.code, played, number, words[0], words[1:], href)
