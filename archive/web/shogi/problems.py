"""Problems: their list, solving one, the one of the day, own progress, and whether a problem is known."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from secrets import randbelow
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive.derive.issues import detail_of, language
from archive.derive.themes import NAMES, OTHERS, SOLVERS, theme_name, theme_number
from archive.http.limits.text_limits import check_search_text, limited_reading
from archive.models import Problem, ProblemAttempt, ProblemTheme
from archive.problems.attempts import attempts_of, solver_of
from archive.queries.games.filters import stored_parameters
from archive.queries.games.taken_down import game_shown
from archive.queries.positions.position_lookup import position_of_text
from archive.queries.problems import lists
from archive.queries.problems.known import known_problems
from archive.queries.problems.lists import LEVELS, LONGEST, PROGRESS, ProblemFilters
from archive.queries.scope import PUBLIC, scope_of
from archive.web.accounts.own import own
from archive.web.forms import GameFilterForm, parse_number
from archive.web.lists.feeds import GamesFeed
from archive.web.lists.game_search import chips
from archive.web.lists.rows import game_address
from archive.web.replay.engine_lines import in_words
from archive.web.replay.record import node_query
from archive.web.wording import formation_name, number_text, plies_text
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.draw import RANK_NAMES
from kifu_core.shogi.formations import BY_NUMBER
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.pieces import OU, WHITE
from kifu_core.shogi.position import Position

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.http import HttpRequest
    from django.utils.functional import Promise

    from archive.models import User
    from archive.queries.scope import Scope

_MOST_SHOWN: Final = 24
_LONG: Final = 15
"""Problems with at least so many moves are listed together."""
_DAYS: Final = 14
"""Days of the feed."""
_ATTEMPTS: Final = 50
_FILTERS: Final = ("kind", "length", "theme", "level", "progress", "games")
"""Parameters of the list, which stay in the addresses of its problems."""

KINDS: Final[Mapping[str, Promise]] = {
    Problem.Kind.MATE: gettext_lazy("Mates"),
    Problem.Kind.SWING: gettext_lazy("Mistakes to punish"),
    Problem.Kind.ONLY_MOVE: gettext_lazy("Only moves"),
    Problem.Kind.NEXT_MOVE: gettext_lazy("Next moves of records"),
}
LEVEL_NAMES: Final[Mapping[str, Promise]] = {
    "easy": gettext_lazy("easy"),
    "medium": gettext_lazy("medium"),
    "hard": gettext_lazy("hard"),
}
PROGRESS_NAMES: Final[Mapping[str, Promise]] = {
    "new": gettext_lazy("not tried yet"),
    "failed": gettext_lazy("not solved"),
    "solved": gettext_lazy("solved"),
}
THEME_NAMES: Final[Mapping[str, Promise]] = {
    "drop": gettext_lazy("drop"),
    "sacrifice": gettext_lazy("sacrifice"),
    "quiet": gettext_lazy("quiet move"),
    "promotion": gettext_lazy("promotion"),
    "no-promotion": gettext_lazy("no promotion"),
    "capture": gettext_lazy("capture"),
    "pawn": gettext_lazy("pawn"),
    "lance": gettext_lazy("lance"),
    "knight": gettext_lazy("knight"),
    "silver": gettext_lazy("silver"),
    "gold": gettext_lazy("gold"),
    "bishop": gettext_lazy("bishop"),
    "rook": gettext_lazy("rook"),
    "king": gettext_lazy("king"),
    "entered-king": gettext_lazy("entered king"),
}
LIKENESS_NAMES: Final[Mapping[str, Promise]] = {
    "same": gettext_lazy("the same, or mirrored"),
    "fewer": gettext_lazy("with one piece less"),
    "more": gettext_lazy("with one piece more"),
    "other": gettext_lazy("with one piece elsewhere or another one"),
}
SOUNDNESS_NAMES: Final[Mapping[str, Promise]] = {
    "sound": gettext_lazy("sound: the mate search finds no other way"),
    "cooked": gettext_lazy("cooked: another move mates, too"),
    "no-mate": gettext_lazy("no mate: the king escapes"),
    "wrong-solution": gettext_lazy("the recorded solution is not a mate by checks"),
    "undecided": gettext_lazy("undecided: the mate search did not finish"),
}


class Choice(NamedTuple):
    """A value of a filter: its text, its parameter, and whether it is chosen."""

    text: str
    value: str
    chosen: bool


# --- the list ----------------------------------------------------------------------------------------------


def shogi_problems(request: HttpRequest) -> HttpResponse:
    """Show problems as diagrams, the shortest first.

    With `next` redirect to the problem after another, with `random` to any, with `game` to that of a game.
    `length` is a number of moves, with a minus for that number and more.
    """
    scope, filters = scope_of(request), _filters(request)
    kept = _kept(request)
    if "game" in request.GET:
        return _leading(lists.problem_of_game(scope, _number(request.GET["game"])), {})
    if "next" in request.GET:
        following = lists.after(scope, filters, _number(request.GET["next"])).first()
        return _leading(following.pk if following else None, kept)
    if "random" in request.GET:
        return _random(request, scope, filters, kept)
    shown = list(lists.after(scope, filters, _after(request))[: _MOST_SHOWN + 1])
    more, shown = len(shown) > _MOST_SHOWN, shown[:_MOST_SHOWN]
    query = urlencode(kept)
    context = {
        "lengths": _lengths(scope, request, filters),
        "menus": _menus(request, scope),
        "length": request.GET.get("length", ""),
        "games": request.GET.get("games", ""),
        "games_chips": _games_chips(request, scope),
        "shown": [_card(one, query) for one in shown],
        "kept": query,
        "next": urlencode({**kept, "after": shown[-1].pk}) if more else "",
        "any": bool(kept) or bool(shown),
        "solver": solver_of(request.user),
        "section": "problems",
    }
    return render(request, "shogi/problems.html", context)


def _filters(request: HttpRequest) -> ProblemFilters:
    given = {name: request.GET.get(name, "") for name in _FILTERS}
    least, most = _lengths_of(given["length"])
    theme = theme_number(given["theme"]) if given["theme"] else None
    wrong = (
        (given["kind"] and given["kind"] not in KINDS)
        or (given["level"] and given["level"] not in LEVELS)
        or (given["progress"] and given["progress"] not in PROGRESS)
        or (given["theme"] and theme is None)
    )
    if wrong:
        raise BadRequest("problems")
    search = _search(given["games"]) if given["games"] else None
    return ProblemFilters(given["kind"], theme, least, most, given["level"], given["progress"], search)


def _search(text: str) -> dict[str, Any]:
    form = GameFilterForm(QueryDict(text), label_suffix="")
    if not form.is_valid():
        raise BadRequest("games")
    return stored_parameters(form.cleaned_data)


def _games_chips(request: HttpRequest, scope: Scope) -> list[str]:
    """Return the search whose problems are listed, in words."""
    text = request.GET.get("games", "")
    form = GameFilterForm(QueryDict(text), label_suffix="")
    return [f"{one.label}: {one.text}" for one in chips(scope, form)] if text and form.is_valid() else []


def _kept(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET[name] for name in _FILTERS if request.GET.get(name)}


def _number(text: str) -> int:
    if (number := parse_number(text, 18)) is None:
        raise BadRequest("problem")
    return number


def _after(request: HttpRequest) -> int | None:
    text = request.GET.get("after")
    return None if text is None else _number(text)


def _lengths_of(length: str) -> tuple[int, int]:
    """Return the least and the most moves of the lengths in an address."""
    if not length:
        return 1, LONGEST
    least = min(_number(length.removesuffix("-")), LONGEST)
    return least, LONGEST if length.endswith("-") else least


def _random(
    request: HttpRequest, scope: Scope, filters: ProblemFilters, kept: Mapping[str, str]
) -> HttpResponse:
    """Redirect to a problem at random; in a streak to one that is more difficult the longer it is."""
    streak = parse_number(request.GET.get("streak", ""), 4)
    if streak is not None:
        level = "easy" if streak < _EASY else "medium" if streak < _MEDIUM else "hard"
        harder = replace(filters, level=level)
        kept = {**kept, "streak": str(streak)}
        filters = harder if lists.problems(scope, harder).exists() else filters
    found = lists.problems(scope, filters)
    total = found.count()
    one = found[randbelow(total)].pk if total else None
    return _leading(one, kept)


_EASY, _MEDIUM = 5, 15
"""Solved problems of a streak before those of the next level come."""


def _leading(problem: int | None, kept: Mapping[str, str]) -> HttpResponse:
    """Redirect to a problem, else to all of them."""
    query = f"?{urlencode(kept)}" if kept and problem is not None else ""
    response = (
        redirect("problems") if problem is None else redirect(reverse("problem", args=[problem]) + query)
    )
    response["Cache-Control"] = "no-store"
    return response


def _lengths(scope: Scope, request: HttpRequest, filters: ProblemFilters) -> list[tuple[str, str, int, bool]]:
    """Return text, address and number of problems of each length, and whether it is chosen."""
    all_lengths = ProblemFilters(
        filters.kind, filters.theme, 1, LONGEST, filters.level, filters.progress, filters.search
    )
    counted = lists.lengths(scope, all_lengths)
    numbers = {"": sum(n for _plies, n in counted)}
    for plies, n in counted:
        value = str(plies) if plies < _LONG else f"{_LONG}-"
        numbers[value] = numbers.get(value, 0) + n
    others = {name: value for name, value in _kept(request).items() if name != "length"}
    chosen = request.GET.get("length", "")
    return [
        (_length_text(value), _list_address({**others, "length": value}), n, value == chosen)
        for value, n in numbers.items()
    ]


def _list_address(parameters: Mapping[str, str]) -> str:
    query = urlencode({name: value for name, value in parameters.items() if value})
    return reverse("problems") + (f"?{query}" if query else "")


def _length_text(value: str) -> str:
    if not value:
        return _("All")
    if value.endswith("-"):
        return _("%(n)s moves and more") % {"n": number_text(_LONG)}
    return plies_text(int(value))


def _menus(request: HttpRequest, scope: Scope) -> list[tuple[str, str, list[Choice]]]:
    """Return name, label and choices of each filter."""
    menus: list[tuple[str, str, Mapping[str, Promise | str]]] = [
        ("kind", _("Kind"), KINDS),
        ("level", _("Level"), LEVEL_NAMES),
        ("theme", _("Theme"), _themes(scope)),
    ]
    if scope.account:
        menus.append(("progress", _("Own progress"), PROGRESS_NAMES))
    return [(name, label, _choices(request, name, names)) for name, label, names in menus]


def _choices(request: HttpRequest, name: str, names: Mapping[str, Promise | str]) -> list[Choice]:
    chosen = request.GET.get(name, "")
    options = [Choice(_("All"), "", not chosen)]
    return options + [Choice(str(text), value, value == chosen) for value, text in names.items()]


def _themes(scope: Scope) -> dict[str, Promise | str]:
    """Return the themes that problems of a scope have, by name."""
    rows = ProblemTheme.objects.filter(problem__space__in=scope.spaces)
    numbers = rows.order_by("theme").values_list("theme", flat=True).distinct()
    return {theme_name(number): theme_text(number) for number in numbers}


def theme_text(number: int) -> str:
    """Return a theme in the language of the page."""
    if number in NAMES:
        return str(THEME_NAMES[NAMES[number]])
    side, base = (_("against %(name)s"), OTHERS) if number >= OTHERS else (_("with %(name)s"), SOLVERS)
    return side % {"name": formation_name(BY_NUMBER[number - base].name)}


def task_of(problem: Problem) -> str:
    """Return the task of a problem: `Mate in 3`, `The next move`."""
    if problem.kind == Problem.Kind.MATE:
        return _("Mate in %(plies)s") % {"plies": problem.plies}
    if problem.kind == Problem.Kind.ONLY_MOVE:
        return _("The only move")
    if problem.kind == Problem.Kind.SWING:
        return _("Punish the mistake")
    return _("The next move") if problem.plies == 1 else plies_text(problem.plies)


def _card(problem: Problem, query: str = "") -> dict[str, Any]:
    """Return a problem for a list, without its solution."""
    position = Position.from_sfen(problem.sfen)
    kings = position.board.count(OU) + position.board.count(-OU)
    address = reverse("problem", args=[problem.pk])
    return {
        "id": problem.pk,
        "href": f"{address}?{query}" if query else address,
        "position": position,
        "flipped": position.turn == WHITE,
        "above": (1 - position.turn) if kings > 1 else None,
        "task": task_of(problem),
        "rating": round(problem.difficulty.rating),
        "tried": problem.difficulty.attempts,
    }


# --- one problem -------------------------------------------------------------------------------------------


def problem(request: HttpRequest, problem_id: int) -> HttpResponse:
    """Show a problem to be solved on the board; the solution is folded up."""
    scope = scope_of(request)
    shown = lists.problem_shown(scope, problem_id)
    if shown is None:
        raise Http404
    return render(request, "shogi/problem.html", _solving(request, shown))


@require_safe
def problem_of_day(request: HttpRequest) -> HttpResponse:
    """Redirect to the problem of the day (UTC)."""
    shown = lists.problem_of_day(PUBLIC, datetime.now(UTC).date())
    return _leading(shown.pk if shown else None, {"day": "1"})


def _solving(request: HttpRequest, shown: Problem) -> dict[str, Any]:
    """Return the context of the page of a problem."""
    position, kept = Position.from_sfen(shown.sfen), _kept(request)
    moves = shown.moves.split()
    streak = parse_number(request.GET.get("streak", ""), 4)
    return {
        "problem": shown,
        "task": task_of(shown),
        "daily": "day" in request.GET,
        "position": position,
        "flipped": position.turn == WHITE,
        "sfen": position.sfen(),
        "ranks": RANK_NAMES[language()],
        "legal_url_pattern": reverse("api:position-legal", args=[SHOGI.name, "CODE"]),
        "attempt_url": reverse("api:problem-attempts", args=[shown.pk]),
        "code": SHOGI.codec.encode(position),
        "answers": " ".join([moves[0], *shown.accepted.split()]),
        "path_code": SHOGI.codec.path_code(SHOGI.codec.encode(position)),
        "solution": in_words(SHOGI, position, None, moves),
        "accepted": in_words_each(position, shown.accepted.split()),
        "moves": shown.moves,
        "engine": shown.engine,
        "sources": _sources(request, shown),
        "themes": [(theme_name(one), theme_text(one)) for one in _theme_numbers(shown)],
        "soundness": soundness_words(position, moves, shown.soundness) if shown.kind == "mate" else None,
        "rating": round(shown.difficulty.rating),
        "solved_share": _share(shown),
        "own": _own_attempt(request, shown),
        "solver": solver_of(request.user),
        "streak": streak,
        "next_url": _list_address({**kept, "next": str(shown.pk)}),
        "random_url": _list_address({**kept, "random": "1"}),
        "streak_url": _list_address({**kept, "random": "1", "streak": "0"}),
        "list_url": _list_address(kept),
        "section": "problems",
    }


def in_words_each(position: Position, moves: Iterable[str]) -> list[str]:
    """Return moves from one position in words."""
    return [in_words(SHOGI, position, None, [move])[0] for move in moves]


def _theme_numbers(shown: Problem) -> list[int]:
    return sorted(shown.themes.values_list("theme", flat=True))


def _sources(request: HttpRequest, shown: Problem) -> list[dict[str, str]]:
    """Return address and title of the games that have a problem, at most five."""
    sources = shown.sources.order_by("game")[:5]
    return [
        {
            "href": game_address(one.game) + node_query(one.path, one.ply),
            "text": f"#{one.game}",
            "game": str(one.game),
            "ply": str(one.ply),
        }
        for one in sources
        if game_shown(request, one.game)
    ]


def _share(shown: Problem) -> str:
    """Return how many accounts solved a problem, in words; empty before anybody has tried."""
    tried = shown.difficulty.attempts
    if not tried:
        return ""
    text = ngettext(
        "solved by %(solved)s of %(tried)s account", "solved by %(solved)s of %(tried)s accounts", tried
    )
    return text % {"solved": number_text(shown.difficulty.solved), "tried": number_text(tried)}


def _own_attempt(request: HttpRequest, shown: Problem) -> ProblemAttempt | None:
    return attempts_of(request.user).filter(problem=shown).first()


def soundness_words(
    position: Position, moves: Sequence[str], found: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """Return what the mate search says of a mate, in words; None before it was examined."""
    if found is None:
        return None
    positions = [position]
    for move in moves:
        positions.append(_played(positions[-1], move))
    cooks = [
        {
            "ply": one["ply"],
            "text": in_words(SHOGI, positions[one["ply"] - 1], None, [one["move"]])[0],
            "kind": str(_COOKS[one["kind"]]),
        }
        for one in found["cooks"]
    ]
    return {
        "verdict": str(SOUNDNESS_NAMES[found["verdict"]]),
        "word": found["verdict"],
        "longer": found["defence"] == "longer",
        "cooks": cooks,
        "unused": " ".join(found["unused"]),
        "idle": " ".join(found.get("idle", ())),
        "nodes": number_text(found["nodes"]),
    }


_COOKS: Final[Mapping[str, Promise]] = {
    "cook": gettext_lazy("another way"),
    "last": gettext_lazy("another last move"),
    "detour": gettext_lazy("a detour"),
    "spot": gettext_lazy("another square or promotion"),
}


def _played(position: Position, move: str) -> Position:
    after = position.copy()
    after.do_move(from_usi(move))
    return after


# --- progress ----------------------------------------------------------------------------------------------


@own("GET", "HEAD")
def progress(request: HttpRequest, user: User) -> HttpResponse:
    """Show how the account has solved problems: rating, streak, the last attempts."""
    attempts = attempts_of(user)
    context = {
        "solver": solver_of(user),
        "tried": attempts.count(),
        "solved": attempts.filter(first=True).count(),
        "attempts": [
            {"problem": one.problem, "task": task_of(one.problem), "first": one.first, "solved": one.solved,
             "rating": round(one.rating), "last": one.last}
            for one in attempts[:_ATTEMPTS]
        ],
        "section": "problems",
    }  # fmt: skip
    return render(request, "shogi/problem_progress.html", context)


# --- known problems ----------------------------------------------------------------------------------------


@never_cache
@require_safe
def known(request: HttpRequest) -> HttpResponse:
    """Show the problems that are like a position: the same, or with one piece more, less or elsewhere."""
    text = request.GET.get("position", "").strip()
    context: dict[str, Any] = {"text": text, "section": "problems"}
    status = 200
    if text:
        try:
            check_search_text(text)
            with limited_reading():
                position = position_of_text(SHOGI, text)
            context |= _known_context(scope_of(request), position)
        except KifuError as error:
            context |= {"error": detail_of(error)}
            status = 400
    return render(request, "shogi/problem_known.html", context, status=status)


def _known_context(scope: Scope, position: Position) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in known_problems(scope, position):
        groups.setdefault(str(LIKENESS_NAMES[one.likeness]), []).append(_card(one.problem))
    return {
        "position": position,
        "flipped": position.turn == WHITE,
        "groups": list(groups.items()),
        "asked": True,
    }


# --- the feed of daily problems ----------------------------------------------------------------------------


def feed(request: HttpRequest) -> HttpResponse:
    """Return the feed of the problems of the last days."""
    root = str(settings.PUBLIC_URL or request.build_absolute_uri("/")).rstrip("/")
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    atom = GamesFeed(
        title=_("Problem of the day"),
        link=root + reverse("problem-of-day"),
        description=None,
        language=get_language(),
        feed_url=root + request.get_full_path(),
        feed_guid=root + request.get_full_path(),
        author_name=_("Kifu Archive"),
        last=today,
        following="",
    )
    for day in (today - timedelta(days=number) for number in range(_DAYS)):
        if (one := lists.problem_of_day(PUBLIC, day.date())) and one.made <= day + timedelta(days=1):
            title = f"{day.date().isoformat()}: {task_of(one)}"
            link = root + reverse("problem", args=[one.pk])
            atom.add_item(
                title, link, one.sfen, updateddate=day, unique_id=f"{link}#{day.date().isoformat()}"
            )
    return HttpResponse(atom.writeString("utf-8"), content_type=atom.content_type)
