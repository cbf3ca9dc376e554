"""The visibility of deleted uploads, games and records.

An upload disappears for everybody as soon as its deletion is requested, and so do games that nobody else has
sent. Users with the permission `archive.view_upload` see them until the deletion is complete.

When a single game is deleted, its records stay, because their bytes belong to an upload. If these are hidden
too (`Entry.hidden`), they disappear for everybody else, with every file that contains them: the complete
upload, and other entries that were read from the same file. Quotations from them disappear as well, and so do
the names of those files, which are often the players'.

The same applies to records of games with a player whose name was taken down.

The same applies to records whose game was taken back from the space of its upload: only readers of the game
may read them, staff or not.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from archive.accounts.roles import may_see_hidden
from archive.models import Entry, Game, GameAlias, GameRecord, GoneGame, GoneUpload, Upload
from archive.queries.scope import readable_spaces, reads, reads_game
from archive.queries.sql import Sql, one_of


class GoneError(Http404):
    """The upload, game or record at this address was deleted: status 410."""


def sees_deleted(request: HttpRequest) -> bool:
    """Return whether this request sees what is being deleted."""
    return may_see_hidden(request.user)


def upload_shown(request: HttpRequest, pk: int) -> Upload:
    """Return the upload of an address. Raises Http404, GoneError."""
    upload = Upload.objects.filter(pk=pk).first()
    if upload is None:
        raise _missing(request, GoneUpload.objects.filter(upload_id=pk))
    if not reads(request, upload.space):
        raise Http404
    if upload.state == Upload.State.DELETING and not sees_deleted(request):
        raise GoneError
    return upload


def uploads_shown(request: HttpRequest, pks: Collection[int]) -> QuerySet[Upload]:
    """Return the uploads that lists may show to this request."""
    readable = Upload.objects.filter(pk__in=pks, space__in=readable_spaces(request).values())
    return readable if sees_deleted(request) else readable.exclude(state=Upload.State.DELETING)


def entry_shown(request: HttpRequest, pk: int, seq: int) -> Entry:
    """Return the entry of an address, with its upload. Raises Http404, GoneError."""
    upload = upload_shown(request, pk)
    entry = Entry.objects.filter(upload=upload, seq=seq).select_related("upload").first()
    if entry is None:
        raise Http404
    return entry


def check_bytes(request: HttpRequest, upload: Upload, part: int | None = None) -> None:
    """Raise GoneError if bytes of an upload, or of one part of it, are hidden from this request."""
    if has_hidden(upload, part) and _of_part(hidden_from(request), upload, part).exists():
        raise GoneError


def hidden_from(request: HttpRequest) -> QuerySet[Entry]:
    """Return the entries that are hidden from this request."""
    readable = readable_spaces(request).values()
    if sees_deleted(request):
        return _HIDDEN_ENTRIES.exclude(game__space__in=readable).exclude(game=None)
    return _HIDDEN_ENTRIES.exclude(game__space__in=readable, game__masked=0)


_HIDDEN_ENTRIES: Final = Entry.objects.filter(hidden=True)


def sees_entry(request: HttpRequest, entry: Entry) -> bool:
    """Return whether this request sees the record of an entry."""
    if not entry.hidden:
        return True
    if entry.game is None or entry.game.masked:
        return sees_deleted(request)
    return reads(request, entry.game.space)


def has_hidden(upload: Upload, part: int | None = None) -> bool:
    """Return whether bytes of an upload, or of one part of it, are hidden."""
    return _of_part(_HIDDEN_ENTRIES, upload, part).exists()


def _of_part(entries: QuerySet[Entry], upload: Upload, part: int | None) -> QuerySet[Entry]:
    return entries.filter(upload=upload, **({} if part is None else {"part": part}))


def issues_shown(request: HttpRequest, entry: Entry) -> list[dict[str, Any]]:
    """Return an entry's issues; if its record is hidden from this request, without those that quote it."""
    visible = sees_entry(request, entry)
    return [issue for issue in entry.issues if visible or issue["code"] == "taken-down"]


def hide_names(request: HttpRequest, uploads: Iterable[Upload]) -> None:
    """Blank the names that this request does not see. The uploads must not be saved afterwards."""
    uploads = list(uploads)
    hidden = uploads_with_hidden_names(request, {upload.pk for upload in uploads})
    for upload in uploads:
        if upload.pk in hidden:
            upload.name, upload.paths = "", []


def uploads_with_hidden_names(request: HttpRequest, pks: Collection[int]) -> set[int]:
    """Return the uploads whose names are hidden from this request."""
    return _fully_hidden(pks, hidden_from(request))


def fully_hidden(pks: Collection[int]) -> set[int]:
    """Return the uploads that are themselves a file with hidden bytes, or whose entries are all hidden."""
    return _fully_hidden(pks, _HIDDEN_ENTRIES)


def _fully_hidden(pks: Collection[int], hidden: QuerySet[Entry]) -> set[int]:
    return {
        pk
        for pk in _with_hidden(pks)
        if hidden.filter(upload=pk, path="").exists()
        or not Entry.objects.filter(upload=pk).exclude(pk__in=hidden.filter(upload=pk)).exists()
    }


def _with_hidden(pks: Collection[int]) -> list[int]:
    """Return the uploads with hidden bytes. Every page of a game runs this: compiling it by Django would take
    ten times as long as running it."""
    if not pks:
        return []
    uploads = Sql(f"upload_id {one_of([*pks])}", tuple(pks))
    return [pk for (pk,) in uploads.embed(_WITH_HIDDEN).rows()]


_WITH_HIDDEN: Final = "SELECT DISTINCT upload_id FROM archive_entry WHERE hidden AND {sql}"


def hide_paths(request: HttpRequest, entries: Collection[Entry]) -> None:
    """Blank what is hidden from this request: the paths of files with hidden bytes, and of hidden entries
    also quotations (such as the program) and games. The entries must not be saved afterwards."""
    hidden = hidden_from(request)
    paths: dict[int, set[str]] = {}
    for entry in entries:
        paths.setdefault(entry.upload_id, set())
        if entry.path:
            paths[entry.upload_id].add(entry.path)
    hidden_paths = {
        (pk, path)
        for pk in _with_hidden(paths)
        for path in hidden.filter(upload=pk, path__in=paths[pk]).values_list("path", flat=True).distinct()
    }
    for entry in entries:
        if (entry.upload_id, entry.path) in hidden_paths:
            entry.path = ""
        if not sees_entry(request, entry):
            entry.issues = issues_shown(request, entry)
            entry.path, entry.program, entry.game = "", "", None


def game_shown(request: HttpRequest, pk: int, *, record: bool = True) -> Game | None:
    """Return the game of an address, with its record unless `record` is false; None if there is no game with
    this id, though there may be an alias. Raises GoneError."""
    game = next(iter(Game.objects.raw("SELECT * FROM archive_game WHERE id = %s", [pk])), None)
    if game is None or not reads_game(request, game):
        return None
    if is_hidden(pk) and not sees_deleted(request):
        raise GoneError
    if record:
        (game.stored,) = GameRecord.objects.raw("SELECT * FROM archive_gamerecord WHERE game_id = %s", [pk])
    return game


def game_called(request: HttpRequest, pk: int) -> int:
    """Return the present id of a game by a former one. Raises GoneError; Http404 also for a request that
    could not read the former game, or cannot read the present one."""
    alias = GameAlias.objects.filter(pk=pk).select_related("game").first()
    if alias is None:
        raise _missing(request, GoneGame.objects.filter(pk=pk))
    if not reads(request, alias.space) or not reads_game(request, alias.game):
        raise Http404
    if is_hidden(alias.game_id) and not sees_deleted(request):
        raise GoneError
    return alias.game_id


def editions(game: int, spaces: Collection[int], *, deleted: bool) -> QuerySet[Entry]:
    """Return the editions of a game in the uploads of some spaces, in order of arrival, with or without those
    that are being deleted."""
    entries = Entry.objects.filter(game=game, upload__space__in=spaces).order_by("pk")
    return entries if deleted else entries.exclude(upload__state=Upload.State.DELETING)


_HIDDEN: Final = """
    SELECT (SELECT count(*) FROM (SELECT 1 FROM archive_entry e WHERE e.game_id = %s LIMIT 1) x),
        (SELECT count(*) FROM (
            SELECT 1 FROM archive_entry e JOIN archive_upload u ON u.id = e.upload_id
            WHERE e.game_id = %s AND u.state <> %s LIMIT 1
        ) y)
"""


def is_hidden(game: int) -> bool:
    """Return whether all uploads of a game are being deleted, and the game with them."""
    ((has_entries, stays),) = Sql(_HIDDEN, (game, game, Upload.State.DELETING)).rows()
    return bool(has_entries and not stays)


def _missing(request: HttpRequest, deleted: QuerySet[Any]) -> Http404:
    readable = deleted.filter(space__in=readable_spaces(request).values())
    return GoneError() if readable.exists() else Http404()
