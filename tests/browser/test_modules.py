"""The JavaScript modules by themselves: positions, codes, trees. They run in a page of the site."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from archive.web.replay.folding import piece_of
from archive.web.replay.record import find_node, move_list, position_at
from archive.web.wording import ending_text, words_of
from kifu_core.shogi import annotations, specials
from kifu_core.shogi.handicaps import PRESETS, by_preset
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import start
from kifu_core.shogi.squares import USI
from tests.archive import builders
from tests.kifu_core.test_annotations import READ

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db]

SFENS = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 17Pp 1",
    "9/9/9/9/9/9/9/9/9 b - 1",
    "P8/9/4K4/9/9/4K4/9/9/8p w - 1",
]


def run(page: Page, live_server: LiveServer, module: str, body: str, argument: Any) -> Any:
    """The value of a function body that has the module's exports as `m` and the argument as `x`."""
    page.goto(live_server.url + "/static/archive/icon.svg")
    return page.evaluate(
        f"async (x) => {{ const m = await import('/static/shogi/{module}.js'); {body} }}", argument
    )


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own for a test."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_sfen_is_written_as_it_was_read(page: Page, live_server: LiveServer) -> None:
    body = "return x.map((s) => m.toSfen(m.fromSfen(s), Number(s.split(' ')[3])))"
    assert run(page, live_server, "position", body, SFENS) == SFENS


CODES = """
const { fromSfen } = await import('/static/shogi/position.js');
return x.map((sfen) => m.encode(fromSfen(sfen)));
"""


def test_codes_are_those_of_the_server(page: Page, live_server: LiveServer) -> None:
    expected = [shogi64.encode(Position.from_sfen(sfen)) for sfen in SFENS]
    assert run(page, live_server, "shogi64", CODES, SFENS) == expected


WORDS = """
const { fromSfen } = await import('/static/shogi/position.js');
return x.flatMap((sfen) => [true, false].map((japanese) => m.positionWords(fromSfen(sfen), japanese)));
"""


def test_positions_are_told_in_the_words_of_the_server(page: Page, live_server: LiveServer) -> None:
    expected = []
    for sfen in SFENS:
        for language in ("ja", "en"):
            with override(language):
                expected.append(words_of("shogi", Position.from_sfen(sfen)))
    assert run(page, live_server, "wording", WORDS, SFENS) == expected


ANNOTATED = """
return x.map((comments) => {
  const { mark, shapes, lines } = m.readComments(comments);
  return [mark?.word || "", shapes, lines, m.writeComments(mark, shapes, lines)];
});
"""


def test_annotations_are_read_and_written_as_by_the_server(page: Page, live_server: LiveServer) -> None:
    many = annotations.write(None, [annotations.Shape("R", square) for square in USI * 2], ["x"])
    comments = [*(case[0] for case in READ.values()), many]
    expected = []
    for mark, shapes, lines in map(annotations.read, comments):
        written = annotations.write(mark, shapes, lines)
        expected.append([mark.word if mark else "", [*map(str, shapes)], [*lines], written])
    assert run(page, live_server, "annotations", ANNOTATED, comments) == expected


def test_hands_that_no_code_can_hold_have_none(page: Page, live_server: LiveServer) -> None:
    sfens = ["4k4/9/9/9/9/9/9/9/4K4 b 19P 1", "4k4/9/9/9/9/9/9/9/4K4 b 5L 1", "4k4/9/9/9/9/9/9/9/4K4 b 3b 1"]
    assert run(page, live_server, "shogi64", CODES, sfens) == [None, None, None]


@pytest.mark.shared
def test_codes_are_those_of_the_published_vectors(page: Page, live_server: LiveServer, shared: Path) -> None:
    lines = (shared / "golden" / "shogi64" / "vectors.jsonl").read_text().splitlines()
    vectors = [json.loads(line) for line in lines]
    codes = run(page, live_server, "shogi64", CODES, [vector["sfen"] for vector in vectors])
    wrong = [
        (vector["sfen"], code, vector["robust_code"])
        for vector, code in zip(vectors, codes, strict=True)
        if code != vector["robust_code"]
    ]
    assert wrong == []


DECODED = """
const { toSfen } = await import('/static/shogi/position.js');
return x.map((code) => {
  try {
    return toSfen(m.decode(code), 1);
  } catch (error) {
    return error.code || String(error);
  }
});
"""

WRONG = {
    "": "empty",
    "=": "bad-char",
    "A" * 161: "too-long",
    "po": "truncated",
    "poUAACMaqtYhwHgAAAAPQdTnd3vMgAAA": "trailing-chars",
    "poUAACMaqtYhwHgAAAAPQdTnd3vMgAB": "nonzero-padding",
    "r" + "_" * 30: "king-range",
}


def test_codes_are_decoded_to_the_positions_of_the_server(page: Page, live_server: LiveServer) -> None:
    positions = [Position.from_sfen(sfen) for sfen in SFENS]
    codes = [shogi64.encode(position) for position in positions]
    assert run(page, live_server, "shogi64", DECODED, codes) == [position.sfen() for position in positions]


def test_wrong_codes_are_refused_by_the_names_of_the_format(page: Page, live_server: LiveServer) -> None:
    assert run(page, live_server, "shogi64", DECODED, list(WRONG)) == list(WRONG.values())


@pytest.mark.shared
def test_published_codes_are_decoded_and_wrong_ones_refused(
    page: Page, live_server: LiveServer, shared: Path
) -> None:
    folder = shared / "golden" / "shogi64"
    vectors = [json.loads(line) for line in (folder / "vectors.jsonl").read_text().splitlines()]
    expected = {vector["robust_code"]: Position.from_sfen(vector["sfen"]).sfen() for vector in vectors}
    expected |= {
        wrong["code"]: wrong["error"]
        for wrong in map(json.loads, (folder / "invalid.jsonl").read_text().splitlines())
    }
    result = run(page, live_server, "shogi64", DECODED, list(expected))
    assert dict(zip(expected, result, strict=True)) == expected


WALK = """
const { fromSfen, play, takeBack, toSfen } = await import('/static/shogi/position.js');
const { root, nodes } = m.buildTree(x.record);
const position = fromSfen(x.start);
const positions = {};
let at = root;
for (const node of nodes.values()) {
  const { back, forward } = m.route(at, node);
  back.forEach((move) => takeBack(position, move));
  forward.forEach((move) => play(position, move));
  at = node;
  positions[node.key] = toSfen(position, node.played + 1);
}
m.route(at, root).back.forEach((move) => takeBack(position, move));
return [positions, toSfen(position, 1)];
"""


@pytest.mark.shared
@pytest.mark.parametrize("name", ["kif/henka.kif", "kif/jt201409130101.kif", "kif/fork.kif", "kif/8mai.kif"])
def test_every_node_of_a_record_has_the_position_that_the_server_finds(
    page: Page, live_server: LiveServer, shared: Path, name: str
) -> None:
    record = json.loads((shared / "golden" / "jkf" / f"{name}.json").read_text())
    first = start(record).sfen()
    expected = {}
    for row in (part.row for part in move_list("shogi", piece_of(record, find_node(record, "", 0)))):
        if row is not None:
            path, ply = row.key.split(":")
            position, _last, played = position_at(record, find_node(record, path, int(ply)))
            expected[row.key] = position.sfen(played + 1)
    result, again = run(page, live_server, "../archive/js/tree", WALK, {"record": record, "start": first})
    assert result == expected
    assert again == first


STARTS = """
const { toSfen } = await import('/static/shogi/position.js');
return x.map((initial) => toSfen(m.startPosition(initial), 1));
"""


def test_named_starts_are_those_of_the_library(page: Page, live_server: LiveServer) -> None:
    expected = [f"{by_preset(preset).sfen} 1" for preset in PRESETS]
    initials = [{"preset": preset} for preset in PRESETS]
    assert run(page, live_server, "start", STARTS, initials) == expected


def test_start_positions_of_records_are_set_up(page: Page, live_server: LiveServer) -> None:
    sfen = "4k4/4r4/9/9/9/9/9/4+R4/4K4 w 2P3p 1"
    initial = builders.record("", start=sfen)["initial"]
    assert run(page, live_server, "start", STARTS, [initial]) == [Position.from_sfen(sfen).sfen(1)]


def test_endings_have_the_words_of_the_pages(page: Page, live_server: LiveServer) -> None:
    endings = [*specials.BY_SPECIAL, "最大手数"]
    body = "return x.map((special) => [true, false].map((japanese) => m.endingText(special, japanese)))"
    shown = run(page, live_server, "wording", body, endings)
    for special, words in zip(endings, shown, strict=True):
        for language, text in zip(("ja", "en"), words, strict=True):
            with override(language):
                assert ending_text(special) == text
