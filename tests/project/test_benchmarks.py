"""The benchmarks start, their games are legal, and their figures are judged by their targets."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import kifu_core
from benchmarks import generate, keys, pages, parse, population, support
from benchmarks.lookups import Bounds
from benchmarks.support import Target, percentile, shortest
from kifu_core.shogi.position import Position
from kifu_core.shogi.replay import packed_move
from kifu_core.shogi.rules import is_legal

ROOT = Path(__file__).resolve().parents[2]
MODULES = {path.stem: path.read_text() for path in (ROOT / "benchmarks").glob("*.py")}
PROGRAMS = sorted(name for name, text in MODULES.items() if "options_of(" in text and name != "support")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_benchmark_explains_itself(monkeypatch, capsys, name):
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        import_module(f"benchmarks.{name}").main()
    out = capsys.readouterr().out
    assert ended.value.code == 0 and f"python -m benchmarks.{name}" in out and "--json" in out


def test_benchmarks_load_before_django_has_settings():
    code = "import " + ", ".join(f"benchmarks.{name}" for name in PROGRAMS)
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def test_make_bench_runs_every_benchmark_and_fails_where_one_misses_a_target():
    makefile = (ROOT / "Makefile").read_text()
    line = re.search("^BENCHMARKS = (.*)", makefile, re.MULTILINE)
    assert line and {*re.findall("[a-z]+", re.sub(' --[^"]*', "", line[1]))} == {*PROGRAMS}
    assert all("sys.exit(" in MODULES[name] and "announce(" in MODULES[name] for name in PROGRAMS)


def played(game: kifu_core.ParsedGame) -> list[int]:
    return [packed_move(entry["move"]) for entry in game.record["moves"] if "move" in entry]


def test_a_generated_file_reads_back_as_the_same_games_without_findings():
    result = kifu_core.load(generate.csa_file(range(5)).encode())
    assert [played(game) for game in result.games] == [list(population.moves(number)) for number in range(5)]
    assert [*result.issues, *(issue for game in result.games for issue in game.issues)] == []


def test_made_up_games_share_openings_and_no_more():
    games = [population.moves(number) for number in range(60)]
    assert len({game[:1] for game in games}) <= population.CHOICES
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
    assert population.game(5) == population.game(5) and generate.csa(5) == generate.csa(5)


def test_made_up_games_meet_part_repeat_and_have_variations():
    shares = population.shares(range(150))
    assert shares.games == 150 and shares.rows > 10_000
    assert 0.8 < shares.distinct < 0.99
    assert min(shares.transposed, shares.forked, shares.repeated) > 0


def test_an_uncached_address_is_a_new_one_each_time():
    for path in ("/", "/games/?result=draw", "/api/v1/games/1", "/api/v1/positions/shogi/x?limit=5"):
        addresses = [pages.uncached_address(path) for _ in range(50)]
        assert len({*addresses}) == 50 and all(one.startswith(path) for one in addresses)


@pytest.mark.parametrize(
    ("options", "optimised", "build"),
    [
        ("'--prefix=/usr' '--enable-optimizations'", True, "built with --enable-optimizations"),
        ("'--prefix=/usr'", False, "built with no --enable-optimizations"),
        (None, None, "built with unknown options"),
    ],
)
def test_figures_name_the_python_and_its_build(monkeypatch, capsys, options, optimised, build):
    monkeypatch.setattr(support.sysconfig, "get_config_var", lambda name: options)
    assert json.loads(support.as_json({"a": 1}))["python"]["optimised"] is optimised
    support.announce()
    support.announce(only_json=True)
    out, err = capsys.readouterr()
    assert out == err and build in out and platform.python_version() in out


@pytest.mark.parametrize(
    ("figure", "least", "missed"),
    [(2.0, False, False), (2.1, False, True), (2.0, True, False), (1.9, True, True), (math.nan, False, True),
     (math.nan, True, True), (None, False, False), (None, True, False)],
)  # fmt: skip
def test_a_target_is_missed_by_a_figure_beyond_it_and_not_by_what_was_not_measured(figure, least, missed):
    assert Target("x", figure, 2.0, least=least).missed is missed


def test_a_verdict_names_each_missed_target_and_those_that_were_not_measured(capsys):
    met, absent = Target("a", 1.5, 2), Target("b", None, 1.8, " times", least=True)
    missed = Target("c", 2.25, 2, " ms")
    assert support.verdict([met, absent]) is False and support.verdict(iter([missed, met])) is True
    out, err = capsys.readouterr()
    assert out == "" and err.splitlines() == [
        "not measured: b: target at least 1.8 times",
        "missed: c: 2.25 ms, target at most 2 ms",
    ]


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
    with parse.checkout(tmp_path, {"kif": ["1234", "12"], "csa": ["123"]}) as formats:
        assert {name: plies for name, (plies, _) in formats.items()} == {"kif": 4, "csa": 2}
        assert [len(formats[name][1]()) for name in ("csa", "kif", "kif")] == [1, 2, 2]
    assert [path.name for path in library.iterdir()] == ["__init__.py"]


def test_this_checkout_reads_its_games_in_a_process_of_its_own():
    with parse.checkout(ROOT, {"csa": [generate.csa(3)]}) as formats:
        plies, record = formats["csa"]
        (seconds,) = record()
    assert plies >= len(population.moves(3)) and 0 < seconds < 10


@pytest.mark.parametrize(
    ("bounds", "text"),
    [(Bounds(0.3, 1), "0.3 / 1"), (Bounds(None, 6), "- / 6"), (Bounds(40), "40")],
)
def test_the_targets_of_an_answer_are_its_median_and_its_99_of_100(bounds, text):
    assert str(bounds) == text and any(bounds) and not any(Bounds())


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
