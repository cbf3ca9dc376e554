"""Records with text that no page can hold: NUL and halves of surrogate pairs, which JSON has escapes for."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
from django.test import Client

from archive.models import Entry, Game, GameRecord, codec
from kifu_core.games import GAMES
from tests.archive.games import stored
from tests.kifu_core.test_hostile_headers import quoridor, shogi

pytestmark = pytest.mark.django_db

HOSTILE = "a\0b\ud800c"
NAMES = {"先手": f"甲{HOSTILE}", "後手": "乙", "x": HOSTILE}
COMMENTS = [[HOSTILE], [HOSTILE], [], ["\udfff"]]
TEXTS = {"shogi": (shogi, "x.jkf"), "quoridor": (quoridor, "x.json")}


def game_of(kind: str) -> Game:
    make, name = TEXTS[kind]
    upload = stored(make(NAMES, COMMENTS), name)
    entry = Entry.objects.get(upload=upload)
    assert [issue["code"] for issue in entry.issues] == ["bad-characters"]
    return Game.objects.get(kind=kind)


def spoilt(value: Any) -> Any:
    """A record as it was stored before readers replaced what no text can hold."""
    return json.loads(json.dumps(value).replace("\\ufffd", "\\ud800"))


def everything_answers(client: Client, game: Game) -> None:
    detail = f"/api/v1/games/{game.pk}"
    pages = [f"/games/{game.pk}/", f"/games/{game.pk}/?ply=1", f"/embed/games/{game.pk}/", "/games/"]
    upload = f"/uploads/{game.entries.get().upload_id}/"
    for address in (*pages, upload, detail, f"{detail}/series", f"{detail}/positions"):
        assert client.get(address).status_code == 200, address
    for name in GAMES[game.kind].formats.names:
        answer = client.get(f"{detail}/record.{name}")
        # Shift_JIS has no U+FFFD, which is reported.
        assert answer.status_code == (409 if name in ("kif", "ki2") else 200), name


@pytest.mark.parametrize("kind", TEXTS)
def test_a_record_with_such_text_has_its_pages_and_its_files(client: Client, kind: str) -> None:
    game = game_of(kind)
    everything_answers(client, game)
    assert game.jkf["header"]["x"] == "a\ufffdb\ufffdc"


@pytest.mark.parametrize("kind", TEXTS)
def test_so_has_one_that_was_stored_with_such_text(client: Client, kind: str) -> None:
    game = game_of(kind)
    packed = zlib.compress(json.dumps(spoilt(game.jkf)).encode())
    assert "\ud800" in spoilt(game.jkf)["header"]["x"]
    assert GameRecord.objects.filter(game=game).update(record=packed) == 1
    everything_answers(client, game)
    again = Game.objects.get(pk=game.pk).jkf
    assert again == game.jkf == codec.unpack(packed)
