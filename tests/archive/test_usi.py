"""USI engines: what they say is read, what they do wrong ends their process, and the same search gives the
same verdict."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from archive.analysis import usi
from archive.analysis.usi import EngineError, SearchedPosition, UsiEngine
from archive.analysis.usi_info import parse_info
from archive.derive.verdicts import Line
from archive.project.engine_file import EngineSetting
from kifu_core.shogi.position import Position
from tests.archive.usi_peer import score

ROOT = Path(__file__).resolve().parents[2]
START = SearchedPosition(Position.initial().sfen())
AFTER = SearchedPosition(START.start, ("7g7f", "3c3d"))
MATED = SearchedPosition("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")


def peer(*faults: str, **more: object) -> EngineSetting:
    """The setting of our small engine."""
    arguments = ["peer", *faults]
    program = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv = {arguments!r}; "
    run = "import runpy; runpy.run_module('tests.archive.usi_peer', run_name='__main__')"
    values = {"name": "Peer", "version": "1.0", "seconds": 2} | more
    return EngineSetting(command=(sys.executable, "-c", program + run), **values)  # type: ignore[arg-type]


@pytest.fixture
def engine(request):
    """An engine of the setting that the test gives, `peer()` if none; it has ended afterwards."""
    made = UsiEngine(getattr(request, "param", None) or peer())
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "turn", "line"),
    [
        ("info depth 9 nodes 100 score cp -41 pv 3c3d", 1, Line(41)),
        ("info depth 9 score cp 35 multipv 2 pv 3c3d", 0, Line(35)),
        ("info score mate 3 pv 3c3d", 1, Line(None, 1, 3)),
        ("info score mate -3 pv 3c3d", 1, Line(None, 0, 3)),
        ("info score mate + pv 3c3d", 0, Line(None, 0, None)),
        ("info score mate 0", 0, Line(None, 1, 0)),
        ("info score cp 99999 pv 3c3d", 0, Line(32_000)),
    ],
)
def test_scores_are_from_the_side_of_black(text, turn, line):
    info = parse_info(text, turn)
    assert info is not None
    assert info.line == line


@pytest.mark.parametrize(
    "text",
    [
        "", "bestmove 7g7f", "info string score cp 5", "info depth 5", "info score", "info score cp x",
        "info score mate", "info pv 7g7f score cp 5",
    ],
)  # fmt: skip
def test_other_lines_are_no_scores(text):
    assert parse_info(text, 0) is None


def test_a_search_gives_the_last_exact_lines_cut_to_legal_moves(engine):
    verdict = engine.search(AFTER, 500, 3)
    cp = score(AFTER.position(), 500, 0)
    assert (verdict.nodes, verdict.depth, verdict.history) == (500, 8, True)
    assert [line.score for line in verdict.lines] == [cp, cp - 10, cp - 20]
    assert [len(line.moves) for line in verdict.lines] == [1, 1, 1]


def test_scores_of_white_are_turned(engine):
    searched = SearchedPosition(START.start, ("7g7f",))
    (line,) = engine.search(searched, 500, 1).lines
    assert line.score == -score(searched.position(), 500, 0)


def test_a_position_in_which_the_engine_resigns_has_no_lines(engine):
    assert engine.search(MATED, 500, 1).lines == ()


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (peer("die-at", "2"), "has ended"),
        (peer("hang-at", "2", seconds=1), "hangs"),
        (peer("eat-at", "2", memory_mb=512), "has ended"),
    ],
    indirect=["engine"],
)
def test_an_engine_that_fails_is_ended_and_starts_again(engine, reason, monkeypatch):
    monkeypatch.setattr(usi, "STOP_SECONDS", 0.2)
    first = engine.search(START, 500, 1)
    number = engine.process.pid
    with pytest.raises(EngineError, match=reason):
        engine.search(AFTER, 500, 1)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert engine.search(START, 500, 1) == first


@pytest.mark.parametrize("engine", [peer(version="2.0")], indirect=True)
def test_an_engine_of_another_version_is_refused(engine):
    with pytest.raises(EngineError, match=r"the program says 'Peer 1.0'"):
        engine.search(START, 500, 1)


@pytest.mark.parametrize("engine", [EngineSetting(name="none", command=("/no/such/program",))], indirect=True)
def test_a_program_that_does_not_exist_is_an_error_of_the_engine(engine):
    with pytest.raises(EngineError, match="no/such"):
        engine.search(START, 500, 1)


@pytest.mark.parametrize(
    "engine", [EngineSetting(name="cat", command=("/bin/cat",), seconds=1)], indirect=True
)
def test_a_program_that_is_no_engine_is_given_up(engine, monkeypatch):
    monkeypatch.setattr(usi, "START_SECONDS", 0.2)
    with pytest.raises(EngineError, match="no usiok"):
        engine.search(START, 500, 1)


def installed(program: str) -> str:
    path = shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/games")
    return path or pytest.skip(f"{program} is not installed")


def test_fairy_stockfish_gives_the_same_verdict_again_and_in_another_process():
    command = (installed("fairy-stockfish"),)
    setting = EngineSetting(
        name="Fairy-Stockfish", version="11.1", command=command, options={"UCI_Variant": "shogi"}
    )
    first, second = UsiEngine(setting), UsiEngine(setting)
    try:
        verdict = first.search(AFTER, 5_000, 2)
        first.search(START, 5_000, 1)
        assert first.search(AFTER, 5_000, 2) == verdict == second.search(AFTER, 5_000, 2)
        assert (len(verdict.lines), verdict.nodes, verdict.history) == (2, 5_000, True)
        assert all(abs(line.score) < 500 and line.moves for line in verdict.lines)
    finally:
        first.close()
        second.close()


def test_gpsusi_is_stopped_after_so_many_nodes():
    command = (installed("gpsusi"),)
    setting = EngineSetting(
        name="gpsshogi", version="r3033", command=command, options={"BookDepth": 0}, counts_nodes=False
    )
    engine = UsiEngine(setting)
    try:
        verdict = engine.search(AFTER, 5_000, 1)
        assert (len(verdict.lines), verdict.nodes) == (1, 5_000)
        assert verdict.lines[0].moves
    finally:
        engine.close()
