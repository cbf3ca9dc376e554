"""What was taken down: who can still see it, and the fact that it existed.

An upload is gone for everybody as soon as somebody asks for its deletion, and so are games that nobody else
has sent. Users with the permission `archive.view_upload` see them as long as anything is left.

When a single game is deleted, its records stay, because their bytes are what somebody sent. If these are
hidden too (`Entry.hidden`), they are gone for everybody else, and with them every file that contains them:
the whole upload, and what other entries were read from the same file. Quotations from them go as well, and so
do the names of those files, which are often the players'.

The same holds for records whose game was taken back from the space of its upload: whoever may read the game
may read them, and nobody else, staff or not.
"""

from collections.abc import Collection, Iterable
from typing import Any, Final

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from archive.models import Entry, Game, GameAlias, GameRecord, GoneGame, GoneUpload, Upload
from archive.project.reading import connection
from archive.queries.scope import readable_spaces, reads, reads_game


class GoneError(Http404):
    """There was something at this address; it was taken down. 410."""


def sees_deleted(request: HttpRequest) -> bool:
    """Tell whether this request sees what is being deleted."""
    return bool(request.user.has_perm("archive.view_upload"))


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
    """Return those of the uploads that a list names to this request."""
    found = Upload.objects.filter(pk__in=pks, space__in=readable_spaces(request).values())
    return found if sees_deleted(request) else found.exclude(state=Upload.State.DELETING)


def entry_shown(request: HttpRequest, pk: int, seq: int) -> Entry:
    """Return the entry of an address, with its upload. Raises Http404, GoneError."""
    upload = upload_shown(request, pk)
    entry = Entry.objects.filter(upload=upload, seq=seq).select_related("upload").first()
    if entry is None:
        raise Http404
    return entry


def check_bytes(request: HttpRequest, upload: Upload, part: int | None = None) -> None:
    """Raise GoneError where bytes of an upload, or of one part of it, are hidden from this request."""
    if has_hidden(upload, part) and _of_part(hidden_from(request), upload, part).exists():
        raise GoneError


def hidden_from(request: HttpRequest) -> QuerySet[Entry]:
    """Return the entries that are hidden from this request."""
    hidden = _HIDDEN_ENTRIES.exclude(game__space__in=readable_spaces(request).values())
    return hidden.exclude(game=None) if sees_deleted(request) else hidden


_HIDDEN_ENTRIES: Final = Entry.objects.filter(hidden=True)


def sees_entry(request: HttpRequest, entry: Entry) -> bool:
    """Tell whether this request sees what an entry is made of."""
    if not entry.hidden:
        return True
    return sees_deleted(request) if entry.game is None else reads(request, entry.game.space)


def has_hidden(upload: Upload, part: int | None = None) -> bool:
    """Tell whether bytes of an upload, or of one part of it, are hidden."""
    return _of_part(_HIDDEN_ENTRIES, upload, part).exists()


def _of_part(entries: QuerySet[Entry], upload: Upload, part: int | None) -> QuerySet[Entry]:
    found = entries.filter(upload=upload)
    return found if part is None else found.filter(part=part)


def issues_shown(request: HttpRequest, entry: Entry) -> list[dict[str, Any]]:
    """Return an entry's issues, without those that quote what is hidden from this request."""
    shown = sees_entry(request, entry)
    return [issue for issue in entry.issues if shown or issue["code"] == "taken-down"]


def hide_names(request: HttpRequest, uploads: Iterable[Upload]) -> None:
    """Take from uploads, which are to be shown and not saved, the names that this request does not see."""
    shown = list(uploads)
    hidden = uploads_with_hidden_names(request, {upload.pk for upload in shown})
    for upload in shown:
        if upload.pk in hidden:
            upload.name, upload.paths = "", []


def uploads_with_hidden_names(request: HttpRequest, pks: Collection[int]) -> set[int]:
    """Return those of the uploads whose names are hidden from this request."""
    return _wholly_hidden(pks, hidden_from(request))


def wholly_hidden(pks: Collection[int]) -> set[int]:
    """Return those of the uploads that are themselves a file with hidden bytes, or of which all is hidden."""
    return _wholly_hidden(pks, _HIDDEN_ENTRIES)


def _wholly_hidden(pks: Collection[int], hidden: QuerySet[Entry]) -> set[int]:
    return {
        pk
        for pk in _with_hidden(pks)
        if hidden.filter(upload=pk, path="").exists()
        or not Entry.objects.filter(upload=pk).exclude(pk__in=hidden.filter(upload=pk)).exists()
    }


def _with_hidden(pks: Collection[int]) -> list[int]:
    """Return those of the uploads that hold hidden bytes. Every page of a game asks this, in SQL written out:
    to put the question together would take ten times as long as to answer it."""
    if not pks:
        return []
    places = ", ".join(["%s"] * len(pks))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT DISTINCT upload_id FROM archive_entry WHERE hidden AND upload_id IN ({places})", [*pks]
        )
        return [pk for (pk,) in cursor.fetchall()]


def hide_paths(request: HttpRequest, entries: Collection[Entry]) -> None:
    """Remove what is hidden from this request from entries that will be shown and not saved: the paths of
    files that contain it, and, of hidden entries, quotations (such as the program) and games."""
    hidden = hidden_from(request)
    paths: dict[int, set[str]] = {}
    for entry in entries:
        paths.setdefault(entry.upload_id, set())
        if entry.path:
            paths[entry.upload_id].add(entry.path)
    gone = {
        (pk, path)
        for pk in _with_hidden(paths)
        for path in hidden.filter(upload=pk, path__in=paths[pk]).values_list("path", flat=True).distinct()
    }
    for entry in entries:
        if (entry.upload_id, entry.path) in gone:
            entry.path = ""
        if not sees_entry(request, entry):
            entry.issues = issues_shown(request, entry)
            entry.path, entry.program, entry.game = "", "", None


def game_shown(request: HttpRequest, pk: int, *, record: bool = True) -> Game | None:
    """Return the game of an address, with its record where that is wanted; None where there is none of this
    id, though there may be an alias. Raises GoneError."""
    game = next(iter(Game.objects.raw("SELECT * FROM archive_game WHERE id = %s", [pk])), None)
    if game is None or not reads_game(request, game):
        return None
    if is_hidden(pk) and not sees_deleted(request):
        raise GoneError
    if record:
        (game.stored,) = GameRecord.objects.raw("SELECT * FROM archive_gamerecord WHERE game_id = %s", [pk])
    return game


def game_called(request: HttpRequest, pk: int) -> int:
    """Return the present id of a game by a former one. Raises Http404, GoneError.

    It tells nothing to somebody who could not read the game of the former id, or cannot read the present one.
    """
    alias = GameAlias.objects.filter(pk=pk).select_related("game").first()
    if alias is None:
        raise _missing(request, GoneGame.objects.filter(pk=pk))
    if not reads(request, alias.space) or not reads_game(request, alias.game):
        raise Http404
    if is_hidden(alias.game_id) and not sees_deleted(request):
        raise GoneError
    return alias.game_id


def editions(game: int, spaces: Collection[int], *, deleted: bool) -> QuerySet[Entry]:
    """Return the editions of a game that came in uploads for these spaces, in the order in which they came,
    with or without those that are being deleted."""
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
    """Tell whether all uploads that a game came in are being deleted: it will be gone itself."""
    with connection.cursor() as cursor:
        cursor.execute(_HIDDEN, [game, game, Upload.State.DELETING])
        came, stays = cursor.fetchone()
    return bool(came and not stays)


def _missing(request: HttpRequest, gone: QuerySet[Any]) -> Http404:
    there = gone.filter(space__in=readable_spaces(request).values())
    return GoneError() if there.exists() else Http404()
