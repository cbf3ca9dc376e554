"""The editions of a game on its page: where each came from, what was noticed, what could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Left
from django.http import HttpRequest
from django.urls import reverse

from archive.models import Entry
from archive.queries.taken_down import hide_names, hide_paths
from archive.web.game_search import source_name
from archive.web.issues import ShownIssue, shown_issues

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


def sources_of(
    request: HttpRequest, editions: QuerySet[Entry]
) -> tuple[list[Source], int, list[tuple[int, str]]]:
    """The first editions of a game, how many more there are, and the bookmarks of the first.

    Of long texts the database gives the beginning only.
    """
    shown = (
        editions.defer("beyond_jkf", "parsed_facts", "record")
        .annotate(unread=Left(KeyTextTransform("unread", "beyond_jkf"), UNREAD + 1))
        .annotate(marks=KeyTransform("bookmarks", "beyond_jkf"))
    )
    found = list(shown[: MOST + 1])
    more = editions.count() - MOST if len(found) > MOST else 0
    marks = [(int(ply), str(name)) for entry in found[:MOST] for ply, name in entry.marks or ()]
    hide_names(request, [entry.upload for entry in found])
    hide_paths(request, found)
    return [_source(entry) for entry in found[:MOST]], more, marks


def broken(sources: list[Source]) -> ShownIssue | None:
    """Why a game is not whole: what kept its first edition from being read to the end; None where any of its
    editions was."""
    first = [next((one for one in source.issues if one.severity == "error"), None) for source in sources]
    return first[0] if first and all(first) else None


def _source(entry: Any) -> Source:
    name = entry.path or source_name(entry.upload_id, entry.upload.name)
    unread = entry.unread or ""
    return Source(
        url=reverse("upload-detail", args=[entry.upload_id]),
        name=name[:NAME],
        facts=" · ".join(filter(None, [entry.format.upper(), entry.encoding, entry.program[:NAME]])),
        issues=shown_issues(entry.issues, ISSUES),
        more_issues=len(entry.issues[ISSUES:]),
        unread=unread[:UNREAD],
        whole=reverse("api:entry-source", args=[entry.upload_id, entry.seq]) if len(unread) > UNREAD else "",
    )
