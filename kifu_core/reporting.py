"""Findings and errors of the `kifu` command, on standard error."""

import sys
from collections.abc import Callable, Iterable
from functools import partial

from kifu_core.errors import Issue, KifuError
from kifu_core.files import SourceFile, files
from kifu_core.messages import Language, message


def print_issue(path: str, issue: Issue | KifuError, language: Language) -> None:
    """Print a finding as compilers do: `file:line:column: message [code]`."""
    place = ":".join(str(part) for part in (path, issue.line, issue.column) if part is not None)
    print(f"{place}: {message(issue, language=language)} [{issue.code}]", file=sys.stderr)


class Attempts:
    """Does the work of a command piece by piece; `failed` is set if any piece was refused."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.failed = False

    def read(self, paths: Iterable[str], take: Callable[[SourceFile], object]) -> None:
        """Call a function with each file (`files.files`)."""
        for file in files(paths):
            self.do(file.path, partial(take, file))

    def do(self, path: str, action: Callable[[], object]) -> None:
        """Call a function; report its KifuError or OSError as one of this path."""
        try:
            action()
        except BrokenPipeError:  # the reader of the output has seen enough
            raise
        except OSError as error:
            self.failed = True
            print_os_error(error, path)
        except KifuError as error:
            self.fail(path, error)

    def fail(self, path: str, finding: Issue | KifuError) -> None:
        self.failed = True
        print_issue(path, finding, self.language)


def print_os_error(error: OSError, path: str) -> None:
    print(f"{error.filename or path}: {error.strerror or error}", file=sys.stderr)
