"""The curators' bench: what in the public games waits for a decision, its answers, and their undoing."""

from collections.abc import Callable
from typing import Any, Final

from django.http import Http404
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.accounts.roles import may_curate
from archive.api.accounts import account_of
from archive.api.bodies.bench import BenchAnswerBody
from archive.api.corrections import REFUSALS
from archive.api.endpoints import body, endpoint
from archive.api.errors import ApiError
from archive.api.operations import Example, Operation
from archive.api.pagination import total_info
from archive.api.serializers import BenchQuery
from archive.api.shapes import bench as shapes
from archive.curation import bench
from archive.curation.bench import BenchKind, PairRow, TwinRow
from archive.models import Correction, Entry, Game, Player, Report, User
from archive.queries.games.totals import Total

_REFUSED: Final = (
    "no-right", "no-curator", "not-open", "not-applied", "not-taken-down", "name-taken-down",
    "merged-already", "merged-with-itself", "not-merged", "unknown-target", "too-many-merged",
    "too-many-proposals", "changed-since", "same-game", "fact-changed", "other-game",
)  # fmt: skip


def _curator(request: Request) -> User:
    user = account_of(request)
    if not may_curate(user):
        raise PermissionDenied
    return user


@endpoint("GET", operation=Operation({200: shapes.Bench}, examples=(Example("Of a stranger", status=401),)))
def kinds(request: Request) -> Response:
    """List the kinds of open questions on the curators' bench."""
    _curator(request)
    return Response(shapes.Bench([_kind_info(request, name, kind) for name, kind in bench.KINDS.items()]))


def _kind_info(request: Request, name: str, kind: BenchKind) -> shapes.BenchKindInfo:
    count = kind.count() if kind.count else None
    most = bench.MOST_COUNTED
    return shapes.BenchKindInfo(
        kind=name,
        url=reverse("api:bench-kind", [name], request=request),
        total=None if count is None else total_info(Total(min(count, most), count <= most)),
        answers=[*kind.answers],
        undo=[*kind.undo],
    )


@endpoint(
    "GET",
    "POST",
    query={"GET": BenchQuery},
    operation={
        "GET": Operation(
            {200: shapes.BenchRows},
            text="List open questions of a kind.",
            examples=(Example("Of a stranger", {"bench": "twins"}, status=401),),
        ),
        "POST": Operation(
            {204: None},
            REFUSALS.problems(*_REFUSED),
            BenchAnswerBody,
            text="Answer an open question, or undo an answer.",
            examples=(
                Example("Of a stranger", {"bench": "twins"}, body={"key": [2], "answer": "fine"}, status=401),
            ),
        ),
    },
)
def kind(request: Request, bench: str, query: dict[str, Any] | None = None) -> Response:
    """List open questions of a kind; POST answers one, or undoes an answer."""
    user = _curator(request)
    rows = _kind(bench)
    if request.method == "POST":
        _answer(user, bench, body(BenchAnswerBody, request))
        return Response(status=204)
    page = rows.page((query or {}).get("before"))
    return Response(shapes.BenchRows([_row(request, bench, row) for row in page.rows], page.next))


def _kind(name: str) -> BenchKind:
    if name not in bench.KINDS:
        raise Http404
    return bench.KINDS[name]


def _answer(user: User, name: str, fields: dict[str, Any]) -> None:
    answer, key, undoes = fields["answer"], fields["key"], fields["undo"]
    answers = _kind(name).undo if undoes else _kind(name).answers
    if answer not in answers:
        raise ApiError("invalid", f"one of {', '.join(answers) or 'none'}", field="answer")
    if len(key) != bench.key_length(name):
        raise ApiError("invalid", "the numbers of a row", field="key")
    perform = bench.undo if undoes else bench.perform
    REFUSALS.run(lambda: perform(name, answer, user, *key))


def _row(request: Request, name: str, row: Any) -> shapes.BenchRow:
    def url(view: str, *numbers: int | None) -> str:
        return str(reverse(f"api:{view}", numbers, request=request))

    target, similar, text = _SHOWN[type(row)](url, row)
    return shapes.BenchRow([*bench.key_of(row)], target, similar, text, bench.answers_of(name, row))


_Url = Callable[..., str]
_Shown = tuple[str, list[str], str]


def _report(url: _Url, row: Report) -> _Shown:
    target = url("collection", row.collection) if row.game is None else url("game", row.game)
    return target, [], ": ".join(filter(None, (row.reason, row.text)))


def _pair(url: _Url, row: PairRow) -> _Shown:
    return url("player", row.one.id), [url("player", row.other.id)], ", ".join(row.reasons)


_SHOWN: Final[dict[type, Callable[[_Url, Any], _Shown]]] = {
    Report: _report,
    PairRow: _pair,
    Correction: lambda url, row: (url("correction", row.pk), [], ""),
    Entry: lambda url, row: (url("upload-entry", row.upload_id, row.seq), [], ""),
    Game: lambda url, row: (url("game", row.pk), [], ""),
    Player: lambda url, row: (url("player", row.pk), [], ""),
    TwinRow: lambda url, row: (
        url("game", row.game.pk), [url("game", twin.id) for twin in row.twins], "",
    ),
}  # fmt: skip
