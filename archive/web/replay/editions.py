"""The editions of a game on its page: their uploads, issues and unread text."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Left
from django.http import HttpRequest
from django.urls import reverse

from archive.models import Entry, Upload
from archive.queries.games.taken_down import editions, hide_names, hide_paths, sees_deleted
from archive.queries.scope import readable_spaces
from archive.queries.sql import PreparedQuery
from archive.web.lists.game_search import source_name
from archive.web.replay.issue_texts import ShownIssue, shown_issues

MOST: Final = 5
"""Editions that a page lists; a game may have a thousand."""
UNREAD: Final = 2_000
"""Characters of unread text that a page shows of an edition."""
ISSUES: Final = 20
NAME: Final = 200


@dataclass(frozen=True, slots=True)
class ShownEdition:
    """An edition. `unread` is the beginning of its unread text; if that is cut, `download` is the address of
    the edition's bytes."""

    url: str
    name: str
    facts: str
    issues: list[ShownIssue]
    more_issues: int
    unread: str
    download: str


def sources_of(request: HttpRequest, game: int) -> tuple[list[ShownEdition], int, list[tuple[int, str]]]:
    """Return the first editions of a game, the number of the others, and the bookmarks of the first ones."""
    deleted, spaces = sees_deleted(request), tuple(readable_spaces(request).values())
    rows = _first(spaces, deleted=deleted).rows(game)
    more = editions(game, spaces, deleted=deleted).count() - MOST if len(rows) > MOST else 0
    entries = [_entry(*row[:-2]) for row in rows[:MOST]]
    marks = [(int(ply), str(name)) for row in rows[:MOST] for ply, name in json.loads(row[-1] or "[]") or ()]
    hide_names(request, [entry.upload for entry in entries])
    hide_paths(request, entries)
    return [_source(entry, row[-2] or "") for entry, row in zip(entries, rows, strict=False)], more, marks


@lru_cache(maxsize=64)
def _first(spaces: tuple[int, ...], *, deleted: bool) -> PreparedQuery:
    """Return the query for a game's first editions in these spaces, with the beginning of their unread
    text."""
    return PreparedQuery(
        lambda game: (
            editions(game, spaces, deleted=deleted)
            .annotate(unread=Left(KeyTextTransform("unread", "beyond_jkf"), UNREAD + 1))
            .annotate(marks=KeyTransform("bookmarks", "beyond_jkf"))
            .values_list(*_ENTRY_COLUMNS, "upload_id", "upload__name", "issues", "unread", "marks")[
                : MOST + 1
            ]
        )
    )


_ENTRY_COLUMNS: Final = ("seq", "path", "hidden", "format", "encoding", "program")


def _entry(*row: Any) -> Entry:
    """Return an unsaved entry with its upload."""
    *columns, upload, name, issues = row
    fields = dict(zip(_ENTRY_COLUMNS, columns, strict=True))
    return Entry(**fields, upload=Upload(pk=upload, name=name), issues=json.loads(issues))


def reading_error(sources: list[ShownEdition]) -> ShownIssue | None:
    """Return the first edition's error if no edition was read to its end, else None."""
    errors = [next((one for one in source.issues if one.severity == "error"), None) for source in sources]
    return errors[0] if errors and all(errors) else None


def _source(entry: Entry, unread: str) -> ShownEdition:
    name = entry.path or source_name(entry.upload_id, entry.upload.name)
    return ShownEdition(
        url=reverse("upload-detail", args=[entry.upload_id]),
        name=name[:NAME],
        facts=" · ".join(filter(None, [entry.format.upper(), entry.encoding, entry.program[:NAME]])),
        issues=shown_issues(entry.issues, ISSUES),
        more_issues=len(entry.issues[ISSUES:]),
        unread=unread[:UNREAD],
        download=reverse("api:entry-source", args=[entry.upload_id, entry.seq])
        if len(unread) > UNREAD
        else "",
    )
