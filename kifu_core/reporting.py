"""Findings and errors of the `kifu` command, on standard error."""

import sys

from kifu_core.errors import Issue, KifuError
from kifu_core.messages import Language, message


def print_issue(path: str, issue: Issue | KifuError, language: Language) -> None:
    """Print a finding as compilers do: `file:line:column: message [code]`."""
    place = ":".join(str(part) for part in (path, issue.line, issue.column) if part is not None)
    print(f"{place}: {message(issue, language=language)} [{issue.code}]", file=sys.stderr)


def print_os_error(error: OSError, path: str) -> None:
    print(f"{error.filename or path}: {error.strerror or error}", file=sys.stderr)
