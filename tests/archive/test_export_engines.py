"""Training data and binary books of a list, with a summary of what they have."""

from __future__ import annotations

import io
import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from rest_framework.test import APIClient

from archive.export import engine_files
from archive.models import Game
from kifu_core import load
from kifu_core.shogi.formats import packed
from kifu_core.shogi.packed import ENTRIES
from kifu_core.shogi.replay import main_moves
from kifu_core.shogi.training import FORMS
from tests.archive import quoridor
from tests.archive.builders import ingest, ready
from tests.archive.games import START, stored
from tests.kifu_core.test_training import FLOODGATE

pytestmark = pytest.mark.django_db

EXPORT = "/api/v1/games/export"


@pytest.fixture
def client() -> APIClient:
    return APIClient()


def opened(client: APIClient, query: str) -> tuple[bytes, dict[str, Any]]:
    """The file of an answer and its summary."""
    answer: Any = client.get(EXPORT + query)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/zip"
    return of_zip(b"".join(answer.streaming_content))


def of_zip(data: bytes) -> tuple[bytes, dict[str, Any]]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    name, last = archive.namelist()
    assert last == "SUMMARY.json"
    return archive.read(name), json.loads(archive.read(last))


@pytest.fixture
def games() -> list[Game]:
    """A game with evaluations, one without, an unfinished one, a problem, and a game of Quoridor."""
    stored(FLOODGATE, "game.csa")
    ingest(ready("7g7f 3c3d 2g2f"), ready("7g7f 8c8d", winner=None), ready("2g2f", kind="problem"))
    stored(quoridor.NAMED, "game.txt")
    return [*Game.objects.order_by("id")]


@pytest.mark.parametrize("form", FORMS)
def test_training_data_says_what_it_has_and_what_is_left_out(client, games, form):
    data, summary = opened(client, f"?as={form}")
    assert summary == {
        "format": form,
        "complete": True,
        "cursor": str(games[-1].pk),
        "games": 1,
        "positions": 3,
        "skipped": {"skipped-score": 4, "skipped-result": 1, "skipped-kind": 2},
    }
    if form == "hcpe3":
        (game,) = load(data, "a.hcpe3").games
        assert main_moves(game.record) == main_moves(games[0].jkf)
    else:
        assert len(data) == 3 * ENTRIES[form].size


def test_filters_and_options_choose_positions(client, games):
    data, summary = opened(client, "?as=psv&unscored=1&unique=1&first_ply=1&last_ply=2")
    assert [ply for *_, ply, _result, _ in ENTRIES["psv"].iter_unpack(data)] == [2, 3]
    assert summary["skipped"] == {
        "skipped-ply": 3,
        "skipped-duplicate": 2,
        "skipped-result": 1,
        "skipped-kind": 2,
    }
    _, summary = opened(client, "?as=psv&result=draw")
    assert (summary["games"], summary["complete"]) == (0, True)


def test_it_goes_on_after_any_game(client, games, monkeypatch):
    _, summary = opened(client, "?as=psv&limit=1")
    assert (summary["complete"], summary["cursor"]) == (False, str(games[0].pk))
    _, summary = opened(client, f"?as=psv&cursor={summary['cursor']}")
    assert (summary["complete"], summary["skipped"]["skipped-kind"]) == (True, 2)
    monkeypatch.setattr(engine_files, "MOST_UNIQUE", 5)
    _, summary = opened(client, "?as=psv&unique=1&unscored=1")
    assert (summary["error"], summary["complete"]) == ("too-many-positions", False)
    assert (summary["cursor"], summary["positions"]) == (str(games[0].pk), 4)


@pytest.mark.parametrize("form", engine_files.BOOKS)
def test_a_binary_book_has_the_moves_of_the_book_in_text(client, games, form):
    data, summary = opened(client, f"?as={form}&min_games=1&plies=3")
    assert summary == {
        "format": form,
        "complete": True,
        "games": 5,
        "plies": 3,
        "positions": 3,
        "moves": 4,
        "lost": ({"book-lost-counts": 4} if form == "ybb" else {}) | {"book-lost-replies": 3},
    }
    assert load(data, "a.bin" if form == "apery" else f"a.{form}").format == form


def test_a_binary_book_of_a_position_grows_from_it(client, games):
    data, summary = opened(client, f"?as=ybb&position={START}&min_games=2")
    assert (summary["positions"], summary["moves"]) == (3, 3)
    assert load(data, "a.ybb").games[0].record_kind == "tree"


@pytest.mark.parametrize(
    "query",
    [
        "?as=db&first_ply=1", "?as=kif&unique=1", "?as=psv&plies=3", "?as=psv&position=x", "?as=ybb&cursor=1",
        "?as=psv&first_ply=-1", "?as=psv&last_ply=x", "?as=psv&unscored=2",
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(client, query):
    answer = client.get(EXPORT + query)
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"


def test_the_command_writes_what_the_api_sends(client, games, tmp_path):
    target = tmp_path / "games.zip"
    options = ["--as", "hcpe", "--unscored", "--last-ply", "1", "--to", str(target)]
    call_command("export_games", *options, stdout=StringIO(), stderr=StringIO())
    assert of_zip(target.read_bytes()) == opened(client, "?as=hcpe&unscored=1&last_ply=1")


def test_what_it_sends_can_be_read_again(client, games, tmp_path):
    data, summary = opened(client, "?as=hcpe")
    path = Path(tmp_path / "games.hcpe")
    path.write_bytes(data)
    assert len(load(path.read_bytes(), path.name).games) == summary["positions"] < packed.MOST
