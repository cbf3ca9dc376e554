"""Verdicts of engines on positions, and their analyses of games."""

from typing import Annotated, Any

from archive.api.shapes.games import MateInfo
from archive.api.shapes.positions import InvalidPosition
from archive.derive.chances import BLUNDER, INACCURACY, MISTAKE, PHASES
from archive.models import Engine
from archive.shapes.common import About, GameName, JSONObject, NextUrl, Number, Side

Chance = Annotated[float, About("From -1, White wins, to 1, Black wins.", minimum=-1, maximum=1)]
Accuracy = Annotated[float | None, About("Null without judged moves.", minimum=0, maximum=100)]
MarkName = Annotated[
    str | None, About("By the loss.", title="MarkName", enum=[INACCURACY, MISTAKE, BLUNDER, None])
]
PhaseName = Annotated[str, About("A part of a game.", title="PhaseName", enum=[*PHASES])]


class VerdictEngine(JSONObject):
    """An engine: verdicts can be compared with those of the same one only."""

    id: Number
    source: Annotated[str, About("Where its verdicts come from.", enum=Engine.Source.values)]
    name: str
    version: str
    network: str
    options: Annotated[dict[str, Any], About("Options that change its verdicts.")]
    scale: Annotated[float, About("Of its winning chances, in hundredths of a pawn.")]
    log_loss: Annotated[float | None, About("Of results by this scale; null if none was fitted.")]
    fitted_positions: Number
    fitted_games: Number


class VerdictLine(JSONObject):
    """A line of play. `score` is in hundredths of a pawn, from Black's side."""

    score: int | None
    mate: MateInfo | None
    chance: Chance | None
    policy: Annotated[
        float | None, About("The likelihood of its first move, by a network.", minimum=0, maximum=1)
    ]
    usi: Annotated[list[str], About("As much of the line as can be played.")]


class VerdictInfo(JSONObject):
    """What an engine found in a position, the best line first."""

    engine: Annotated[int, About("An `id` of `engines`.")]
    lines: list[VerdictLine]
    nodes: int | None
    depth: int | None
    history: Annotated[bool, About("Whether the engine received the moves before the position.")]
    game_id: Annotated[int | None, About("The game whose comments hold it; null for an analysis.")]
    made: Annotated[str, About(format="date-time")]


class VerdictsAtPly(JSONObject):
    """The verdicts on a position of a game's main line, the best of an engine first."""

    ply: Number
    verdicts: list[VerdictInfo]


class GameVerdicts(JSONObject):
    """A page of the positions of a game on which there are verdicts."""

    engines: list[VerdictEngine]
    results: list[VerdictsAtPly]
    next_url: NextUrl


class PositionVerdicts(JSONObject):
    """The verdicts on a position, the best of an engine first."""

    game: GameName
    code: str
    engines: list[VerdictEngine]
    verdicts: list[VerdictInfo]


class VerdictsOfPosition(JSONObject):
    """The verdicts on a position of a batch; `code` is what was sent."""

    code: str
    verdicts: list[VerdictInfo]


class VerdictBatch(JSONObject):
    """The verdicts on several positions, in the order of the request."""

    game: GameName
    engines: list[VerdictEngine]
    results: list[VerdictsOfPosition | InvalidPosition]


class AccuracyInfo(JSONObject):
    """The accuracy of a side, from 0 to 100, and the number of its judged moves."""

    side: Side
    accuracy: Accuracy
    moves: Number
    opening: Accuracy
    middlegame: Accuracy
    endgame: Accuracy


class PlyScore(JSONObject):
    """An engine's best verdict on a position of a game. `score` is in hundredths of a pawn."""

    ply: Number
    score: int | None
    mate: MateInfo | None
    chance: Chance
    best: Annotated[str | None, About("The engine's own move.")]


class MoveCost(JSONObject):
    """What the move to a ply cost its side."""

    ply: Number
    side: Side
    phase: PhaseName
    loss: Annotated[float, About("Of winning chances.", minimum=0, maximum=2)]
    accuracy: Annotated[float, About(minimum=0, maximum=100)]
    weight: Annotated[float, About("The difficulty of the position.", minimum=0)]
    mark: MarkName
    turning: Annotated[bool, About("Whether another side is ahead after it.")]
    likelihood: Annotated[float | None, About("By a network, at most; null by others.", minimum=0, maximum=1)]
    surprising: Annotated[bool, About("Whether a network gave it next to no chance, and it lost nothing.")]
    hard: Annotated[bool, About("Whether the position before it is hard for a network.")]


class CalibrationBand(JSONObject):
    """The positions of held-back games to which an engine's scale gives a chance of Black within a tenth."""

    least: Annotated[float, About("The lowest probability of the tenth.", minimum=0, maximum=1)]
    positions: Number
    games: Number
    predicted: Annotated[float, About("The mean probability.", minimum=0, maximum=1)]
    won: Annotated[float, About("The share of positions whose game Black won.", minimum=0, maximum=1)]


class AnalysisInfo(JSONObject):
    """An engine's analysis of a game."""

    engine: VerdictEngine
    calibration: Annotated[
        list[CalibrationBand],
        About("How its winning chances agree with results; empty before a scale is fitted."),
    ]
    made: Annotated[str, About(format="date-time")]
    accuracies: list[AccuracyInfo]
    scores: list[PlyScore]
    moves: list[MoveCost]


class CommentAccuracyInfo(AccuracyInfo):
    """The accuracy of a side by evaluations in comments, null unless half of its moves are judged."""

    played: Annotated[int, About("All moves of the side.", minimum=0)]


class CommentReport(JSONObject):
    """A report by the evaluations in the comments of a record."""

    accuracies: list[CommentAccuracyInfo]
    scores: list[PlyScore]
    moves: list[MoveCost]


class AnalysesInfo(JSONObject):
    """The analyses of a game, those of engines first."""

    results: list[AnalysisInfo]
    comments: Annotated[
        CommentReport | None, About("By evaluations in comments; null if no two of them can be compared.")
    ]


class MistakeInfo(JSONObject):
    """A marked move, and the moves that are accepted in its place."""

    ply: Annotated[int, About("Of the move.", minimum=1)]
    side: Side
    mark: MarkName
    loss: Annotated[float, About("Of winning chances.", minimum=0, maximum=2)]
    code: Annotated[str, About("The position before the move.")]
    sfen: str
    played: str
    best: VerdictLine
    accepted: Annotated[list[str], About("In USI, the engine's own first.")]
    usual: Annotated[list[str], About("Those that are accepted because they are played often.")]


class MistakesInfo(JSONObject):
    """The mistakes of a game by an engine; no engine without an analysis."""

    engine: VerdictEngine | None
    results: list[MistakeInfo]
