"""The games and figures of the benchmarks are what they say they are."""

from __future__ import annotations

import json
import math
import platform
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kifu_core
from benchmarks import generate, growth, keys, load, pages, parse, slow
from benchmarks.serve import percentile
from benchmarks.support import importing, interpreter, peers, population, steps, targets
from benchmarks.support.lookups import Bounds
from benchmarks.support.rounds import shortest
from benchmarks.support.targets import Target
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.rules import is_legal

ROOT = Path(__file__).resolve().parents[2]


def figures_of(*words: str) -> Any:
    """The JSON that a benchmark ends with; it fails where it names a missed target, and nowhere else."""
    command = [sys.executable, "-m", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == bool(re.search("^missed: ", done.stderr, re.MULTILINE)), done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def played(game: kifu_core.ParsedGame) -> list[int]:
    return [packed_move(entry["move"]) for entry in game.record["moves"] if "move" in entry]


def test_a_generated_game_is_legal_from_its_first_move_to_its_last():
    position = Position.initial()
    for move in generate.moves(3):
        assert is_legal(position, move)
        position.do_move(move)


def test_a_generated_file_reads_back_as_the_same_games_without_findings():
    found = kifu_core.load(generate.csa_file(range(5)).encode())
    assert [played(game) for game in found.games] == [list(generate.moves(number)) for number in range(5)]
    assert [*found.issues, *(issue for game in found.games for issue in game.issues)] == []


def test_a_generated_game_is_always_the_same():
    first = generate.csa(7)
    generate.moves.cache_clear()
    assert generate.csa(7) == first


def test_generated_games_share_openings_and_no_more():
    games = [generate.moves(number) for number in range(60)]
    assert len({game[:1] for game in games}) < 7
    assert len(set(games)) == 60


@pytest.mark.parametrize(
    ("share", "value"), [(0.0, 1.0), (0.5, 2.0), (0.51, 3.0), (0.75, 3.0), (0.95, 4.0), (1.0, 4.0)]
)
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(share, value):
    assert percentile([4.0, 1.0, 3.0, 2.0], share) == value


def test_a_made_up_game_for_large_archives_is_legal_and_always_the_same():
    line = population.moves(5)
    position = Position.initial()
    for move in line:
        assert is_legal(position, move)
        position.do_move(move)
    assert population.moves(5) == line and len(line) > 30
    assert population.game(5) == population.game(5)


def test_made_up_games_meet_part_repeat_and_have_variations():
    shares = population.shares(range(150))
    assert shares.games == 150 and shares.rows > 10_000
    assert 0.8 < shares.distinct < 0.99
    assert min(shares.transposed, shares.forked, shares.repeated) > 0


@pytest.mark.worker
@pytest.mark.one_engine
def test_the_index_benchmark_runs_to_its_end_on_a_small_archive():
    found = figures_of("benchmarks.index", "--engine", "sqlite", "--games", "60", "--lookups", "3")
    assert found["room"]["games"] <= 60 and sum(part["games"] for part in found["growth"]) == 60
    assert found["python"]["version"] == platform.python_version()
    api = {row["name"]: row for row in found["api"]}
    assert api.keys() >= {"limit: a view that does nothing", "rare: explorer"}
    made = [row for row in api.values() if row["kept_p50"] is not None]
    assert {name for name in api if "explorer" in name or "25 games" in name} == {row["name"] for row in made}
    assert made and all(row["p50"] > 1.2 * row["kept_p50"] for row in made)
    assert len(found["sql"]) > 15


@pytest.mark.worker
@pytest.mark.one_engine
def test_the_benchmark_of_pages_asks_a_real_server_for_every_kind_and_again_with_its_tags():
    words = ("benchmarks.serve", "--pages", "--games", "15", "--rounds", "1", "--clients", "2")
    found = {row["kind"]: row for row in figures_of(*words)["clients"]["2"]}
    assert {"nothing (limit)", "home", "game", "position, hot", "game, API", "Quoridor: position"} <= {*found}
    assert all(row["errors"] == 0 and row["p50"] > 0 and row["kept"] > 0 for row in found.values())
    assert {row["unchanged"] for kind, row in found.items() if kind != "nothing (limit)"} == {100}


@pytest.mark.worker
@pytest.mark.one_engine
def test_the_benchmark_of_a_mixed_load_asks_for_all_of_it_and_again_with_its_tags():
    words = ("benchmarks.serve", "--mixed", "--games", "10", "--seconds", "1")
    found = figures_of(*words, "--clients", "2", "--processes", "1")
    for phase in ("mixture", "with tags"):
        assert {*found[phase]["kinds"]} == {"position", "game", "search"}
        assert found[phase]["errors"] == 0 < min(found[phase][name] for name in ("per_s", "p50", "server_ms"))
    assert found["mixture"]["unchanged"] == 0 < found["with tags"]["unchanged"]


@pytest.mark.worker
@pytest.mark.one_engine
def test_the_benchmark_of_sums_compares_every_question_about_three_spaces_with_the_single_ones():
    words = ("benchmarks.sums", "--engine", "sqlite", "--games", "90", "--positions", "1", "--rounds", "1")
    found = {row["name"]: row for row in figures_of(*words)["ratios"]}
    assert {"start: explorer", "middle: games, newest", "rare: tree", "facets, all", "an event"} <= {*found}
    assert all(row["ratio"] == pytest.approx(row["sum_ms"] / row["single_ms"]) for row in found.values())


def test_an_address_that_is_made_anew_is_another_one_each_time():
    for path in ("/", "/games/?result=draw", "/api/v1/games/1", "/api/v1/positions/shogi/x?limit=5"):
        asked = [pages.uncached_address(path) for _ in range(50)]
        assert len({*asked}) == 50 and all(one.startswith(path) for one in asked)


@pytest.mark.parametrize(
    ("options", "optimised", "said"),
    [
        ("'--prefix=/usr' '--enable-optimizations'", True, "built with --enable-optimizations"),
        ("'--prefix=/usr'", False, "built with no --enable-optimizations"),
        (None, None, "built with unknown options"),
    ],
)
def test_figures_name_the_python_and_its_build(monkeypatch, capsys, options, optimised, said):
    monkeypatch.setattr(interpreter.sysconfig, "get_config_var", lambda name: options)
    assert json.loads(interpreter.as_json([1]))["rows"] == [1]
    assert json.loads(interpreter.as_json({"a": 1}))["python"]["optimised"] is optimised
    interpreter.announce()
    interpreter.announce(only_json=True)
    out, err = capsys.readouterr()
    assert out == err and said in out and platform.python_version() in out


BENCHMARKS = {path.stem: path for path in (ROOT / "benchmarks").glob("*.py")}


@pytest.mark.parametrize("name", sorted(BENCHMARKS.keys() - {"generate"}))
def test_every_benchmark_names_its_python_and_writes_json_with_it(name):
    text = BENCHMARKS[name].read_text()
    assert "interpreter.announce(" in text
    assert not re.search(r"print\(json\.dumps", text)


@pytest.mark.parametrize(
    ("figure", "least", "missed"),
    [(2.0, False, False), (2.1, False, True), (2.0, True, False), (1.9, True, True), (math.nan, False, True),
     (math.nan, True, True), (None, False, False), (None, True, False)],
)  # fmt: skip
def test_a_target_is_missed_by_a_figure_beyond_it_and_not_by_what_was_not_measured(figure, least, missed):
    assert Target("x", figure, 2.0, least=least).missed is missed


def test_a_verdict_names_each_missed_target_and_those_that_were_not_measured(capsys):
    kept, absent = Target("a", 1.5, 2), Target("b", None, 1.8, " times", least=True)
    missed = Target("c", 2.25, 2, " ms")
    assert targets.lines([kept, absent, missed]) == [
        "not measured: b: target at least 1.8 times",
        "missed: c: 2.25 ms, target at most 2 ms",
    ]
    assert targets.verdict([kept, absent]) is False and targets.verdict(iter([missed, kept])) is True
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines()[0].startswith("not measured: b")


TARGETS_NAMED = re.compile(r"^- `(\w+)\.py`:((?:(?!^- ).)*?\btargets?\b)", re.MULTILINE | re.DOTALL)
NOT_JUDGED = {"dumps"}
"""Its target compares two runs."""


def test_every_benchmark_that_states_a_target_judges_it():
    stated = {name for name, _ in TARGETS_NAMED.findall((ROOT / "docs/benchmarks.md").read_text())}
    judging = {name for name, path in BENCHMARKS.items() if "sys.exit(verdict(" in path.read_text()}
    assert stated - NOT_JUDGED == judging and len(judging) > 10


def comparison(library: str, file_format: str, record: float | None, text: float) -> parse.Comparison:
    return parse.Comparison(library, file_format, 100, record, text, record, text, None)


def test_records_are_judged_beside_the_peers_that_are_there_and_texts_where_a_peer_gives_nothing_else():
    rows = [comparison("json-kifu-format", "kif", 2.5, 9.0), comparison("rsshogi", "ki2", None, 0.9)]
    figures = parse.Figures(rows, dict.fromkeys(keys.FOLLOWING, 1.0), [])
    judged = {target.name: target for target in parse.targets_of(figures)}
    assert [name for name, target in judged.items() if target.missed] == [
        "kif: as fast as json-kifu-format",
        "ki2: as fast as rsshogi",
    ]
    absent = {name for name, target in judged.items() if target.figure is None}
    assert absent == {f"{name}: as fast as json-kifu-format" for name in ("ki2", "csa")} | {
        f"{name}: as fast as rsshogi" for name in ("kif", "csa")
    }


def test_a_checkout_is_judged_by_our_time_over_its_own_where_a_ratio_is_wanted():
    rows = parse.ratio_rows([Path("old"), Path("older")], [{"kif": 3.0}, {"kif": 4.0}, {"kif": 3.5}])
    assert [(row.checkout, row.theirs, row.ours, row.ratio) for row in rows] == [
        ("old", 4.0, 3.0, 0.75),
        ("older", 3.5, 3.0, 3.0 / 3.5),
    ]
    figures = parse.Figures([], dict.fromkeys(keys.FOLLOWING, 1.0), rows)
    missed = [target.name for target in parse.targets_of(figures, 0.75) if target.missed]
    assert missed == ["kif: time over that of older"]
    assert not any(target.missed for target in parse.targets_of(figures))


OTHER = """
from types import SimpleNamespace

def load(text):
    return SimpleNamespace(games=[SimpleNamespace(record={"moves": [{}] * len(text)})])
"""


def test_another_checkout_reads_with_its_own_library_and_is_left_as_it_was(tmp_path):
    library = tmp_path / "kifu_core"
    library.mkdir()
    (library / "__init__.py").write_text(OTHER)
    with peers.checkout(tmp_path, {"kif": ["1234", "12"], "csa": ["123"]}) as found:
        assert {name: plies for name, (plies, _) in found.items()} == {"kif": 4, "csa": 2}
        assert [len(found[name][1]()) for name in ("csa", "kif", "kif")] == [1, 2, 2]
    assert [path.name for path in library.iterdir()] == ["__init__.py"]


def test_this_checkout_reads_its_games_in_a_process_of_its_own():
    with peers.checkout(ROOT, {"csa": [generate.csa(3)]}) as found:
        plies, record = found["csa"]
        (seconds,) = record()
    assert plies >= len(generate.moves(3)) and 0 < seconds < 10


def test_visitors_beside_slow_ones_are_judged_and_quiet_ones_by_their_errors_only():
    row = {"ratio": 2.5, "errors": 0}
    found = {
        "quiet": {"nothing": row, "position": row | {"errors": 1}},
        "idle": {"nothing": row, "position": row | {"ratio": 2.0}},
    }
    missed = [target.name for target in slow.targets_of(found) if target.missed]
    assert missed == ["quiet: errors of position", "idle: p99 of nothing"]


@pytest.mark.parametrize(
    ("bounds", "text"),
    [(Bounds(0.3, 1), "0.3 / 1"), (Bounds(None, 6), "- / 6"), (Bounds(40), "40")],
)
def test_the_targets_of_an_answer_are_its_median_and_its_99_of_100(bounds, text):
    assert str(bounds) == text and any(bounds) and not any(Bounds())


@pytest.mark.parametrize(("statuses", "failed"), [([0, 0], False), ([1, 0], True), ([0, 2], True)])
def test_every_engine_has_its_turn_and_any_that_fails_counts(monkeypatch, statuses, failed):
    commands = []

    def run(command: list[str]) -> SimpleNamespace:
        commands.append(command[-3:])
        return SimpleNamespace(returncode=statuses[len(commands) - 1])

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["x", "--json"])
    assert importing.run_on_each_engine("benchmarks.text") is failed
    assert commands == [["--engine", engine, "--json"] for engine in importing.ENGINES]


def test_a_step_of_an_import_is_timed_without_those_inside_it(monkeypatch):
    clock = iter([0.0, 1.0, 8.0, 10.0])
    monkeypatch.setattr(steps.time, "process_time", lambda: next(clock))

    class Home:
        @staticmethod
        def outer() -> None:
            Home.inner()

        @staticmethod
        def inner() -> None:
            pass

    timed = steps.Steps()
    timed.watch("outer", Home, "outer")
    timed.watch("inner", Home, "inner")
    Home.outer()
    assert timed.seconds == {"outer": 3.0, "inner": 7.0}


def test_every_step_of_an_import_that_is_timed_is_there_and_left_as_it_was():
    from archive.store import changes

    before = changes.insert_games
    with steps.Steps() as timed:
        assert changes.insert_games is not before
    assert changes.insert_games is before and timed.seconds == {}


def test_files_of_games_are_in_several_formats_and_hold_every_game(tmp_path):
    paths = [Path(path) for path in importing.write_files(tmp_path / "files", range(45))]
    found = [kifu_core.load(path.read_bytes()) for path in paths]
    assert {(result.format, result.encoding) for result in found} == {("csa", "utf-8"), ("kif", "cp932")}
    assert sum(len(result.games) for result in found) == 45


def test_the_shortest_time_of_every_part_counts_whichever_round_it_was_in():
    order = list[str]()

    def contestant(name: str, rounds: list[list[float]]):
        waiting = iter(rounds)

        def timed() -> list[float]:
            order.append(name)
            return next(waiting)

        return timed

    ours = contestant("ours", [[1.0, 5.0], [3.0, 2.0]])
    peer = contestant("peer", [[4.0, 4.0], [4.0, 4.0]])
    assert shortest({"ours": ours, "peer": peer}, 2) == {"ours": 3.0, "peer": 8.0}
    assert order == ["ours", "peer", "ours", "peer"]


def test_the_growth_that_is_told_is_what_is_computed_from_the_measured_figures() -> None:
    told = (ROOT / "docs/scaling.md").read_text()
    assert growth.table(growth.SIZES, shards=32, node_gb=2_000) in told


def test_colliding_positions_grow_with_the_square_of_their_number() -> None:
    few, many = growth.growth(10_000_000), growth.growth(100_000_000)
    assert many.rows == 10 * few.rows
    assert many.colliding == pytest.approx(100 * few.colliding, rel=1e-6)
    assert growth.growth(100_000_000, shards=64).segments_spread * 2 >= many.segments_spread


def test_what_failed_under_load_is_told_by_the_restart_before_it():
    run = load.Run(
        0.0, restarts=[load.Restart("the database", 10.0, 2.0), load.Restart("a worker", 20.0, 0.1)]
    )
    run.read = [
        load.Noted(at, "game", status, 0.1) for at, status in ((5, 200), (11, 503), (13, 0), (21, 304))
    ]
    run.sent = [load.Noted(12.0, "upload", 503, 0.1), load.Noted(22.0, "upload", 201, 0.1)]
    before, database, worker = load.summary(run)["restarts"]
    assert before["read"]["failed"] == worker["read"]["failed"] == worker["sent"]["failed"] == 0
    assert database["read"] == {"failed": 2, "statuses": {"503": 1, "0": 1}, "last_after_s": 3.0}
    assert database["sent"] == {"failed": 1, "statuses": {"503": 1}, "last_after_s": 2.0}


@pytest.mark.django_db
def test_an_import_that_is_measured_raises_where_a_game_was_not_stored(tmp_path, monkeypatch):
    from archive.derive import text

    assert importing.take_in(importing.write_files(tmp_path / "stored", range(2)), 1) > 0
    with monkeypatch.context() as patched:
        patched.setattr(text, "text", lambda: "")
        with pytest.raises(RuntimeError, match="2 games were not stored"):
            importing.take_in(importing.write_files(tmp_path / "failed", range(2, 4)), 1)


@pytest.mark.parametrize(
    "change",
    [{"done": 1}, {"entries": 39}, {"games_after": 139}, {"games_after": 141}, {"verify": {"exit": 1}}],
)
def test_a_load_that_lost_something_is_told_from_one_that_did_not(change):
    kept = {"uploads": 2, "done": 2, "games_sent": 40, "entries": 40, "games_before": 100, "games_after": 140,
            "verify": {"exit": 0}}  # fmt: skip
    assert not load.lost(kept) and load.lost(kept | change)
