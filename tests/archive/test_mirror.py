"""The feed of changes: copies of the archive made from it are equal to it, whatever happens meanwhile."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from threading import Event, Thread
from types import ModuleType
from typing import Any
from urllib.error import HTTPError

import orjson
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from archive import libraries, store
from archive.intake import worker
from archive.models import Entry, Game, GameAlias, GameChange, Upload, User
from kifu_core.classes import PUBLIC
from tests.archive.games import KIF, stored

pytestmark = pytest.mark.django_db

CHANGES = "/api/v1/changes"
HOST = "http://testserver"


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The mirror of the documentation, whose requests are those of a test client."""

    def urlopen(url: str, timeout: float) -> io.BytesIO:
        answer = Client().get(url.removeprefix(HOST))
        body = answer.getvalue() if answer.streaming else answer.content
        if answer.status_code != 200:
            raise HTTPError(url, answer.status_code, "", answer.headers, None)  # type: ignore[arg-type]
        return io.BytesIO(body)

    path = Path(settings.BASE_DIR, "docs", "examples", "mirror.py")
    spec = spec_from_file_location("mirror", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "urlopen", urlopen)
    return module


def number_all() -> None:
    while store.number_changes():
        pass


def games_of(copy: sqlite3.Connection) -> dict[int, Any]:
    games = {pk: orjson.loads(text) for pk, text in copy.execute("SELECT id, game FROM games")}
    return {pk: {name: game[name] for name in game if name != "cursor"} for pk, game in games.items()}


def public_games() -> dict[int, Any]:
    lines = Client().get("/api/v1/games/export").getvalue().splitlines()
    games = [orjson.loads(line) for line in lines]
    assert games.pop()["complete"]
    return {game["id"]: {name: game[name] for name in game if name != "cursor"} for game in games}


def changes(client: Client, url: str = CHANGES, **query: Any) -> tuple[list[tuple[Any, ...]], str]:
    """The changes of one page, and the address of the next."""
    number_all()
    page = client.get(url, query).json()
    return [(one["id"], one["change"], one["merged_into"]) for one in page["results"]], page["next_url"]


# --- an exact copy ---------------------------------------------------------------------------------------

MOVES = ("７六歩(77)", "３四歩(33)", "２六歩(27)", "８四歩(83)", "９六歩(97)", "１四歩(13)")
EXTRAS = ("", "*よい手\n", "*別の注\n")


class Visitors:
    """People who change an archive at random."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.user = User.objects.create_user("anna")
        self.mine = libraries.own_library(self.user).pk
        self.uploads = 0

    def change(self) -> None:
        deeds: list[tuple[Callable[[], object], int]] = [
            (self.add, 8), (self.delete_upload, 3), (self.take_down, 1), (self.move, 4), (self.reread, 2),
        ]  # fmt: skip
        ways, weights = zip(*deeds, strict=True)
        (deed,) = self.random.choices(ways, weights)
        deed()

    def add(self) -> None:
        """Send a file of one or two games, often another edition of a stored one."""
        space = self.random.choice([PUBLIC, PUBLIC, PUBLIC, self.mine])
        text = "\n".join(self._record() for _ in range(self.random.randint(1, 2)))
        self.uploads += 1
        upload, _ = store.create_upload(
            f"{self.uploads}.kif", [text.encode()], source="web", uploader=self.user, space=space
        )
        worker.work_off(upload.pk)

    def _record(self) -> str:
        plies, extra = self.random.randint(1, len(MOVES)), self.random.choice(EXTRAS)
        day = self.random.choice(["", "開始日時：2024/05/01\n", "開始日時：2024/05\n"])
        event = self.random.choice(["", "", "棋戦：王座戦\n", "棋戦：竜王戦\n"])
        lines = [f"   {at} {move}\n{extra}" for at, move in enumerate(MOVES[:plies], start=1)]
        player = self.random.choice("甲乙丙丁")
        return f"手合割：平手\n先手：{player}\n後手：戊\n{day}{event}{''.join(lines)}   {plies + 1} 投了\n"

    def delete_upload(self) -> None:
        if upload := self._any(Upload.objects.exclude(state=Upload.State.DELETING)):
            store.delete_upload(upload)

    def take_down(self) -> None:
        if game := self._any(Game.objects):
            store.delete_games([game], hide_bytes=self.random.random() < 0.5)

    def move(self) -> None:
        """Publish a game, or take one back, or only one of its editions."""
        game = self._any(Game.objects)
        if game is None:
            return
        to = self.mine if Game.objects.get(pk=game).space == PUBLIC else PUBLIC
        uploads = [*Entry.objects.filter(game=game).values_list("upload", flat=True)]
        some = self.random.choice([None, uploads[:1]])
        with suppress(store.TakenDownError):
            store.move_game(game, to, some)

    def reread(self) -> None:
        if upload := self._any(Upload.objects.filter(state=Upload.State.DONE)):
            store.reread(upload)
            worker.work_off(upload)

    def _any(self, rows: Any) -> int | None:
        pks = [*rows.order_by("pk").values_list("pk", flat=True)]
        return self.random.choice(pks) if pks else None


@pytest.mark.one_engine
def test_a_copy_is_exact_after_a_thousand_random_changes(mirror):
    visitors, copy = Visitors(1), sqlite3.connect(":memory:")
    for step in range(1, 1001):
        visitors.change()
        if visitors.random.random() < 0.3:
            store.number_changes(visitors.random.randint(1, 5))
        if visitors.random.random() < 0.05:
            mirror.update(HOST, copy)  # not everything has a number yet
        if step % 100 == 0:
            number_all()
            mirror.update(HOST, copy)
            assert games_of(copy) == public_games(), step
    assert GameAlias.objects.exists()


# --- the feed --------------------------------------------------------------------------------------------


def test_changes_are_listed_from_a_place_on(client):
    stored(KIF)
    stored(KIF.replace("先手の人", "別の人"))
    first, second = Game.objects.order_by("pk").values_list("pk", flat=True)
    listed, after = changes(client, limit=1)
    assert listed == [(first, "added", None)]
    listed, after = changes(client, after)
    assert listed == [(second, "added", None)]
    assert changes(client, after) == ([], after)
    store.delete_games([first])
    stored(KIF.replace("先手の人", "別の人").replace("   2 ３四歩", "*よい手\n   2 ３四歩"))
    later = [(first, "gone", None), (second, "changed", None)]
    assert changes(client, after.replace("limit=1", "limit=10"))[0] == later
    assert changes(client)[0] == later


def test_an_unchanged_page_is_not_sent_again(client):
    stored(KIF)
    _listed, after = changes(client)
    answer = client.get(after)
    assert client.get(after, headers={"If-None-Match": answer["ETag"]}).status_code == 304


def test_a_game_that_is_no_longer_public_is_gone_and_one_that_never_was_is_not_listed(client):
    anna = User.objects.create_user("anna")
    mine = libraries.own_library(anna).pk
    upload, _ = store.create_upload("a.kif", [KIF.encode()], source="web", uploader=anna, space=mine)
    worker.work_off(upload.pk)
    game = Game.objects.get().pk
    listed, after = changes(client)
    assert listed == []
    store.move_game(game, PUBLIC)
    listed, after = changes(client, after)
    assert listed == [(game, "added", None)]
    store.move_game(game, mine)
    assert changes(client, after)[0] == [(game, "gone", None)]
    client.force_login(anna)
    assert changes(client)[0] == [(game, "added", None)]


def test_a_place_is_of_its_spaces_and_of_its_order(client):
    stored(KIF)
    _listed, after = changes(client)
    anna = User.objects.create_user("anna")
    libraries.own_library(anna)
    client.force_login(anna)
    assert client.get(after).json()["code"] == "invalid-cursor"
    client.logout()
    store.restart_changes()
    number_all()
    assert client.get(after).json()["code"] == "invalid-cursor"
    assert len(changes(client)[0]) == 1


def test_a_mirror_begins_anew_after_a_restoration(mirror):
    copy = sqlite3.connect(":memory:")
    stored(KIF)
    stored(KIF.replace("先手の人", "別の人"))
    number_all()
    mirror.update(HOST, copy)
    GameChange.objects.all().delete()
    store.delete_games([Game.objects.earliest("pk").pk])
    store.restart_changes()
    number_all()
    mirror.update(HOST, copy)
    assert games_of(copy) == public_games() and len(public_games()) == 1


NO_GAME = 2_000_000_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer at a time")
def test_a_commit_that_comes_late_is_not_missed(client):
    begun, go_on = Event(), Event()

    def write_slowly() -> None:
        with transaction.atomic():
            GameChange.objects.create(game=NO_GAME, space=PUBLIC)
            begun.set()
            go_on.wait(10)
        connection.close()

    slow = Thread(target=write_slowly)
    slow.start()
    begun.wait(10)
    stored(KIF)
    game = Game.objects.get().pk
    listed, after = changes(client)
    go_on.set()
    slow.join()
    assert listed == [(game, "added", None)]
    assert changes(client, after)[0] == [(NO_GAME, "gone", None)]
