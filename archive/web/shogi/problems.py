"""Problems: their diagrams by length, the next one, and a random one."""

from __future__ import annotations

from secrets import randbelow
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from archive.queries.games.problem_lists import (
    LONGEST,
    ListedProblem,
    ProblemLengths,
    lengths,
    next_problem,
    nth_problem,
    problems,
)
from archive.queries.scope import scope_of
from archive.web.forms import parse_number
from archive.web.replay.game_page import task_text, work_title
from archive.web.wording import number_text, plies_text
from kifu_core.shogi.pieces import OU, WHITE
from kifu_core.shogi.replay import start

if TYPE_CHECKING:
    from django.http import HttpRequest


_MOST_SHOWN: Final = 24
_LONG: Final = 15
"""Problems with at least so many moves are listed together."""


def shogi_problems(request: HttpRequest) -> HttpResponse:
    """Show problems as diagrams, the shortest first.

    With `next` redirect to the problem after another, with `random` to any. `length` is a number of moves,
    with a minus for that number and more.
    """
    scope, length = scope_of(request), request.GET.get("length", "")
    lengths_shown = _lengths_of(length)
    if "next" in request.GET:
        return _leading(next_problem(scope, lengths_shown, _number(request.GET["next"])))
    counted = lengths(scope)
    total = sum(n for plies, n in counted if lengths_shown.least <= plies <= lengths_shown.most)
    if "random" in request.GET:
        return _leading(nth_problem(scope, lengths_shown, randbelow(total)) if total else None)
    after = request.GET.get("after")
    listed = problems(scope, lengths_shown, None if after is None else _number(after), _MOST_SHOWN + 1)
    shown, more = listed[:_MOST_SHOWN], len(listed) > _MOST_SHOWN

    context = {
        "lengths": _lengths(counted, length),
        "length": length,
        "shown": [_card(one) for one in shown],
        "next": urlencode({"length": length, "after": shown[-1].id}) if more else "",
        "section": "problems",
    }
    return render(request, "shogi/problems.html", context)


def _number(text: str) -> int:
    if (number := parse_number(text, 18)) is None:
        raise BadRequest("problem")
    return number


def _lengths_of(length: str) -> ProblemLengths:
    """Return the lengths in an address."""
    if not length:
        return ProblemLengths()
    least = min(_number(length.removesuffix("-")), LONGEST)
    return ProblemLengths(least, LONGEST if length.endswith("-") else least)


def _leading(problem: int | None) -> HttpResponse:
    """Redirect to a problem, else to all of them."""
    response = redirect("problems") if problem is None else redirect("game", problem)
    response["Cache-Control"] = "no-store"
    return response


def _lengths(counted: tuple[tuple[int, int], ...], chosen: str) -> list[tuple[str, str, int, bool]]:
    """Return text, parameter and number of problems of each length, and whether it is chosen."""
    numbers = {"": sum(n for _plies, n in counted)}
    for plies, n in counted:
        value = str(plies) if plies < _LONG else f"{_LONG}-"
        numbers[value] = numbers.get(value, 0) + n
    return [(_length_text(value), value, n, value == chosen) for value, n in numbers.items()]


def _length_text(value: str) -> str:
    if not value:
        return _("All")
    if value.endswith("-"):
        return _("%(n)s moves and more") % {"n": number_text(_LONG)}
    return plies_text(int(value))


def _card(problem: ListedProblem) -> dict[str, Any]:
    """Return a problem for the page, without its solution."""
    position = start(problem.record)
    kings = position.board.count(OU) + position.board.count(-OU)
    return {
        "id": problem.id,
        "position": position,
        "flipped": position.turn == WHITE,
        "above": (1 - position.turn) if kings > 1 else None,
        "task": task_text(problem.record, problem.plies),
        "title": work_title(problem.record["header"]),
    }
