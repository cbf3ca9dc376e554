"""Issues of a reading for pages: text, place and the marked source line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from archive.derive.issues import stored_text
from kifu_core.errors import LEFT_OUT


@dataclass(frozen=True, slots=True)
class ShownIssue:
    """An issue for a page. The source line is split around the character at fault."""

    severity: str
    text: str
    where: str
    before: str = ""
    marked: str = ""
    after: str = ""


def shown_issues(issues: Iterable[Mapping[str, Any]], most: int | None = None) -> list[ShownIssue]:
    """Return stored issues (`archive.models.Entry.issues`) for a page, or `most` of them, errors first."""
    ranks = {"error": 0, "warning": 1}
    ordered = sorted(issues, key=lambda issue: ranks.get(issue["severity"], 2))
    return [_shown(issue) for issue in ordered[:most]]


def is_broken(issues: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a stored record could not be read to its end."""
    return any(issue["severity"] == "error" for issue in issues)


def _shown(issue: Mapping[str, Any]) -> ShownIssue:
    line = issue.get("source_line") or ""
    column = issue.get("column")
    left_out = (issue.get("params") or {}).get(LEFT_OUT, 0)
    at = column - 1 - left_out if column and column - left_out <= len(line) else len(line)
    return ShownIssue(
        severity=issue["severity"],
        text=stored_text(issue),
        where=_where(issue.get("line"), column, issue.get("ply")),
        before="…" * bool(left_out) + line[:at],
        marked=line[at : at + 1],
        after=line[at + 1 :],
    )


def _where(line: int | None, column: int | None, ply: int | None) -> str:
    parts = (
        line and _("line %(line)s") % {"line": line},
        line and column and _("column %(column)s") % {"column": column},
        ply and _("move %(ply)s") % {"ply": ply},
    )
    return " · ".join(str(part) for part in parts if part)
