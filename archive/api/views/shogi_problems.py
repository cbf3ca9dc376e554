"""Problems of shogi: lists, attempts, the one of the day, known ones, soundness, own progress."""

from datetime import UTC, datetime
from typing import Any, Final

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.api.accounts import owner_of
from archive.api.endpoints import body, endpoint
from archive.api.fields import (
    ChoiceField,
    CursorField,
    FlagField,
    LimitedListField,
    LimitField,
    TextField,
    WholeNumberField,
)
from archive.api.operations import CURSORS, QUERIES, Example, Operation, merge_problems
from archive.api.pagination import DEFAULT_GAMES, PAGE, cursor_number, limit_of, next_url
from archive.api.refusals import Refusals
from archive.api.searches import search_of
from archive.api.shapes import shogi_problems as shapes
from archive.derive.themes import theme_name, theme_number
from archive.models import LARGEST_ID, Problem, ProblemTheme
from archive.problems.attempts import attempt, attempts_of, solver_of
from archive.problems.errors import MOST_MOVES, ProblemError
from archive.problems.examining import MOST_NODES, examined
from archive.queries.paging import page_before
from archive.queries.problems import lists
from archive.queries.problems.known import known_problems
from archive.queries.problems.lists import LEVELS, LONGEST, PROGRESS, ProblemFilters
from archive.queries.scope import PUBLIC, read_private, scope_of, space_name
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position

_REFUSALS: Final = Refusals(
    ProblemError,
    {"too-many-moves": 400, "problem-move": 400, "problem-reply": 409},
    {"problem-move": "moves"},
)
_OF_SFEN: Final = (
    "sfen-fields", "sfen-board", "sfen-turn", "sfen-hands", "sfen-number", "unencodable", "king-range",
)  # fmt: skip
_MATE: Final = "7kl/9/5+P3/9/9/9/9/9/9 b GS 1"
_SOLUTION: Final = ["S*3b", "2a2b", "G*2c"]
_SFEN_LENGTH: Final = 300
_UNKNOWN: Final = 9_999_999


class ProblemsQuery(serializers.Serializer[Any]):
    """Parameters of `GET problems`."""

    kind = ChoiceField(required=False, choices=Problem.Kind.values, help_text="What is to be found.")
    theme = TextField(required=False, max_length=100, help_text="The name of a theme, as answers have it.")
    least = WholeNumberField(
        required=False, min_value=1, max_value=LONGEST, help_text="The least plies of the solution."
    )
    most = WholeNumberField(
        required=False, min_value=1, max_value=LONGEST, help_text="The most plies of the solution."
    )
    level = ChoiceField(required=False, choices=[*LEVELS], help_text="By the rating.")
    progress = ChoiceField(required=False, choices=[*PROGRESS], help_text="Of the account.")
    search = TextField(
        required=False,
        max_length=4_000,
        help_text="The parameters of `GET games`: only problems of these games.",
    )
    after = WholeNumberField(
        required=False, min_value=1, max_value=LARGEST_ID, help_text="Only problems after this one."
    )
    random = FlagField(default=False, help_text="Return one problem at random.")
    cursor = CursorField()
    limit = LimitField(PAGE, DEFAULT_GAMES)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters. Raises ValidationError for an unknown theme."""
        if attrs.get("theme") and theme_number(attrs["theme"]) is None:
            raise serializers.ValidationError({"theme": ["there is no such theme"]})
        return attrs


class KnownQuery(serializers.Serializer[Any]):
    """Parameters of `GET problems/known`."""

    sfen = TextField(max_length=_SFEN_LENGTH, help_text="The position.")


class AttemptBody(serializers.Serializer[Any]):
    """Fields of `POST problems/{id}/attempts`."""

    moves = LimitedListField(
        max_length=MOST_MOVES,
        child=TextField(max_length=8),
        help_text="The moves so far in USI, with the replies between them; none with `helped` to give up.",
    )
    helped = FlagField(default=False, help_text="Whether a hint or the solution was shown.")


class SoundnessBody(serializers.Serializer[Any]):
    """Fields of `POST problems/soundness`."""

    sfen = TextField(max_length=_SFEN_LENGTH, help_text="The position, with the attacker to move.")
    moves = LimitedListField(
        max_length=MOST_MOVES, child=TextField(max_length=8), help_text="The solution in USI."
    )
    nodes = WholeNumberField(
        required=False, default=5_000, min_value=1, max_value=MOST_NODES, help_text="Positions to search."
    )


class ProgressQuery(serializers.Serializer[Any]):
    """Parameters of `GET account/problems`."""

    cursor = CursorField()
    limit = LimitField(PAGE, DEFAULT_GAMES)


@endpoint(
    "GET",
    query=ProblemsQuery,
    operation=Operation(
        {200: shapes.ProblemsPage},
        merge_problems({400: CURSORS}, QUERIES),
        examples=(
            Example("Mates in up to three", query={"kind": "mate", "most": 3}),
            Example("Of an unknown theme", query={"theme": "none"}, status=400),
        ),
    ),
)
def problems(request: Request, query: dict[str, Any]) -> Response:
    """List problems that match, the shortest first; with `random` one of them."""
    scope, limit = scope_of(request), limit_of(query, DEFAULT_GAMES, PAGE)
    filters = ProblemFilters(
        query.get("kind", ""),
        theme_number(query["theme"]) if query.get("theme") else None,
        query.get("least", 1),
        query.get("most", LONGEST),
        query.get("level", ""),
        query.get("progress", ""),
        search_of(query["search"]) if query.get("search") else None,
    )
    if query.get("progress"):
        read_private(request._request)
    found = lists.after(scope, filters, cursor_number(query) or query.get("after"))
    if query["random"]:
        chosen = found.order_by("?")[:1]
        return Response(shapes.ProblemsPage([_info(request, one) for one in chosen], None))
    page = list(found.select_related("engine")[: limit + 1])
    following = page[limit - 1].pk if len(page) > limit else None
    return Response(
        shapes.ProblemsPage([_info(request, one) for one in page[:limit]], next_url(request, following))
    )


@endpoint(
    "GET",
    operation=Operation(
        {200: shapes.ProblemInfo},
        examples=(Example("No problem", {"problem_id": _UNKNOWN}, status=404),),
    ),
)
def problem(request: Request, problem_id: int) -> Response:
    """Return a problem with its solution."""
    return Response(_info(request, _shown(request, problem_id)))


@endpoint(
    "GET",
    operation=Operation({200: shapes.ProblemInfo}, examples=(Example("Without problems", status=404),)),
)
def daily(request: Request) -> Response:
    """Return the problem of the day (UTC), which is public and the same for all. 404 if there is none."""
    found = lists.problem_of_day(PUBLIC, datetime.now(UTC).date())
    if found is None:
        raise Http404
    return Response(_info(request, found))


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.AttemptInfo},
        _REFUSALS.problems("too-many-moves", "problem-move", "problem-reply"),
        AttemptBody,
        examples=(Example("No problem", {"problem_id": _UNKNOWN}, body={"moves": ["7g7f"]}, status=404),),
    ),
)
def attempts(request: Request, problem_id: int) -> Response:
    """Judge moves at a problem, and reply with the best defence. The end of an account's first attempt is
    rated."""
    shown, fields = _shown(request, problem_id), body(AttemptBody, request)
    scope = scope_of(request)
    done = _REFUSALS.run(
        lambda: attempt(request.user, scope, shown, fields["moves"], helped=fields["helped"])
    )
    return Response(
        shapes.AttemptInfo(
            result=done.judgement.result,
            reply=done.judgement.reply,
            alternative=done.judgement.alternative,
            reason=done.judgement.reason,
            rating_before=done.before,
            rating=done.after,
            streak=done.streak,
        )
    )


@endpoint(
    "GET",
    query=KnownQuery,
    operation=Operation(
        {200: shapes.KnownProblems},
        {400: _OF_SFEN},
        examples=(
            Example("A mate", query={"sfen": _MATE}),
            Example("No SFEN", query={"sfen": "startpos"}, status=400),
        ),
    ),
)
def known(request: Request, query: dict[str, Any]) -> Response:
    """List the problems that are like a position: the same, mirrored, or with one piece more, fewer or
    other."""
    position = Position.from_sfen(query["sfen"])
    SHOGI.codec.encode(position)
    found = known_problems(scope_of(request), position)
    return Response(
        shapes.KnownProblems(
            [shapes.KnownProblemInfo(one.likeness, _info(request, one.problem)) for one in found]
        )
    )


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.SoundnessInfo},
        {400: (*_OF_SFEN, "bad-usi-move")},
        SoundnessBody,
        examples=(
            Example("A mate in three", body={"sfen": _MATE, "moves": _SOLUTION}),
            Example("No move", body={"sfen": _MATE, "moves": ["x"]}, status=400),
        ),
    ),
)
def soundness(request: Request) -> Response:
    """Examine a mate problem: cooks, a longer defence, pieces left in hand, pieces that are not needed."""
    fields = body(SoundnessBody, request)
    position = Position.from_sfen(fields["sfen"])
    SHOGI.codec.encode(position)
    for move in fields["moves"]:
        from_usi(move)
    return Response(_soundness(examined(fields["sfen"], fields["moves"], fields["nodes"])))


@endpoint(
    "GET",
    query=ProgressQuery,
    operation=Operation(
        {200: shapes.ProblemProgress}, {400: CURSORS}, examples=(Example("Of a stranger", status=401),)
    ),
)
def progress(request: Request, query: dict[str, Any]) -> Response:
    """Return the account's progress at problems, with its attempts."""
    user = owner_of(request)
    read_private(request._request)
    solver = solver_of(user)
    rows = attempts_of(user).order_by("-pk")
    page, following = page_before(rows, cursor_number(query), limit_of(query, DEFAULT_GAMES, PAGE))
    return Response(
        shapes.ProblemProgress(
            rating=solver.rating if solver else None,
            deviation=solver.deviation if solver else None,
            streak=solver.streak if solver else 0,
            best_streak=solver.best_streak if solver else 0,
            results=[
                shapes.OwnAttemptInfo(
                    one.problem_id, one.first, one.solved, one.attempts, one.rating, one.begun, one.last
                )
                for one in page
            ],
            next_url=next_url(request, following),
        )
    )


def _shown(request: Request, pk: int) -> Problem:
    found = lists.problem_shown(scope_of(request), pk)
    if found is None:
        raise Http404
    return found


def _soundness(found: dict[str, Any]) -> shapes.SoundnessInfo:
    cooks = [shapes.CookInfo(**one) for one in found["cooks"]]
    return shapes.SoundnessInfo(**{**found, "cooks": cooks})


def _info(request: Request, problem: Problem) -> shapes.ProblemInfo:
    difficulty = problem.difficulty
    themes = ProblemTheme.objects.filter(problem=problem).order_by("theme")
    sources = problem.sources.order_by("game")[:5]
    return shapes.ProblemInfo(
        id=problem.pk,
        url=reverse("api:problem", [problem.pk], request=request),
        kind=problem.kind,
        space=space_name(request._request, problem.space),
        sfen=problem.sfen,
        moves=problem.moves.split(),
        accepted=problem.accepted.split(),
        plies=problem.plies,
        themes=[theme_name(number) for number in themes.values_list("theme", flat=True)],
        rating=round(difficulty.rating, 1),
        deviation=round(difficulty.deviation, 1),
        attempts=difficulty.attempts,
        solved=difficulty.solved,
        engine=str(problem.engine or ""),
        nodes=problem.nodes,
        gap=problem.gap,
        soundness=_soundness(problem.soundness) if problem.soundness else None,
        sources=[shapes.ProblemSourceInfo(one.game, one.path, one.ply) for one in sources],
    )
