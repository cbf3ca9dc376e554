"""Findings about records as JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

from archive.derive.issues import as_stored, stored_text
from archive.shapes.common import IssueInfo
from kifu_core.errors import Issue


def stored_issue(stored: Mapping[str, Any]) -> IssueInfo:
    """Return a stored finding, with its text in the reader's language.

    The reason why an upload failed has a code and params only.
    """
    return IssueInfo(
        code=stored["code"],
        severity=stored.get("severity", "error"),
        line=stored.get("line"),
        column=stored.get("column"),
        ply=stored.get("ply"),
        source_line=stored.get("source_line", ""),
        message=stored_text(stored),
    )


def issue_list(issues: Iterable[Issue]) -> list[IssueInfo]:
    """Return the findings of a reading, with their texts in the reader's language."""
    return [stored_issue(as_stored(issue)) for issue in issues]
