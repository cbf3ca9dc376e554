"""Quoridor's modules by themselves: codes against the published vectors, rules against `kifu_core`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from kifu_core.errors import KifuError
from kifu_core.messages import TEXTS, Language, message
from kifu_core.quoridor import draw, rules
from kifu_core.quoridor.board import PAWN, SQUARES, VERTICAL, WALL, name
from kifu_core.quoridor.keys import display_key
from kifu_core.quoridor.position import WALL_BITS, QuoridorPosition
from kifu_core.quoridor.qf_code import QfCode, QfState, decode, encode
from tests.kifu_core.quoridor import games

pytestmark = [pytest.mark.browser, pytest.mark.one_engine, pytest.mark.django_db]

LONG = os.environ.get("QUORIDOR_LONG") == "1"
POSITIONS = 10_000 if LONG else 300
BATCH = 500
MOVES = [*(PAWN + square for square in SQUARES), *(WALL + number for number in range(2 * VERTICAL))]
GAME = "QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """One page for all: nothing here changes it."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def run(page: Page, live_server: LiveServer, module: str, body: str, argument: Any) -> Any:
    """The value of a function body that has the module's exports as `m` and the argument as `x`."""
    if not page.url.startswith(live_server.url):
        page.goto(live_server.url + "/static/archive/icon.svg")
    code = f"async (x) => {{ const m = await import('/static/quoridor/{module}.js'); {body} }}"
    return page.evaluate(code, argument)


# --- qf_code ---------------------------------------------------------------------------------------------

READ = """
return x.map((code) => {
  try {
    const { state, moves } = m.decode(code);
    const walls = (owner, lying) => [...state.position.walls.keys()]
      .filter((n) => state.position.walls[n] === owner + 1 && (n & 64) === lying).map((n) => n & 63);
    const read = state && [state.position.pawns, walls(0, 0), walls(0, 64), walls(1, 0), walls(1, 64),
      state.position.turn, state.lastWall, state.turnNumber];
    return [read, moves, m.encode({ state, moves })];
  } catch (error) {
    return error.code || String(error);
  }
});
"""


def expected(vector: dict[str, Any]) -> list[Any]:
    """A published vector as the module's values."""
    state, moves = vector["state"], vector["moves"]
    expected = _state(state) if vector["has_state"] else None
    return [expected, None if moves is None else [_move(move) for move in moves], vector["qfcode"]]


def _state(state: dict[str, Any]) -> list[Any]:
    last = state["last_move"]
    lists = [sorted(state[field]) for field in ("white_h", "white_v", "black_h", "black_v")]
    turn = ("white", "black").index(state["to_move"])
    return [[state["white"], state["black"]], *lists, turn, last["place"], state["turn_number"]]


def _move(move: dict[str, Any]) -> int:
    if move["kind"] == "pawn":
        return PAWN + int(move["to"])
    return WALL + (VERTICAL if move["orient"] == "v" else 0) + int(move["place"])


@pytest.mark.shared
def test_every_published_code_is_read_and_written_as_the_originals_do(
    page: Page, live_server: LiveServer, shared: Path
) -> None:
    lines = (shared / "golden" / "qf" / "vectors.jsonl").read_text().splitlines()
    vectors = [json.loads(line) for line in lines]
    result = run(page, live_server, "qf_code", READ, [vector["qfcode"] for vector in vectors])
    wrong = [
        (vector["qfcode"], values)
        for vector, values in zip(vectors, result, strict=True)
        if values != expected(vector)
    ]
    assert wrong == []


@pytest.mark.shared
def test_every_published_wrong_code_is_refused_by_the_name_of_its_fault(
    page: Page, live_server: LiveServer, shared: Path
) -> None:
    lines = (shared / "golden" / "qf" / "invalid.jsonl").read_text().splitlines()
    wrong = {one["qfcode"]: one["error"] for one in map(json.loads, lines)}
    result = run(page, live_server, "qf_code", READ, list(wrong))
    assert dict(zip(wrong, result, strict=True)) == wrong


FAULTS = """
return x.map((code) => {
  try {
    return m.decode(code).notes.map((note) => [note.code, note.ply ?? null]);
  } catch ({ code, ply, column }) {
    return [code, ply ?? null, column ?? null];
  }
});
"""
ODD = [
    "gkwAAAAQ", "gkwAAIAQ", "j7olEgHMe1ICg", " j7o klAHMe1ICg==\n", "j7ok-_HMe1ICg", "j7o klAHMe1IC",
    "qMwAAIAQ", "lCgAAIAQ", "gkwVBUAIBQ", "gkywAhBkElFoIpAAIMg", "gkwVAAFUAg", "QTBAQEBAtGqpPsldTasr",
    "QMBAQAZ3QE", "A", "j7oklAHMe1ICgA", "j7oklAHMe1ICh", "", "A" * 713, "1DEAAICQBA", GAME, "QFl9wGA",
]  # fmt: skip


def notes_of(code: str) -> Any:
    """The server's notes on a code, or its fault with ply and column."""
    try:
        return [[issue.code, issue.ply] for issue in decode(code).issues]
    except Exception as error:
        return [getattr(error, field) for field in ("code", "ply", "column")]


def test_faults_and_notes_are_those_of_the_server_with_ply_and_column(
    page: Page, live_server: LiveServer
) -> None:
    result = run(page, live_server, "qf_code", FAULTS, ODD)
    assert dict(zip(ODD, result, strict=True)) == {code: notes_of(code) for code in ODD}


def test_every_fault_has_words_in_both_languages(page: Page, live_server: LiveServer) -> None:
    names = [
        "empty", "too-long", "bad-char", "no-content", "truncated", "pawn-range", "pawn-overlap",
        "wall-count", "wall-conflict", "last-move-wall", "off-board", "illegal-move", "trailing-chars",
        "nonzero-padding", "turn-range", "too-many-plies",
    ]  # fmt: skip
    assert set(names) <= set(TEXTS)
    body = "return x.map((code) => [true, false].map((ja) => m.faultText({ code, params: {}, ply: 3 }, ja)))"
    for code, (japanese, english) in zip(names, run(page, live_server, "words", body, names), strict=True):
        assert english not in (code, f"Move 3: {code}")
        assert japanese.startswith("3手目")


SENTENCES = """
const { decode } = await import('/static/quoridor/qf_code.js');
return x.map((code) => [true, false].map((ja) => {
  try {
    return m.noteTexts(decode(code).notes, ja);
  } catch (error) {
    return [m.faultText(error, ja)];
  }
}));
"""


def sentences(code: str, language: Language) -> list[str]:
    """The server's fault of a code, with the move if its message lacks it."""
    try:
        issues = [issue for issue in decode(code).issues if issue.code != "unsorted"]
        return [message(issue, language=language) for issue in issues]
    except KifuError as error:
        reason = message(error, language=language)
        if not error.ply or "{ply}" in TEXTS[error.code][0]:
            return [reason]
        return [f"{error.ply}手目：{reason}" if language == "ja" else f"Move {error.ply}: {reason}"]


def test_faults_and_notes_are_told_in_the_words_of_the_server(page: Page, live_server: LiveServer) -> None:
    result = run(page, live_server, "words", SENTENCES, ODD)
    assert dict(zip(ODD, result, strict=True)) == {
        code: [sentences(code, "ja"), sentences(code, "en")] for code in ODD
    }


# --- rules -----------------------------------------------------------------------------------------------

RULES = """
const { decode, positionCode } = await import('/static/quoridor/qf_code.js');
return x.map(([code, moves]) => {
  const position = decode(code).state.position;
  return {
    code: positionCode(position),
    legal: m.legalMoves(position),
    winner: m.winner(position),
    distances: [m.distance(position, 0), m.distance(position, 1)],
    paths: m.hasPaths(position),
    faults: moves.map((move) => m.fault(position, move)),
    after: moves.filter((move) => !m.fault(position, move)).map((move) => {
      const next = m.copy(position);
      m.play(next, move);
      return positionCode(next);
    }),
  };
});
"""


def drawn_positions() -> Iterator[QuoridorPosition]:
    """Positions of random games, and between them ones whose walls were laid without looking at paths."""
    for seed in count():
        random = Random(seed)
        for position in games.positions(seed):
            yield position
            if random.random() < 0.2:
                yield crowded(random, barred=random.random() < 0.5)


def crowded(random: Random, barred: bool) -> QuoridorPosition:
    """Pawns anywhere, and walls wherever they find room, `barred` ones first across the board."""
    white, black = random.sample(SQUARES, 2)
    position = QuoridorPosition([white, black], [0, 0], [0, 0], random.randint(0, 1))
    row = random.randrange(7)
    bar = [WALL + 8 * row + x for x in (0, 2, 4, 6)]
    bar += random.sample([WALL + 8 * row + 15, WALL + VERTICAL + 8 * row + 7], random.randint(0, 2))
    walls = random.sample(MOVES[len(SQUARES) :], random.randint(0, 20))
    for wall in bar + walls if barred else walls:
        color = random.randint(0, 1)
        if rules.wall_fits(position, wall) and position.walls_left(color):
            position.side(wall)[color] |= WALL_BITS[wall & 63]
    return position


def by_the_server(position: QuoridorPosition, moves: list[int]) -> dict[str, Any]:
    """The output of `RULES` for a position, by `kifu_core`."""
    faults = [rules.fault(position, move) for move in moves]
    return {
        "code": display_key(position),
        "legal": rules.legal_moves(position),
        "winner": position.winner(),
        "distances": [rules.distance(position, color) for color in (0, 1)],
        "paths": rules.has_paths(position),
        "faults": faults,
        "after": [after(position, move) for move, fault in zip(moves, faults, strict=True) if fault is None],
    }


def after(position: QuoridorPosition, move: int) -> str:
    """The code of the position after a move."""
    following = position.copy()
    following.do_move(move)
    return display_key(following)


def test_rules_are_those_of_the_server(page: Page, live_server: LiveServer) -> None:
    """300 positions; with QUORIDOR_LONG=1 10,000."""
    random = Random(7)
    seen = {"won": 0, "closed": 0, "cut": 0}
    drawn = drawn_positions()
    for first in range(0, POSITIONS, BATCH):
        some = list(islice(drawn, min(BATCH, POSITIONS - first)))
        queries = [(display_key(position), random.sample(MOVES, 20)) for position in some]
        result = run(page, live_server, "rules", RULES, queries)
        for position, (code, moves), read_here in zip(some, queries, result, strict=True):
            requested = by_the_server(position, moves)
            assert read_here == requested, code
            seen["won"] += requested["winner"] is not None
            seen["closed"] += not requested["paths"]
            seen["cut"] += "no-path" in requested["faults"]
    assert all(seen.values()), seen


def test_names_of_moves_are_those_of_the_server(page: Page, live_server: LiveServer) -> None:
    body = "return x.map((move) => [m.name(move), m.readName(m.name(move))])"
    assert run(page, live_server, "rules", body, MOVES) == [[name(move), move] for move in MOVES]
    wrong = ["", "j1", "e0", "i1h", "a9v", "e3x", "e33"]
    assert run(page, live_server, "rules", "return x.map(m.readName)", wrong) == [None] * len(wrong)


def test_positions_are_told_in_the_words_of_the_server(page: Page, live_server: LiveServer) -> None:
    positions = [QuoridorPosition.initial(), *islice(drawn_positions(), 30, 120, 10)]
    codes = [encode(QfCode(QfState(position), None)) for position in positions]
    body = """
    const { decode } = await import('/static/quoridor/qf_code.js');
    return x.map((code) => [true, false].map((ja) => m.positionWords(decode(code).state.position, ja)));
    """
    requested = [[draw.words(position, language) for language in ("ja", "en")] for position in positions]
    assert run(page, live_server, "words", body, codes) == requested
