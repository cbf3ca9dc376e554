"""Players who may be the same person, and authority tables."""

from typing import Any

from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from archive.accounts.roles import may_curate
from archive.api.accounts import account_of
from archive.api.bodies.same_person import AuthorityBody, SamePersonBody
from archive.api.corrections import REFUSALS, correction_info
from archive.api.endpoints import body, endpoint
from archive.api.operations import Example, Operation
from archive.api.pagination import limit_of
from archive.api.serializers import SamePersonQuery
from archive.api.shapes import corrections
from archive.api.shapes import names as shapes
from archive.curation import authority, names
from archive.curation.errors import CurationError
from archive.models import Player
from archive.queries.names.people import shown_rows
from archive.queries.names.same_person import Described, same_person
from archive.queries.scope import PUBLIC

_PAGE = 50


@endpoint(
    "GET",
    "POST",
    query={"GET": SamePersonQuery},
    operation={
        "GET": Operation(
            {200: shapes.SamePersons},
            {400: ("invalid-limit",)},
            text="List pairs of public players who may be the same person, the likeliest first.",
            examples=(Example("The likeliest", query={"limit": 2}),),
        ),
        "POST": Operation(
            {201: corrections.CorrectionInfo},
            REFUSALS.problems(
                "no-right", "no-curator", "reason-missing", "merged-already", "merged-with-itself",
                "unknown-target", "too-many-merged", "too-many-proposals",
            ),
            SamePersonBody,
            text="Say that two players are the same person, or that they are not.",
            examples=(
                Example(
                    "Of a stranger",
                    body={"one": 2, "other": 1, "same": False, "reason": "father and son"},
                    status=401,
                ),
            ),
        ),
    },
)  # fmt: skip
def pairs(request: Request, query: dict[str, Any] | None = None) -> Response:
    """List players who may be the same person; POST decides about two."""
    if request.method == "POST":
        fields, user = body(SamePersonBody, request), account_of(request)
        players = {row.pk: row for row in shown_rows(PUBLIC, "player", {fields["one"], fields["other"]})}
        row = players.get(fields["one"])
        try:
            if not isinstance(row, Player) or fields["other"] not in players:
                raise CurationError("unknown-target")
            merge = [{"op": "merge", "into": fields["other"]}]
            if fields["same"]:
                correction = names.correct(user, row, merge, fields["reason"])
            else:
                correction = names.reject(user, row, merge, fields["reason"])
        except CurationError as error:
            raise REFUSALS.problem(error) from error
        return Response(correction_info(request, correction, row), status=201)
    listed = same_person(PUBLIC)[: limit_of(query or {}, _PAGE)]
    return Response(
        shapes.SamePersons(
            len(same_person(PUBLIC)),
            [
                shapes.SamePair(
                    _described(request, pair.one),
                    _described(request, pair.other),
                    pair.score,
                    list(pair.reasons),
                )
                for pair in listed
            ],
        )
    )


def _described(request: Request, player: Described) -> shapes.SamePlayer:
    url = reverse("api:player", [player.id], request=request)
    return shapes.SamePlayer(player.id, url, player.name, player.kana, player.latin)


@endpoint(
    "POST",
    operation=Operation(
        {200: shapes.AuthorityOutcome},
        REFUSALS.problems("reason-missing", "no-table"),
        AuthorityBody,
        examples=(
            Example(
                "Of a stranger",
                body={"table": "name,latin\n大橋宗銀,Ohashi Sogin\n", "reason": "人名典拠"},
                status=401,
            ),
        ),
    ),
)
def authority_table(request: Request) -> Response:
    """Set facts of players from an authority table. Only curators may do that."""
    fields, user = body(AuthorityBody, request), account_of(request)
    if not may_curate(user):
        raise PermissionDenied
    try:
        rows = authority.read_table(fields["table"])
        if len(rows) > authority.MOST_ROWS:
            raise CurationError("no-table")
        outcomes = authority.import_table(rows, user, fields["reason"])
    except CurationError as error:
        raise REFUSALS.problem(error) from error
    return Response(
        shapes.AuthorityOutcome(
            **{name: outcomes[name] for name in ("set", "same", "unknown", "ambiguous", "refused")}
        )
    )
