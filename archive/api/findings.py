"""Findings about records as they are sent."""

from collections.abc import Iterable, Mapping
from typing import Any

from archive.api.shapes.common import IssueInfo
from archive.derive import issues
from kifu_core.errors import Issue


def stored_issue(stored: Mapping[str, Any]) -> IssueInfo:
    """Return a stored finding, with its text in the reader's language."""
    return IssueInfo(**issues.as_json(stored))


def issue_list(found: Iterable[Issue]) -> list[IssueInfo]:
    """Return the findings of a reading, with their texts in the reader's language."""
    return [stored_issue(issues.as_stored(issue)) for issue in found]
