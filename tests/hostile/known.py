"""What a visitor can know of an archive: ids, codes, cursors and names, learned from the archive itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, urlsplit

from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.staticfiles.finders import get_finders
from django.db.models import Model

from archive.columns.folder import MANIFEST
from archive.export.record_files import DOWNLOADS
from archive.models import Entry, Event, Game, Place, Player, Upload, User
from kifu_core.shogi.formations import BY_NAME
from tests.serving import Archive

FEW = 12
CSRF = "k" * 32
"""A token of our own making, sent as cookie and as header alike, is what Django asks for."""


@dataclass
class Known:
    """Ids by the word that stands before them in an address; the rest by what it is."""

    ids: dict[str, list[str]] = field(default_factory=dict)
    entries: list[tuple[str, str]] = field(default_factory=list)
    """Uploads and numbers of entries in them."""
    codes: dict[str, list[str]] = field(default_factory=dict)
    cursors: list[bytes] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    formats: tuple[str, ...] = tuple(DOWNLOADS)
    formations: tuple[str, ...] = tuple(BY_NAME)
    columns: list[str] = field(default_factory=lambda: [MANIFEST])
    """Files that are offered of the columns."""
    statics: list[str] = field(default_factory=lambda: sorted(_statics()))


def _statics() -> Iterator[str]:
    """The static files of the archive itself."""
    for finder in get_finders():
        yield from (path for path, _ in finder.list([]) if path.startswith("archive/"))


def learn(archive: Archive, kept: set[int]) -> Known:
    """Ask the archive; uploads in `kept` are left out."""
    known = Known()
    models: dict[str, type[Model]] = {
        "games": Game,
        "players": Player,
        "events": Event,
        "places": Place,
        "entry": Entry,
        "user": User,
        "contenttype": ContentType,
    }
    for word, model in models.items():
        known.ids[word] = [str(pk) for pk in _spread(model)]
    uploads = [pk for pk in _spread(Upload, 200) if pk not in kept]
    known.ids["uploads"] = [str(pk) for pk in uploads]
    rows = Entry.objects.filter(upload__in=uploads).order_by("pk").values_list("upload_id", "seq")
    found = list(rows[:2000])
    known.entries = [(str(upload), str(seq)) for upload, seq in found[:: max(1, len(found) // 200)]]
    known.ids |= {word: known.ids[f"{word}s"] for word in ("game", "player", "event", "place")}
    known.ids |= {"upload": known.ids["uploads"], "entries": known.ids["entry"]}
    known.names = [
        *Player.objects.values_list("name", flat=True)[:20],
        *Event.objects.values_list("name", flat=True)[:20],
    ]
    known.codes = {kind: list(_codes(archive, kind)) for kind in ("shogi", "quoridor")}
    known.cursors = list(_cursors(archive, known))
    offered = archive.get("/api/v1/dumps")["columns"] or {"files": []}
    known.columns += [one["name"] for one in offered["files"]]
    return known


def _spread(model: type[Model], most: int = 60) -> list[int]:
    """First, last and some ids between."""
    pks = list(model._default_manager.order_by("pk").values_list("pk", flat=True))
    return sorted({*pks[:FEW], *pks[-FEW:], *pks[:: max(1, len(pks) // most)]})


def _codes(archive: Archive, kind: str) -> Iterator[str]:
    for pk in Game.objects.filter(kind=kind).order_by("plies").values_list("pk", flat=True)[:3]:
        for row in archive.get(f"/api/v1/games/{pk}/positions")["results"][::9]:
            yield row["code"]


def _cursors(archive: Archive, known: Known) -> Iterator[bytes]:
    lists = ["/api/v1/games?limit=1", "/api/v1/games?limit=1&order=oldest"]
    lists += [f"/api/v1/{names}?limit=1&order=games" for names in ("players", "events", "places")]
    lists += ["/api/v1/patterns?pattern=X5i&limit=1"]
    lists += ["/api/v1/players?limit=1", "/api/v1/events?limit=1"]
    lists += [f"/api/v1/uploads/{pk}/entries?limit=1" for pk in known.ids["uploads"][-3:]]
    lists += [
        f"/api/v1/positions/{kind}/{quote(codes[0], safe='')}/games?limit=1"
        for kind, codes in known.codes.items()
        if codes
    ]
    for address in lists:
        following = archive.get(address).get("next_url")
        if following:
            cursor = parse_qs(urlsplit(following).query)["cursor"][0].encode()
            yield from (cursor, cursor[:-1], cursor + b"A", cursor[::-1], cursor.partition(b":")[0])


def sign_in(name: str, *, staff: bool) -> str:
    """Make a user with a session; the Cookie header of a browser that has it."""
    user, _ = User.objects.get_or_create(username=name, is_staff=staff, is_superuser=staff)
    user.set_unusable_password()
    user.save()
    session = SessionStore()
    session["_auth_user_id"] = str(user.pk)
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session["_auth_user_hash"] = user.get_session_auth_hash()
    session.create()
    return f"sessionid={session.session_key}; csrftoken={CSRF}"
