"""Training data and opening books by the `kifu` command."""

from __future__ import annotations

import pytest

from kifu_core import load
from tests.kifu_core.command import DATA, GAME_FILE, kifu, text


def test_it_writes_training_data_and_says_what_is_left_out(tmp_path):
    output, errors = kifu(
        "train", DATA / "evaluations/floodgate.csa", DATA / "kif/even_game.kif", "--to", "psv"
    )
    assert output and not len(output) % 40
    assert errors.splitlines() == [
        f"1 game, {len(output) // 40} positions",
        "-: 13 positions without an evaluation were left out [skipped-score]",
    ]
    target = tmp_path / "a.hcpe3"
    options = ("--unscored", "--unique", "--first-ply", 2, "--results", "black,white")
    kifu("train", DATA / "evaluations/floodgate.csa", "--to", "hcpe3", "--output", target, *options)
    assert load(target.read_bytes(), target.name).format == "hcpe3"
    _, errors = kifu("train", target, "--to", "psv", "--min-rating", 100)
    assert "a rating is unknown or too low [skipped-rating]" in errors
    _, errors = kifu("train", GAME_FILE, "--to", "hcpe", "--output", target, "--language", "ja", code=1)
    assert "[file-exists]" in errors
    _, errors = kifu("train", GAME_FILE, "--to", "hcpe", "--output", target, "--force", "--quiet")
    assert (errors, target.read_bytes()) == ("", b"")


@pytest.mark.parametrize("option", [("--results", "won"), ("--first-ply", "-1"), ("--last-ply", "x")])
def test_options_of_training_data_are_checked(option):
    kifu("train", GAME_FILE, "--to", "psv", *option, code=2)


def test_it_converts_a_book(tmp_path):
    target = tmp_path / "small.ybb"
    _, errors = kifu("book", DATA / "db/small.db", "--to", "ybb", "--output", target)
    assert errors.startswith(
        "2 positions, 4 moves\n-: ybb loses how often 3 moves were chosen [book-lost-counts]\n"
    )
    back = text("book", target, "--to", "db")
    assert "7g7f none 51 32\n" in back
    assert load(back, "a.db").format == "db"


def test_it_makes_a_book_of_games_and_books(tmp_path):
    made = text("book", DATA / "db/small.db", GAME_FILE, "--to", "db", "--plies", 4, "--min-games", 1)
    assert "7g7f 3c3d 51 32 2\n" in made
    assert made.count("sfen ") == 4
    _, errors = kifu("book", tmp_path / "none.db", "--to", "db", code=1)
    assert "none.db" in errors
