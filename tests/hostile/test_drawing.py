"""What an attack is made of: every address, the same requests for a seed, files that hold what they say."""

from __future__ import annotations

import bz2
import io
import subprocess
import zipfile
import zlib
from pathlib import Path
from random import Random

import pytest
from django.urls import resolve

from kifu_core.shogi.formations import BY_NAME
from tests.hostile.bombs import BZIP2, DEFLATED, bzipped, method_bomb, raw_zip
from tests.hostile.drawing import Drawer
from tests.hostile.files import FILES, QUICK, chosen
from tests.hostile.known import Known
from tests.hostile.requests import Request
from tests.hostile.routes import parameter_names, routes

KNOWN = Known(
    ids={"uploads": ["1"], "games": ["1", "2"]},
    entries=[("1", "0")],
    codes={"shogi": ["poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"], "quoridor": ["gkwAAIAA"]},
    cursors=[b"5"],
)


def drawer(seed: int = 1) -> Drawer:
    found = Drawer(routes(), parameter_names(), "127.0.0.1:8000", seed, {"user": "sessionid=x"})
    found.known = KNOWN
    return found


def test_every_address_of_the_archive_is_drawn():
    titles = {route.title for route in routes()}
    for title in (
        "/",
        "/healthz",
        "/api/v1/uploads/{pk}/entries/{seq}/source",
        "/games/{game_id}/",
        "/admin/login/",
    ):
        assert title in titles
    draw = drawer()
    assert {draw.draw(number).route for number in range(4000)} == titles


def test_addresses_are_made_so_that_views_are_found():
    draw = drawer()
    found = 0
    for route in routes():
        dice = Random(route.template)
        path = route.template
        for name, value in draw._fitting(dice, route).items():
            path = path.replace(f"%({name})s", value.decode())
        if route.methods:
            assert resolve(f"/{path}").func is not None
            found += 1
    assert found > 15


def test_patterns_are_asked_of_what_is_there_to_ask_them():
    draw = drawer()
    asked = [draw.draw(number) for number in range(4000)]
    for title in ("/patterns/", "/api/v1/patterns", "/positions/shogi/edit/"):
        assert any(b"pattern=" in one.target for one in asked if one.route == title)
    assert any(one.target.startswith(b"/dumps/columns/manifest.json") for one in asked)
    assert any(
        one.target.startswith(tuple(b"/formations/%b/" % name.encode() for name in BY_NAME)) for one in asked
    )


def test_parameters_are_those_that_views_know():
    names = parameter_names()
    assert {"limit", "cursor", "player", "from", "ply", "match", "min_rating", "text", "to", "codes"} <= set(
        names
    )


def test_a_seed_draws_the_same_requests_every_time():
    numbers, one, other = range(300), drawer(), drawer(2)
    first = [one.draw(number).raw() for number in numbers]
    one = drawer()
    assert [one.draw(number).raw() for number in reversed(numbers)] == first[::-1]
    assert [other.draw(number).raw() for number in numbers] != first


def test_there_are_a_hundred_files_and_every_one_can_be_made_small():
    assert len(FILES) >= 100
    assert set(QUICK) <= set(FILES)
    assert len(chosen(100, Random(1))) == 100
    for title in QUICK:
        name, data = FILES[title]()
        assert 0 < len(data) < 1 << 20, title
        assert name


def test_bombs_are_right_but_for_their_size():
    assert zlib.crc32(bz2.decompress(bzipped(90_000_000))) == zlib.crc32(bytes(90_000_000))
    for method in (DEFLATED, BZIP2):
        data = raw_zip([method_bomb(method, 90_000_000)])
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            assert archive.infolist()[0].file_size > 200 * len(data)


@pytest.mark.parametrize("body", [b"a'b\\ $x", "あ\r\n".encode(), b"x" * 5000])
def test_the_command_of_a_fault_sends_the_same_bytes(body, tmp_path):
    request = Request("POST", b"/x?a=b", (("Host", b"localhost"), ("X-A", b"it's")), body)
    command = request.again("127.0.0.1:1", tmp_path, "1.bin")
    script = command.replace("curl -sSi", "curl() { for word; do printf '%s\\0' \"$word\"; done; }; curl", 1)
    words = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout.split(b"\0")
    sent = words[words.index(b"--data-binary") + 1]
    assert (Path(sent[1:].decode()).read_bytes() if sent.startswith(b"@") else sent) == body
    assert b"X-A: it's" in words
    assert words[-2] == b"http://127.0.0.1:1/x?a=b"
