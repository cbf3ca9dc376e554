"""The tables of a backup, in an order in which none refers to a later one, and those that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from django.apps import apps
from django.db.models import BigIntegerField, Field, Model, TextField

from archive.models import User
from archive.models.names import OfName


@dataclass(frozen=True)
class Table:
    """A table of a backup. Its rows are ordered by columns that identify a row.

    With `split`, the first of these columns counts up, and rows are divided into parts by ranges of it, so
    that new rows change the last part only. With `accounts`, the table is left out of a backup without
    accounts. `omitted` are columns that are not written since they follow from others, in addition to those
    that follow from names.
    """

    label: str
    order: tuple[str, ...] = ("id",)
    split: bool = True
    accounts: bool = False
    omitted: frozenset[str] = frozenset()
    replaced: Mapping[str, Any] = field(default_factory=dict)
    """Values of columns in a backup without accounts; `{id}` stands for the row's id."""
    rows: Mapping[str, Any] = field(default_factory=dict)
    """The condition of the rows that are written; the others follow from other tables."""

    @cached_property
    def model(self) -> type[Model]:
        return apps.get_model(self.label)

    @property
    def name(self) -> str:
        """Return the name of the table in the database and in the backup."""
        return self.model._meta.db_table

    @cached_property
    def fields(self) -> dict[str, Field[Any, Any]]:
        """Return the fields of the columns that are written."""
        return {
            field.attname: field
            for field in self.model._meta.concrete_fields
            if not isinstance(field, OfName) and field.attname not in self.omitted
        }

    @cached_property
    def derived(self) -> dict[str, OfName]:
        """Return the fields of the columns that are derived from a name."""
        return {
            field.attname: field for field in self.model._meta.concrete_fields if isinstance(field, OfName)
        }

    @property
    def gives_ids(self) -> bool:
        """Return whether the database generates the ids of rows."""
        return self.model._meta.auto_field is not None


_NOBODY: Final = {
    "username": "account-{id}",
    "password": "!",
    "email": "",
    "first_name": "",
    "last_name": "",
    "last_login": None,
    "is_active": False,
    "is_staff": False,
    "is_superuser": False,
    "role": User.Role.CONTRIBUTOR.value,
}
"""An account that cannot sign in: uploads and libraries need an owner."""

USERS: Final = Table("archive.User", replaced=_NOBODY)
UPLOADS: Final = Table("archive.Upload")
RECORDS: Final = Table("archive.GameRecord", ("game_id",), omitted=frozenset({"keys"}))

TABLES: Final = (
    USERS,
    Table("archive.Space"),
    Table("archive.Membership"),
    Table("archive.LeftSpace", ("space",)),
    Table("archive.SiteText"),
    Table("archive.IndexState", ("version",)),
    Table("archive.Player"),
    Table("archive.Event"),
    Table("archive.Place"),
    UPLOADS,
    Table("archive.Sender"),
    Table("archive.GoneUpload"),
    Table("archive.Game"),
    Table("archive.GameAlias"),
    Table("archive.GoneGame"),
    Table("archive.TakenDown"),
    Table("archive.GamePlayer", ("slot", "colour")),
    Table("archive.GameEvent", ("slot",)),
    Table("archive.GamePlace", ("slot",)),
    Table("archive.Engine"),
    RECORDS,
    Table("archive.HotPosition", ("key",), split=False, omitted=frozenset({"parted"})),
    Table("archive.Entry"),
    Table("archive.Arrival"),
    Table("archive.GameIdentity"),
    Table("archive.CorrectionBatch", replaced={"author_name": ""}),
    Table("archive.Correction", replaced={"author_name": ""}),
    Table("archive.CorrectionEvent", replaced={"account_name": ""}),
    Table("archive.BenchMark", replaced={"account_name": ""}),
    Table("archive.Report"),
    Table("archive.Collection"),
    Table("archive.CollectionGame"),
    Table("archive.GameAnalysis", ("game_id", "engine_id")),
    Table("archive.Verdict", ("key", "engine_id", "lines"), split=False, rows={"game": 0}),
    Table("archive.Problem"),
    Table("archive.ProblemSource", ("problem_id", "game")),
    Table("archive.ProblemTheme", ("theme", "problem_id"), split=False),
    Table("archive.ProblemNeighbour", ("key", "problem_id"), split=False),
    Table("archive.ProblemRating", ("problem_id",)),
    Table("auth.Group", accounts=True),
    Table("auth.Group_permissions", accounts=True),
    Table("archive.User_groups", accounts=True),
    Table("archive.User_user_permissions", accounts=True),
    Table("account.EmailAddress", accounts=True),
    Table("mfa.Authenticator", accounts=True),
    Table("archive.Token", accounts=True),
    Table("archive.AccountInvitation", accounts=True),
    Table("archive.AccountInvitation_used_by", accounts=True),
    Table("archive.Invitation", accounts=True),
    Table("archive.Share", accounts=True),
    Table("archive.Hook", accounts=True),
    Table("archive.HookDelivery", split=False, accounts=True),
    Table("archive.Draft", accounts=True),
    Table("archive.Follow", accounts=True),
    Table("archive.PositionNote", accounts=True),
    Table("archive.OwnName", accounts=True),
    Table("archive.ProblemSolver", ("user_id",), accounts=True),
    Table("archive.ProblemAttempt", accounts=True),
    Table("archive.Repertoire", accounts=True),
    Table("archive.RepertoireMove", accounts=True),
    Table("archive.TrainingCard", accounts=True),
    Table("archive.AnalysisVolunteer", accounts=True),
    Table("archive.AuditLine", accounts=True),
)


@dataclass(frozen=True)
class FormerTable(Table):
    """A table of earlier backups: further names, which are merged rows of `now` today."""

    now: Table = field(kw_only=True)
    former_name: str = field(kw_only=True)
    owner: str = field(kw_only=True)
    """The column with the row that had the name."""

    @property
    def name(self) -> str:
        return self.former_name

    @cached_property
    def fields(self) -> dict[str, Field[Any, Any]]:
        numbers: dict[str, Field[Any, Any]] = {
            name: BigIntegerField(null=True) for name in ("id", "space", self.owner, "former")
        }
        return numbers | {"name": TextField()}

    def renewed(self, row: Mapping[str, Any], last: int) -> dict[str, Any]:
        """Return the row of `now`. One without a former id gets one behind `last`."""
        names = self.now.fields
        defaults = {name: names[name].get_default() for name in names}
        home = {"merged_into_id": row[self.owner], "home_id": row[self.owner]}
        pk = row["former"] or last + row["id"]
        return {**defaults, "id": pk, "space": row["space"], "name": row["name"], **home}


FORMER: Final = {
    f"archive_{kind}alias": FormerTable(
        f"archive.{kind.title()}",
        now=next(table for table in TABLES if table.label == f"archive.{kind.title()}"),
        former_name=f"archive_{kind}alias",
        owner=f"{kind}_id",
    )
    for kind in ("player", "event")
}

_FOLLOWS: Final = "follows from the records of games: made anew"
_RUNNING: Final = "of processes that run, not of the archive"
_MADE: Final = "made by migrations"
_ANALYSES: Final = "open work, which is requested anew; its results are in the verdicts"

LEFT_OUT: Final[dict[str, str]] = {
    "archive_uploadchunk": "bytes of uploads: files of their own",
    "archive_occurrence": _FOLLOWS,
    "archive_occurrence_recent": _FOLLOWS,
    "archive_occurrence_settled": _FOLLOWS,
    "archive_occurrence_settling": _FOLLOWS,
    "archive_gameseries": _FOLLOWS,
    "archive_gametext": _FOLLOWS,
    "archive_gameformation": _FOLLOWS,
    "archive_textindex": _FOLLOWS,
    "archive_columnsegment": _FOLLOWS,
    "archive_columnwaiting": _FOLLOWS,
    "archive_columngone": _FOLLOWS,
    "archive_gamechange": "begins anew with the stored games",
    "archive_hotmove": "counted anew for each hot position",
    "archive_hotpart": "counted anew for each busy position",
    "archive_counted": _RUNNING,
    "archive_changes": _RUNNING,
    "archive_throttle": _RUNNING,
    "archive_heardprocess": _RUNNING,
    "archive_tally": _RUNNING,
    "archive_problemscan": "begins anew, since changes are numbered anew",
    "archive_devicegrant": "good for minutes",
    "archive_analysisrequest": _ANALYSES,
    "archive_analysisgame": _ANALYSES,
    "archive_analysisclaim": _ANALYSES,
    "archive_analysischeck": _ANALYSES,
    "account_emailconfirmation": "good for minutes",
    "django_session": "who is signed in signs in again",
    "usersessions_usersession": "who is signed in signs in again",
    "django_admin_log": "the audit log tells who did what",
    "auth_permission": _MADE,
    "django_content_type": _MADE,
    "django_migrations": _MADE,
}
"""Tables that are in no backup, and the reasons."""


def tables_of_backup(*, accounts: bool) -> tuple[Table, ...]:
    """Return the tables of a backup with or without accounts."""
    return tuple(table for table in TABLES if accounts or not table.accounts)
