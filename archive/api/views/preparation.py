"""Preparation for an opponent."""

from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from archive.api.endpoints import endpoint
from archive.api.fields import ChoiceField, TextField, WholeNumberField
from archive.api.operations import POSITIONS, QUERIES, Example, Operation, merge_problems
from archive.api.positions import position_url
from archive.api.serializers import TEXT_LIMIT, FacetsQuery
from archive.api.shapes import preparation as shapes
from archive.queries.preparation.comparing import (
    MIN_GAMES,
    MOST_LEAST,
    LineMove,
    MainLine,
    Meeting,
    Place,
    Played,
    PlayedMove,
    Preparation,
    Unmet,
    Weakness,
    prepare,
)
from archive.queries.preparation.sides import sides_of
from archive.queries.scope import read_private, scope_of
from archive.queries.search.parsing import LONGEST
from kifu_core.games import GAMES, SHOGI

_WORK: Final = {"theirs": "大橋宗銀", "side": "white"}


class PreparationQuery(FacetsQuery):
    """Parameters of `GET preparation`: the filters are those of the opponent's games."""

    theirs = TextField(required=False, max_length=TEXT_LIMIT, help_text="The opponent's name.")
    own = TextField(
        required=False,
        max_length=TEXT_LIMIT,
        help_text="The name of the other player; if neither this nor `own_q` is given, the own games of"
        " the account, or everybody's.",
    )
    own_q = TextField(
        required=False,
        max_length=LONGEST,
        trim_whitespace=False,
        help_text="A query for the games of the other player.",
    )
    side = ChoiceField(
        required=False,
        choices=[*SHOGI.rules.sides],
        default=SHOGI.rules.sides[0],
        help_text="The side of the other player; the opponent has the other one.",
    )
    code = TextField(required=False, help_text="The code of the first position; the usual start if missing.")
    min_games = WholeNumberField(
        required=False,
        min_value=1,
        max_value=MOST_LEAST,
        default=MIN_GAMES,
        help_text="The fewest games of each set with a position of the lists.",
    )


@endpoint(
    "GET",
    query=PreparationQuery,
    cached=True,
    operation=Operation(
        {200: shapes.PreparationInfo},
        merge_problems(QUERIES, POSITIONS),
        examples=(
            Example("Against a player", query=_WORK),
            Example("No code", query={"code": "x"}, status=400),
        ),
    ),
)
def preparation(request: Request, query: dict[str, Any]) -> Response:
    """Compare an opponent's games of one side with another player's of the other side, from a position on."""
    kind = query.get("game") or SHOGI.name
    game, scope = GAMES[kind], scope_of(request)
    colour = game.rules.sides.index(query["side"])
    theirs, own = sides_of(scope, query, colour)
    if own.me is not None:
        read_private(request._request)
    code = query.get("code") or game.codec.encode(game.rules.initial())
    found = prepare(scope, theirs, own, kind, code, colour, query["min_games"])
    return Response(_ToInfo(request, kind).all(found, query["min_games"]))


class _ToInfo:
    """Makes the parts of the answer."""

    def __init__(self, request: Request, kind: str) -> None:
        self.request, self.game = request, GAMES[kind]

    def all(self, found: Preparation, min_games: int) -> shapes.PreparationInfo:
        return shapes.PreparationInfo(
            game=found.kind,
            code=found.code,
            min_games=min_games,
            theirs=self._set(found.theirs),
            own=self._set(found.own),
            parting=[self._meeting(one) for one in found.parting],
            deepest=[self._meeting(one) for one in found.deepest],
            unmet=[self._unmet(one) for one in found.unmet],
            slow=[self._weakness(one) for one in found.slow],
            losing=[self._weakness(one) for one in found.losing],
            costly=[self._weakness(one) for one in found.costly],
            their_lines=[self._line(one) for one in found.their_lines],
            own_lines=[self._line(one) for one in found.own_lines],
        )

    def _set(self, one: Played) -> shapes.GameSet:
        return shapes.GameSet(
            side=self.game.rules.sides[one.colour],
            all=one.all,
            more=one.more,
            games=one.games,
            points_share=one.score,
            interval=[*one.interval] if one.interval else None,
            moves=[self._move(move) for move in one.moves],
        )

    @staticmethod
    def _move(one: PlayedMove) -> shapes.SetMove:
        return shapes.SetMove(
            move=one.name,
            text=one.text,
            code=one.code,
            games=one.games,
            share=one.share,
            points_share=one.score,
            interval=[*one.interval] if one.interval else None,
            seconds=one.seconds,
            timed=one.timed,
            loss=one.loss,
            judged=one.judged,
        )

    def _place(self, one: Place) -> dict[str, Any]:
        address = position_url(self.game, one.code, self.request)
        return {"code": one.code, "game_id": one.game, "ply": one.ply, "position_url": address}

    def _meeting(self, one: Meeting) -> shapes.MeetingInfo:
        return shapes.MeetingInfo(**self._place(one.place), theirs=one.theirs, own=one.own)

    def _unmet(self, one: Unmet) -> shapes.UnmetInfo:
        return shapes.UnmetInfo(
            **self._place(one.place),
            source=one.source,
            move=one.name,
            text=one.text,
            after=one.after,
            theirs=one.theirs,
            own=one.own,
        )

    def _weakness(self, one: Weakness) -> shapes.WeaknessInfo:
        return shapes.WeaknessInfo(
            **self._place(one.place),
            games=one.games,
            points_share=one.score,
            interval=[*one.interval] if one.interval else None,
            seconds=one.seconds,
            usual=one.usual,
            loss=one.loss,
        )

    def _line(self, one: MainLine) -> shapes.SetLine:
        return shapes.SetLine(
            **self._place(one.place), games=one.games, share=one.share, moves=[*map(_line_move, one.moves)]
        )


def _line_move(one: LineMove) -> shapes.SetLineMove:
    return shapes.SetLineMove(one.name, one.text)
