"""Training data and books that we write are what cshogi and rsshogi read, and the bytes that these write.

Both are run as programs of their own. The positions are those of games with all handicaps, and of a book.
"""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kifu_core import ParsedGame, load
from kifu_core.shogi.evaluations import evaluations
from kifu_core.shogi.formats.book_files import BOOK_FILES
from kifu_core.shogi.handicaps import HANDICAPS
from kifu_core.shogi.moves import to_usi
from kifu_core.shogi.packed import encode
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import main_line
from kifu_core.shogi.rules import legal_moves
from kifu_core.shogi.training import FORMS, TrainingFilter, TrainingWriter, scores_of
from tests.kifu_core.test_books import made
from tests.peers.asking import folder

HERE = Path(__file__).parent


def games(plies: int = 120) -> list[ParsedGame]:
    """A random game from each start, with scores of an analysis, that one side resigns."""
    chance, found = random.Random(2), []
    for handicap in HANDICAPS:
        position, moves = Position.from_sfen(handicap.sfen), []
        for _ in range(plies):
            if not (legal := legal_moves(position)):
                break
            moves.append(chance.choice(legal))
            position.do_move(moves[-1])
        (game,) = load(f"sfen {handicap.sfen} 1 moves {' '.join(map(to_usi, moves))} resign").games
        for entry in game.record["moves"][:-1]:
            entry["comments"] = [f"#評価値={chance.randint(-3_000, 3_000)}"]
        found.append(game)
    return found


@pytest.fixture(scope="module")
def peers() -> Path:
    """The interpreter that has the peers; the tests are skipped without it."""
    where = folder()
    python = where / "venv" / "bin" / "python" if where is not None else None
    if python is None or not python.is_file():
        pytest.skip("KIFU_PEERS does not name a folder of peers (see CONTRIBUTING.md)")
    if subprocess.run([python, "-c", "import cshogi, rsshogi"], check=False, capture_output=True).returncode:
        pytest.skip("cshogi and rsshogi are not installed in the folder of peers (see CONTRIBUTING.md)")
    return python


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A folder with the files that the peers read."""
    target = tmp_path_factory.mktemp("binary")
    for form in FORMS:
        writer = TrainingWriter(form, TrainingFilter())
        data = b"".join(writer.entries(game.record, game.record_kind, game.ending) for game in games())
        assert writer.positions > 1_000
        (target / f"train.{form}").write_bytes(data)
    for book in BOOK_FILES.values():
        (target / f"book.{book.extension}").write_bytes(b"".join(book.write(made())))
    (target / "positions.json").write_text(json.dumps([entry.sfen for entry in made()]))
    (target / "packed.json").write_text(json.dumps(sfens()))
    return target


@pytest.fixture(scope="module")
def answer(peers: Path, written: Path) -> dict[str, Any]:
    """What the peers read."""
    command = [str(peers), str(HERE / "read_binary.py"), str(written)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def rows() -> list[tuple[str, str, int, int, int]]:
    """Position, move, score from the side to move, ply and winner of the games."""
    result = []
    for game in games():
        scores = scores_of(evaluations(game.record))
        assert game.ending is not None and game.ending.winner is not None
        for ply, position, move, _ in main_line(game.record):
            if move:
                score = scores[ply].score or 0
                own = -score if position.turn else score
                result.append(
                    (position.sfen(None), to_usi(move), own, ply, game.ending.winner ^ position.turn)
                )
    return result


def sfens() -> list[str]:
    """Some positions of the games."""
    return [row[0] for row in rows()[::7]]


def test_cshogi_reads_the_entries(answer):
    expected = rows()
    assert answer["entries"]["psv"] == [
        [sfen, move, score, ply + 1, -1 if lost else 1] for sfen, move, score, ply, lost in expected
    ]
    assert [row[:3] for row in answer["entries"]["hcpe"]] == [[*row[:3]] for row in expected]
    assert [row[3] for row in answer["entries"]["hcpe"]] == [
        1 + (lost ^ (sfen.split()[1] == "w")) for sfen, _, _, _, lost in expected
    ]


def test_cshogi_plays_the_games(answer):
    moves = [move for _, _, line in answer["hcpe3"] for move in line]
    assert [move[:2] for move in moves] == [[move, score] for _, move, score, _, _ in rows()]
    assert {(candidates, legal) for _, _, candidates, legal in moves} == {(1, True)}
    assert [result for _, result, _ in answer["hcpe3"]] == [
        1 + game.ending.winner
        for game in games()
        if game.ending is not None and game.ending.winner is not None
    ]


def test_rsshogi_writes_the_same_bytes(answer):
    positions = [*map(Position.from_sfen, sfens())]
    assert answer["again"] == {
        "hcpe": [encode(position, "hcpe").hex() for position in positions],
        "psv": [encode(position, "psv").hex() for position in positions],
    }


def test_the_books_have_the_same_moves(answer):
    entries = made()
    assert answer["books"] == {
        "apery": [[[to_usi(one.move), one.times, one.score] for one in entry.moves] for entry in entries],
        "db": [
            [[to_usi(one.move), one.times, one.score, one.depth] for one in entry.moves] for entry in entries
        ],
        "sbk": [[[to_usi(one.move), one.times] for one in entry.moves] for entry in entries],
    }
