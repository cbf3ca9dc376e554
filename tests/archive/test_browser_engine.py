"""The engine that visitors' browsers run: its folder, the headers of its files, and the pages that run it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from archive.models import Game
from archive.project import browser_engine
from tests.archive.games import KIF, START, stored

pytestmark = pytest.mark.django_db

FOLDER = Path(__file__).resolve().parents[1] / "browser" / "toy_engine"
EMBEDDER = "Cross-Origin-Embedder-Policy"


@pytest.fixture
def engine(settings) -> None:
    settings.BROWSER_ENGINE = browser_engine.read(str(FOLDER))


@pytest.mark.usefixtures("engine")
def test_pages_are_isolated_only_where_they_run_the_engine(client):
    stored(KIF)
    for address in (f"/games/{Game.objects.get().pk}/", f"/positions/shogi/{START}/"):
        plain, running = client.get(address), client.get(address + "?engine=1")
        assert EMBEDDER not in plain.headers and "?engine=1" in plain.content.decode()
        assert running.headers[EMBEDDER] == "require-corp"
        assert running.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert "Toy engine" in running.content.decode()


def test_without_an_engine_no_page_has_a_panel(client):
    stored(KIF)
    answer = client.get(f"/games/{Game.objects.get().pk}/?engine=1")
    assert EMBEDDER not in answer.headers and "browser-engine" not in answer.content.decode()
    assert client.get("/engine/toy.js").status_code == 404


@pytest.mark.usefixtures("engine")
def test_files_of_the_engine_may_run_webassembly_and_pages_may_not(client):
    for name in ("toy.js", "host.js"):
        answer = client.get(f"/engine/{name}")
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/javascript"
        assert "'wasm-unsafe-eval'" in answer.headers["Content-Security-Policy"]
        assert answer.headers[EMBEDDER] == "require-corp"
        for close in answer._resource_closers:
            close()
    stored(KIF)
    assert (
        "wasm"
        not in client.get(f"/games/{Game.objects.get().pk}/?engine=1").headers["Content-Security-Policy"]
    )


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("path", ["../games.py", "..%2f..%2fgames.py", "/etc/passwd", "none.js", ""])
def test_nothing_outside_of_the_folder_is_sent(client, path):
    assert client.get(f"/engine/{path}").status_code in (404, 302)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "cannot be read"),
        ("{", "no JSON"),
        ('{"name": "a"}', "script"),
        ('{"name": "a", "script": "../a.js"}', "script"),
        ('{"name": "a", "script": "a.js", "factory": "a()"}', "factory"),
        ('{"name": "a", "script": "a.js", "colour": 1}', "colour"),
        ('{"name": "a", "script": "a.js"}', "there is no file"),
    ],
)
def test_a_folder_that_is_no_engine_is_refused_with_a_sentence(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "engine.json").write_text(text)
    with pytest.raises(ImproperlyConfigured, match=f"ARCHIVE_BROWSER_ENGINE.*{reason}"):
        browser_engine.read(str(tmp_path))
