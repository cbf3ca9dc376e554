"""A text about an entry that could not be read, to send to somebody who can help."""

import platform
from typing import Any, Final

from archive.derive import issues
from archive.models import Entry
from kifu_core import __version__

SHOWN: Final = 20


def report(entry: Entry, *, for_staff: bool = False) -> str:
    """Describe what was uploaded, what was noticed, and with which version; without bytes or names of people.

    Only the staff's report says something about the machine.
    """
    upload = entry.upload
    found = [issues.as_json(issue) for issue in entry.issues]
    lines = [
        f"Kifu Archive {__version__}" + (f", Python {platform.python_version()}" if for_staff else ""),
        f"upload {upload.pk}, entry {entry.seq}: {entry.state}",
        f"file: {upload.name}" + (f" / {entry.path}" if entry.path else ""),
        f"game in the file: {entry.index + 1}",
        f"upload's SHA-256: {upload.sha256}, {upload.size} bytes",
        f"format: {entry.format or '?'}, encoding: {entry.encoding or '?'}, program: {entry.program or '?'}",
        "",
        f"findings: {len(found)}",
        *(text for issue in found[:SHOWN] for text in _lines(issue)),
    ]
    if len(found) > SHOWN:
        lines.append(f"... and {len(found) - SHOWN} more")
    return "\n".join(lines) + "\n"


def _lines(issue: dict[str, Any]) -> list[str]:
    place = ", ".join(
        f"{name} {issue[name]}" for name in ("line", "column", "ply") if issue.get(name) is not None
    )
    lines = [
        f"- {issue['severity']} {issue['code']}" + (f" ({place})" if place else "") + f": {issue['message']}"
    ]
    return [*lines, f"  > {issue['source_line']}"] if issue.get("source_line") else lines
