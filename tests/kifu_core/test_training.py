"""Training data is written from games, read back, and the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kifu_core import KifuError, ParsedGame, load
from kifu_core.record import rates
from kifu_core.shogi.evaluations import evaluations
from kifu_core.shogi.formats import packed as files
from kifu_core.shogi.packed import ENTRIES, decode, move_of
from kifu_core.shogi.replay import main_line, main_moves
from kifu_core.shogi.training import (
    FORMS,
    MOST_MOVES,
    PositionSet,
    TrainingFilter,
    TrainingForm,
    TrainingWriter,
    games_of_hcpe3,
    scores_of,
)
from tests.kifu_core.corpus import read_all
from tests.shared import need_shared

DATA = Path(__file__).parents[1] / "data"
FLOODGATE = """V2.2
N+A
N-B
PI
+
+7776FU
'** 50 -3334FU
-3334FU
'** -20 +2726FU
+2726FU
-8384FU
'** 31000 +2625FU
%TORYO
"""
"""The players write scores from Black's side, White finds a mate of its king, and Black resigns."""


def game_of(text: str) -> ParsedGame:
    return load(text).games[0]


def written(game: ParsedGame, form: TrainingForm, **options: object) -> tuple[bytes, TrainingWriter]:
    writer = TrainingWriter(form, TrainingFilter(**options))  # type: ignore[arg-type]
    return writer.entries(game.record, game.record_kind, game.ending), writer


def of_hcpe(data: bytes) -> list[tuple[str, int, int, int]]:
    """Position, move, score and result of each entry."""
    return [
        (decode(packed, "hcpe").sfen(None), move_of(move, "hcpe"), score, result)
        for packed, score, move, result, _ in ENTRIES["hcpe"].iter_unpack(data)
    ]


def of_psv(data: bytes) -> list[tuple[str, int, int, int, int]]:
    """Position, move, score, ply and result of each entry."""
    return [
        (decode(packed, "psv").sfen(None), move_of(move, "psv"), score, ply, result)
        for packed, score, move, ply, result, _ in ENTRIES["psv"].iter_unpack(data)
    ]


def test_scores_are_those_of_the_side_to_move_and_the_move_is_the_one_played():
    data, writer = written(game_of(FLOODGATE), "hcpe")
    assert [(score, result) for _, _, score, result in of_hcpe(data)] == [(50, 2), (20, 2), (-30_000, 2)]
    assert (writer.games, writer.positions, dict(writer.skipped)) == (1, 3, {"skipped-score": 1})
    positions = {ply: (one.sfen(None), move) for ply, one, move, _ in main_line(game_of(FLOODGATE).record)}
    assert [entry[:2] for entry in of_hcpe(data)] == [positions[ply] for ply in (0, 1, 3)]


def test_results_of_psv_are_those_of_the_side_to_move():
    data, _ = written(game_of(FLOODGATE), "psv")
    rows = [(score, ply, result) for *_, score, ply, result in of_psv(data)]
    assert rows == [(50, 1, -1), (20, 2, 1), (-32_000, 4, 1)]


def test_an_analysis_is_of_the_position_where_it_stands():
    text = "手合割：平手\n*#評価値=30\n1 ７六歩(77)\n*#評価値=-10\n2 ３四歩(33)\n3 投了\n"
    data, _ = written(game_of(text), "hcpe")
    assert [(score, result) for _, _, score, result in of_hcpe(data)] == [(30, 2), (10, 2)]


def test_games_of_hcpe3_have_all_moves_and_a_candidate_for_the_chosen_ones():
    data, writer = written(game_of(FLOODGATE), "hcpe3", first_ply=1)
    (one,) = games_of_hcpe3(data)
    assert [score for _, score in one.moves] == [None, -20 * -1, None, -30_000]
    assert one.result == 2
    assert (writer.positions, writer.skipped) == (2, {"skipped-ply": 1, "skipped-score": 1})


@pytest.mark.parametrize(("ending", "result"), [("%SENNICHITE", 4), ("%KACHI", 9), ("%MAX_MOVES", 16)])
def test_hcpe3_has_the_reason_of_a_result(ending, result):
    data, _ = written(game_of(FLOODGATE.replace("%TORYO", ending)), "hcpe3")
    assert [one.result for one in games_of_hcpe3(data)] == [result]
    (game,) = load(data, "a.hcpe3").games
    assert game.ending is not None
    assert (game.ending.draw, game.ending.winner) == ((False, 0) if result == 9 else (True, None))


def test_filters_leave_out_and_count():
    game = game_of(FLOODGATE)
    data, writer = written(game, "psv", first_ply=1, last_ply=2, unscored=True)
    assert [ply for *_, ply, _ in of_psv(data)] == [2, 3]
    assert writer.skipped == {"skipped-ply": 2}
    data, writer = written(game, "psv", results=frozenset(["black", "draw"]))
    assert (data, writer.skipped) == (b"", {"skipped-result": 1})
    data, writer = written(game_of(FLOODGATE.replace("%TORYO", "%CHUDAN")), "psv")
    assert (data, writer.skipped) == (b"", {"skipped-result": 1})
    data, writer = written(load("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1\n").games[0], "psv")
    assert (data, writer.skipped) == (b"", {"skipped-kind": 1})


def test_games_of_weak_players_are_left_out():
    game = game_of(FLOODGATE.replace("PI\n", "'black_rate:A+x:2500.7\n'white_rate:B+y:2400.0\nPI\n"))
    writer = TrainingWriter("psv", TrainingFilter(min_rating=2_401))
    assert rates(game.remarks) == {0: 2_500, 1: 2_400}
    for ratings in (rates(game.remarks), {0: 3_000}, {}):
        assert writer.entries(game.record, game.record_kind, game.ending, ratings) == b""
    assert writer.skipped == {"skipped-rating": 3}
    assert writer.entries(game.record, game.record_kind, game.ending, {0: 2_500, 1: 2_401})


def test_a_position_is_written_once():
    writer = TrainingWriter("psv", TrainingFilter(unique=True, unscored=True))
    game = game_of(FLOODGATE)
    first = writer.entries(game.record, game.record_kind, game.ending)
    assert len(of_psv(first)) == 4
    assert writer.entries(game.record, game.record_kind, game.ending) == b""
    assert (writer.games, writer.positions, writer.skipped) == (1, 4, {"skipped-duplicate": 4})


def test_a_set_holds_so_many_positions_and_grows_until_then():
    seen = PositionSet(most=3_000)
    for number in range(3_000):
        seen.reserve(1)
        assert seen.add(number.to_bytes(32, "little"))
        assert not seen.add(number.to_bytes(32, "little"))
    assert seen.count == 3_000
    with pytest.raises(KifuError, match="too-many-positions"):
        seen.reserve(1)


def test_a_game_ends_before_a_move_that_breaks_a_rule():
    game = game_of("startpos moves 7g7f 3c3d 7f7e 3d3e 7e7d 7c7d 2g2f P*5e resign\n")
    for form in FORMS:
        data, writer = written(game, form, unscored=True)
        assert writer.skipped["skipped-illegal"] == 1
        assert (writer.positions, bool(data)) == (7, True)


def test_a_position_that_the_format_cannot_hold_is_counted():
    text = "sfen 4k4/9/9/9/9/9/9/9/9 b 19PR 1 moves R*5i 5a4a P*5b resign\n"
    _, writer = written(game_of(text), "hcpe", unscored=True)
    assert writer.positions == 0
    assert set(writer.skipped) <= {"skipped-position", "skipped-kind"}


def test_a_long_game_of_hcpe3_is_cut_at_its_limit():
    moves = "2h3h 8b7b 3h2h 7b8b " * 200
    game = game_of(f"startpos moves {moves}resign\n")
    data, writer = written(game, "hcpe3", unscored=True)
    assert writer.positions == MOST_MOVES
    assert [len(one.moves) for one in games_of_hcpe3(data)] == [MOST_MOVES]


def test_handicap_games_are_written_with_their_missing_pieces_in_the_box():
    game = game_of("手合割：飛車落ち\n1 ３四歩(33)\n2 ７六歩(77)\n3 投了\n")
    for form in FORMS:
        assert written(game, form, unscored=True)[1].positions == 2
    (read,) = load(written(game, "hcpe3", unscored=True)[0], "a.hcpe3").games
    assert read.record["initial"] == game.record["initial"] == {"preset": "HI"}


# --- all games of the corpus -----------------------------------------------------------------------------


def sample_games() -> Iterator[ParsedGame]:
    for path in sorted(DATA.glob("evaluations/*.*")):
        yield from load(path.read_bytes(), path.name).games


def corpus_games() -> Iterator[ParsedGame]:
    need_shared()
    for number, file in enumerate(read_all()):
        if file.result is not None and not number % 12:
            yield from file.result.games[:20]


def check_round_trip(game: ParsedGame) -> int:
    """Compare what is read back of all three forms with the game; the number of positions."""
    record = game.record
    scores = scores_of(evaluations(record))
    data, writer = written(game, "psv", unscored=True)
    rows = of_psv(data)
    assert len(rows) == writer.positions
    for (sfen, move, score, number, result), (ply, position, played, _) in zip(
        rows, main_line(record), strict=False
    ):
        assert (sfen, move, number) == (position.sfen(None), played, ply + 1)
        assert game.ending is not None
        assert result == (0 if game.ending.draw else 1 if game.ending.winner == position.turn else -1)
        assert (score != 0) <= (ply in scores)
    hcpe, _ = written(game, "hcpe", unscored=True)
    assert [one[:2] for one in of_hcpe(hcpe)] == [row[:2] for row in rows]
    hcpe3, _ = written(game, "hcpe3")
    for one in load(hcpe3, "a.hcpe3").games if hcpe3 else ():
        played = main_moves(record)[: len(rows)]
        assert main_moves(one.record) == played[:MOST_MOVES]
        assert game.ending is not None and one.ending is not None
        assert (one.ending.winner, one.ending.draw) == (game.ending.winner, game.ending.draw)
        again, _ = written(one, "hcpe3")
        assert [found.moves for found in games_of_hcpe3(again)] == [
            found.moves for found in games_of_hcpe3(hcpe3)
        ]
    return len(rows)


@pytest.mark.parametrize("games", [sample_games, corpus_games])
def test_what_is_written_comes_back(games, monkeypatch):
    monkeypatch.setattr(files, "MOST", 100_000)
    assert sum(map(check_round_trip, games())) > 20
