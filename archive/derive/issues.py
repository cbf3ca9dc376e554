"""Findings about records: as JSON in the database, and with a text in the reader's language."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _

from kifu_core.errors import Issue, KifuError
from kifu_core.messages import Language, message

TEXTS: Final = {
    # files in containers
    "unknown-container": _("{text} archives cannot be read; please send a ZIP or tar file"),
    "is-container": _("this is an archive ({text}); add it, and every file in it is read"),
    "needs-7z": _("to read 7z archives the server needs py7zr (pip install py7zr)"),
    "kept-reading": _("it cannot be read any more; what was read before is kept"),
    "unknown-day": _("this date cannot be read: {text}; it stays in the record as it is"),
    "taken-down": _("this game was taken down before; it is held until the staff lets it in"),
    "ply-out-of-range": _("there is no ply {ply}: the main line has plies 0 to {last}"),
    # work
    "no-game": _("there is no game in it"),
    "too-slow": _("reading it took more than {seconds} seconds and was stopped"),
    "too-slow-here": _(
        "reading it takes longer than {seconds} s and was stopped; add it to the archive instead"
    ),
    "too-large-here": _("a record has at most {limit} bytes here; add larger ones to the archive"),
    "nul-character": _("this text has a NUL character (U+0000)"),
    "worker-died": _("reading this part crashed again and again; it was left out"),
    "gave-up": _("given up after {tries} tries without progress"),
}
"""Texts of the archive's own findings by code; `kifu_core.messages` has those about records."""


def as_stored(issue: Issue) -> dict[str, Any]:
    """Return a finding as JSON for the database: a code and params, without a text."""
    return {
        "code": issue.code,
        "severity": issue.severity,
        "line": issue.line,
        "column": issue.column,
        "ply": issue.ply,
        "params": dict(issue.params),
        "source_line": issue.source_line,
    }


def as_json(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored finding with its text in the reader's language in place of its params."""
    return {name: value for name, value in stored.items() if name != "params"} | {
        "message": stored_text(stored)
    }


def stored_text(stored: Mapping[str, Any]) -> str:
    """Return the text of a stored finding in the reader's language."""
    params = dict(stored.get("params") or {})
    if stored.get("ply") is not None:
        params.setdefault("ply", stored["ply"])
    return text_of(str(stored["code"]), params)


def text_of(code: str, params: Mapping[str, str | int], reader: Language | None = None) -> str:
    """Return the text of a finding in a language (default: the reader's); an unknown code is its own text."""
    reader = reader or language()
    if code not in TEXTS:
        return message(code, params, reader)
    with override(reader):
        return str(TEXTS[code]).format_map(defaultdict(lambda: "?", params))


def detail_of(error: KifuError, reader: Language | None = None) -> str:
    """Return the message of an error, or the text of its code in a language (default: the reader's)."""
    code = next((code for code in (f"{error.code}-here", error.code) if code in TEXTS), None)
    if code and not error.message:
        return text_of(code, error.params, reader)
    return error.message or message(error, language=reader or language())


def language() -> Language:
    """Return the reader's language."""
    return "ja" if (get_language() or "ja").startswith("ja") else "en"
