"""A report about an entry that could not be read, to send to somebody who can help."""

import platform
from typing import Final

from archive.api.findings import stored_issue
from archive.models import Entry
from archive.shapes.common import IssueInfo
from kifu_core import __version__

MOST_ISSUES: Final = 20
"""Issues in a report."""


def report(entry: Entry, *, for_staff: bool = False) -> str:
    """Describe an entry, its issues and the version of the archive, without bytes or names of people.

    Only a report for the staff has the version of Python.
    """
    upload = entry.upload
    lines = [
        f"Kifu Archive {__version__}" + (f", Python {platform.python_version()}" if for_staff else ""),
        f"upload {upload.pk}, entry {entry.seq}: {entry.state}",
        f"file: {upload.name}" + (f" / {entry.path}" if entry.path else ""),
        f"game in the file: {entry.index + 1}",
        f"upload's SHA-256: {upload.sha256}, {upload.size} bytes",
        f"format: {entry.format or '?'}, encoding: {entry.encoding or '?'}, program: {entry.program or '?'}",
        "",
        f"findings: {len(entry.issues)}",
        *(line for stored in entry.issues[:MOST_ISSUES] for line in _lines(stored_issue(stored))),
    ]
    if len(entry.issues) > MOST_ISSUES:
        lines.append(f"... and {len(entry.issues) - MOST_ISSUES} more")
    return "\n".join(lines) + "\n"


def _lines(issue: IssueInfo) -> list[str]:
    numbers = {"line": issue.line, "column": issue.column, "ply": issue.ply}
    place = ", ".join(f"{name} {number}" for name, number in numbers.items() if number is not None)
    line = f"- {issue.severity} {issue.code}" + (f" ({place})" if place else "") + f": {issue.message}"
    return [line, f"  > {issue.source_line}"] if issue.source_line else [line]
