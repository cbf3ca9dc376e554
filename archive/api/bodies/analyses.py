"""Bodies of requests about analyses and verdicts."""

from typing import Any

from rest_framework import serializers

from archive.analysis.queue import CHUNK as MOST_POSITIONS
from archive.api.bodies.common import searched_space_field
from archive.api.fields import FlagField, TextField, WholeNumberField
from archive.api.serializers import TEXT_LIMIT
from archive.derive.verdicts import LARGEST_SCORE, MOST_DEPTH, MOST_LINES, MOST_MATE, MOST_NODES
from archive.models.analysis import NAME_LENGTH
from archive.queries.games.filters import MOST_PLIES as MOST_PLIES_OF_GAME
from archive.queries.search.parsing import LONGEST


class WantedAnalysisBody(serializers.Serializer[Any]):
    """Fields of `POST games/{id}/analyse`."""

    engine = TextField(
        required=False,
        allow_blank=True,
        default="",
        max_length=60,
        help_text="An engine, by name.",
    )
    nodes = WholeNumberField(
        required=False, min_value=1, max_value=MOST_NODES, help_text="Nodes of a position."
    )
    lines = WholeNumberField(
        required=False, min_value=1, max_value=MOST_LINES, help_text="Lines of play of a position."
    )


class AnalysisBody(WantedAnalysisBody):
    """Fields of `POST analyses`."""

    search = TextField(
        allow_blank=True,
        max_length=LONGEST,
        help_text="Parameters of `GET games`: `player=...&from=1990`, `collection=12`.",
    )
    space = searched_space_field()


class WorkBody(serializers.Serializer[Any]):
    """Fields of `POST analysis/acquire`."""

    engine = TextField(
        required=False, allow_blank=True, default="", max_length=60, help_text="The engine that one has."
    )


class VerdictLineBody(serializers.Serializer[Any]):
    """A line of play of an engine."""

    cp = WholeNumberField(
        required=False,
        min_value=-LARGEST_SCORE,
        max_value=LARGEST_SCORE,
        help_text="Its score, from the side to move.",
    )
    mate = WholeNumberField(
        required=False,
        min_value=-MOST_MATE,
        max_value=MOST_MATE,
        help_text="Plies until the side to move mates, or below 0 is mated; instead of `cp`.",
    )
    moves = TextField(max_length=TEXT_LIMIT, help_text="Its moves in USI: `7g7f 3c3d`.")


class _VerdictBody(serializers.Serializer[Any]):
    nodes = WholeNumberField(min_value=0, max_value=MOST_NODES, help_text="Nodes that were searched.")
    depth = WholeNumberField(required=False, min_value=0, max_value=MOST_DEPTH, help_text="Its depth.")
    lines = serializers.ListField(
        child=VerdictLineBody(),
        min_length=1,
        max_length=MOST_LINES,
        help_text="Lines, the best first.",
    )


class MadeVerdictBody(_VerdictBody):
    """An engine's verdict on a position of a claim."""

    ply = WholeNumberField(min_value=0, max_value=MOST_PLIES_OF_GAME, help_text="The position.")


class OwnVerdictBody(_VerdictBody):
    """Fields of `POST account/verdicts`."""

    position = TextField(max_length=1000, help_text="The code of a position of shogi, or an SFEN.")
    engine = TextField(max_length=NAME_LENGTH, help_text="The name of the engine.")
    version = TextField(required=False, default="", allow_blank=True, max_length=NAME_LENGTH)


class MadeAnalysisBody(serializers.Serializer[Any]):
    """Fields of `POST analysis/{claim}`."""

    verdicts = serializers.ListField(
        child=MadeVerdictBody(),
        max_length=MOST_POSITIONS,
        help_text="Verdicts on some or all positions.",
    )
    more = FlagField(required=False, default=True, help_text="Whether to answer with the next work.")
