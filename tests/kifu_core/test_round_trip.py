"""Writing and reading again gives the same game, except for reported losses of the format.

The games are generated with everything that a record can hold: named and drawn starts, variations in
variations, endings, comments, bookmarks, times with fractions, headers.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from kifu_core import ParsedGame, dump, encode_text, load
from kifu_core.jkf import Record
from kifu_core.shogi.formats import FORMATS, losses
from kifu_core.shogi.formats.writing import branches
from kifu_core.shogi.move_times import complete_times
from kifu_core.shogi.replay import start
from tests.cases import each
from tests.kifu_core.random_games import random_record

SEEDS = range(20)
COMMENTS = (
    "はじめ",
    "*解析 0 評価値 +207",
    "放送日：今日",
    "",
    "a b　c",
    "'引用",
    "#注",
    "1 ７六歩(77)",
    "▲７六歩",
)
HEADERS = {"先手": "甲", "後手": "乙", "棋戦": "某戦", "開始日時": "2024/05/03 10:00:00", "備考": "昼：休"}
KEPT = {"moves", "forks", "ending", "comments", "times", "fractions", "headers", "bookmarks"}


def generated(seed: int) -> ParsedGame:
    """A game with everything in it, as reading gives it."""
    random, record = Random(seed), random_record(seed, plies=25, forks=3)
    for branch in branches(record):
        for entry in branch.entries:
            if random.random() < 0.3:
                entry["comments"] = random.choices(COMMENTS, k=random.randint(1, 3))
            if "move" in entry:
                entry["time"] = {"now": {"m": random.randint(0, 70), "s": random.randint(0, 59)}}
    record["moves"][0] = {"comments": ["はじめの言葉", random.choice(COMMENTS)]}
    record["moves"][1]["comments"] = ["&しおり", "後"]
    complete_times(record["moves"][1:], start(record).turn)
    record = {**record, "header": dict(random.sample(sorted(HEADERS.items()), random.randint(0, 5)))}
    game = load(dump(record, "jkf"), "x.jkf").games[0]
    return replace(game, fractions={1: "25"}, bookmarks=((1, "しおり"),))


def dumped(game: ParsedGame, file_format: str, version: str) -> str:
    options: dict[str, Any] = {}
    if file_format[:2] in ("ki", "cs"):
        options["ending"] = game.ending
    if file_format == "csa":
        options |= {"version": version, "fractions": game.fractions}
    return dump(game.record, file_format, **options)


def entries_of(record: Record, lost: set[str]) -> list[list[dict[str, Any]]]:
    """The lines of a record without what is lost, and without words that say the same otherwise."""
    lines = [] if "moves" in lost else [branch.entries for branch in branches(record)]
    found = []
    for entries in lines[:1] if "forks" in lost else lines:
        left = []
        for entry in entries:
            one: dict[str, Any] = {}
            if "move" in entry:
                one["move"] = entry["move"]
            if "special" in entry and "ending" not in lost:
                one["special"] = entry["special"]
            if "time" in entry and "times" not in lost:
                one["time"] = entry["time"]
            comments = [text for text in entry.get("comments", ()) if not text.startswith("&")]
            if comments and "comments" not in lost:
                one["comments"] = comments
            if one:
                left.append(one)
        found.append(left)
    return found


VERSIONS = [(name, "2.2") for name in FORMATS] + [("csa", "3")]


@each(("file_format", "version"), VERSIONS)
@each("seed", SEEDS)
def test_only_reported_losses_are_lost(seed, file_format, version):
    game = generated(seed)
    codes = {issue.code for issue in losses(game, file_format, csa=version)}
    lost = {code.removeprefix("lost-") for code in codes if code.startswith("lost-")}
    assert lost <= KEPT
    data, issues = encode_text(dumped(game, file_format, version), file_format)
    assert issues == ()
    result = load(data, f"x.{file_format}")
    assert result.issues == ()
    (again,) = result.games
    assert again.issues == ()
    assert start(again.record) == start(game.record)
    assert entries_of(again.record, lost) == entries_of(game.record, lost)
    if "headers" not in lost:
        assert set(game.record["header"].items()) <= set(again.record["header"].items())
    if "comments" not in lost:
        first, before = (
            [text for text in one["moves"][0].get("comments", ())] for one in (again.record, game.record)
        )
        assert first == before
    if "fractions" not in lost and file_format == "csa":
        assert again.fractions == game.fractions
    if file_format in ("kif", "kifu", "ki2", "ki2u"):
        assert again.bookmarks == game.bookmarks
    if "ending" not in lost and game.ending is not None:
        assert again.ending is not None
        assert (again.ending.special, again.ending.winner, again.ending.draw) == (
            game.ending.special,
            game.ending.winner,
            game.ending.draw,
        )


def test_the_generated_games_hold_everything():
    games = [generated(seed) for seed in SEEDS]
    assert {game.record["initial"]["preset"] for game in games} > {"HIRATE", "OTHER", "6", "10"}
    assert any("forks" in entry for game in games for entry in game.record["moves"])
    assert len({game.ending.special for game in games if game.ending}) > 4
    assert all(game.record["moves"][1]["time"] for game in games)
