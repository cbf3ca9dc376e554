"""The tables; docs/position-index.md explains those of the index.

Rows of games, entries and the index are written by `archive.store` only, and into an empty archive by
`archive.backup`. Foreign keys PROTECT, so that nothing else can delete them.
"""

from typing import Final

from archive.models.accounts import AccountInvitation, DeviceGrant, Token, User, UserManager
from archive.models.analysis import Engine, GameAnalysis, Verdict
from archive.models.analysis_queue import (
    AnalysisCheck,
    AnalysisClaim,
    AnalysisGame,
    AnalysisRequest,
    AnalysisVolunteer,
)
from archive.models.audit import AuditEvent, AuditLine
from archive.models.collections import Collection, CollectionGame
from archive.models.columns import ColumnGone, ColumnSegment, ColumnWaiting
from archive.models.corrections import Correction, CorrectionBatch, CorrectionEvent, GameIdentity
from archive.models.drafts import Draft
from archive.models.entries import Entry
from archive.models.following import Follow, OwnName, PositionNote
from archive.models.games import (
    GAMES_OF,
    WITHOUT_OPINION,
    Game,
    GameAlias,
    GameChange,
    GameEvent,
    GameFormation,
    GamePlace,
    GamePlayer,
    GameRecord,
    GameSeries,
    GameText,
    GoneGame,
    TakenDown,
)
from archive.models.hooks import Arrival, Hook, HookDelivery
from archive.models.index import HotMove, HotPart, HotPosition, IndexState, Occurrence
from archive.models.marks import BenchMark
from archive.models.names import LABELS, NAMED, AnyName, Event, Label, Name, NameKind, Place, Player
from archive.models.observing import HeardProcess, ProcessRole, Tally
from archive.models.problems import (
    Problem,
    ProblemAttempt,
    ProblemNeighbour,
    ProblemRating,
    ProblemScan,
    ProblemSolver,
    ProblemSource,
    ProblemTheme,
)
from archive.models.site import Report, SiteText
from archive.models.spaces import Invitation, LeftSpace, Membership, Share, Space
from archive.models.training import Repertoire, RepertoireMove, TrainingCard
from archive.models.uploads import PIECE_BYTES, GoneUpload, Sender, Upload, UploadChunk

__all__ = [
    "GAMES_OF", "LABELS", "LARGEST_ID", "NAMED", "PIECE_BYTES", "WITHOUT_OPINION", "AccountInvitation",
    "AnalysisCheck", "AnalysisClaim", "AnalysisGame", "AnalysisRequest", "AnalysisVolunteer", "AnyName",
    "Arrival", "AuditEvent", "AuditLine", "BenchMark", "Collection", "CollectionGame", "ColumnGone",
    "ColumnSegment", "ColumnWaiting", "Correction", "CorrectionBatch", "CorrectionEvent", "DeviceGrant",
    "Draft", "Engine", "Entry", "Event", "Follow", "Game", "GameAlias", "GameAnalysis", "GameChange",
    "GameEvent", "GameFormation", "GameIdentity", "GamePlace", "GamePlayer", "GameRecord", "GameSeries",
    "GameText", "GoneGame", "GoneUpload", "HeardProcess", "Hook", "HookDelivery", "HotMove", "HotPart",
    "HotPosition", "IndexState", "Invitation", "Label", "LeftSpace", "Membership", "Name", "NameKind",
    "Occurrence", "OwnName", "Place", "Player", "PositionNote", "Problem", "ProblemAttempt",
    "ProblemNeighbour", "ProblemRating", "ProblemScan", "ProblemSolver", "ProblemSource", "ProblemTheme",
    "ProcessRole", "Repertoire", "RepertoireMove", "Report", "Sender", "Share", "SiteText", "Space",
    "TakenDown", "Tally", "Token", "TrainingCard", "Upload", "UploadChunk", "User", "UserManager", "Verdict",
]  # fmt: skip

LARGEST_ID: Final = 2**63 - 1
"""The largest number that a database takes for an id."""
