"""The editions of a game on its page: where each came from, what was noticed, what could not be read."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.db.models import QuerySet
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
"""Editions that a page tells of; the same game may come a thousand times."""
UNREAD: Final = 2_000
"""Characters of unread text that a page shows of an edition; all of it stands in the source."""
ISSUES: Final = 20
NAME: Final = 200


@dataclass(frozen=True, slots=True)
class Source:
    """An edition. `unread` is the beginning of the text that could not be read, `whole` where that is cut off
    the address of the edition's bytes."""

    url: str
    name: str
    facts: str
    issues: list[ShownIssue]
    more_issues: int
    unread: str
    whole: str


def sources_of(request: HttpRequest, game: int) -> tuple[list[Source], int, list[tuple[int, str]]]:
    """Return the first editions of a game, how many more there are, and the bookmarks of the first ones."""
    deleted, spaces = sees_deleted(request), tuple(readable_spaces(request).values())
    rows = _first(spaces, deleted=deleted).rows(game)
    more = editions(game, spaces, deleted=deleted).count() - MOST if len(rows) > MOST else 0
    found = [_entry(*row[:-2]) for row in rows[:MOST]]
    marks = [(int(ply), str(name)) for row in rows[:MOST] for ply, name in json.loads(row[-1] or "[]") or ()]
    hide_names(request, [entry.upload for entry in found])
    hide_paths(request, found)
    return [_source(entry, row[-2] or "") for entry, row in zip(found, rows, strict=False)], more, marks


@lru_cache(maxsize=64)
def _first(spaces: tuple[int, ...], *, deleted: bool) -> PreparedQuery:
    """Return the question about a game's first editions in these spaces.

    Of long texts the database gives the beginning only.
    """
    return PreparedQuery(lambda game: _told(editions(game, spaces, deleted=deleted)))


def _told(found: QuerySet[Entry]) -> QuerySet[Entry, Any]:
    return (
        found.annotate(unread=Left(KeyTextTransform("unread", "beyond_jkf"), UNREAD + 1))
        .annotate(marks=KeyTransform("bookmarks", "beyond_jkf"))
        .values_list(*_COLUMNS, "upload_id", "upload__name", "issues", "unread", "marks")[: MOST + 1]
    )


_COLUMNS: Final = ("seq", "path", "hidden", "format", "encoding", "program")


def _entry(*row: Any) -> Entry:
    """Make an edition with its upload, to be shown."""
    *columns, upload, name, issues = row
    fields = dict(zip(_COLUMNS, columns, strict=True))
    return Entry(**fields, upload=Upload(pk=upload, name=name), issues=json.loads(issues))


def broken(sources: list[Source]) -> ShownIssue | None:
    """Return why a game is not whole: what kept its first edition from being read to the end.

    Return None where any of its editions was read to the end.
    """
    first = [next((one for one in source.issues if one.severity == "error"), None) for source in sources]
    return first[0] if first and all(first) else None


def _source(entry: Entry, unread: str) -> Source:
    name = entry.path or source_name(entry.upload_id, entry.upload.name)
    return Source(
        url=reverse("upload-detail", args=[entry.upload_id]),
        name=name[:NAME],
        facts=" · ".join(filter(None, [entry.format.upper(), entry.encoding, entry.program[:NAME]])),
        issues=shown_issues(entry.issues, ISSUES),
        more_issues=len(entry.issues[ISSUES:]),
        unread=unread[:UNREAD],
        whole=reverse("api:entry-source", args=[entry.upload_id, entry.seq]) if len(unread) > UNREAD else "",
    )
