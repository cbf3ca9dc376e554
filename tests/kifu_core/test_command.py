"""The `kifu` command: conversion, reports, lists, help, and what only a process of its own can show."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from kifu_core import IS_COMPILED, __version__, load
from tests.kifu_core import golden
from tests.kifu_core.command import DATA, EVEN, EVEN_CODE, GAME, GAME_FILE, ROOT, kifu, text
from tests.shared import SHARED


def test_it_converts_a_file_to_json():
    record = json.loads(text("convert", DATA / "kif/even_game.kif", "--to", "jkf"))
    assert record == load((DATA / "kif/even_game.kif").read_bytes()).games[0].record


def test_it_reads_standard_input():
    piped = (DATA / "kif/even_game.kif").read_bytes()
    assert text("convert", "-", "--to", "usi", piped=piped).startswith("position startpos moves 7g7f ")


def test_files_have_the_encoding_that_their_format_wants():
    legacy, _ = kifu("convert", DATA / "csa/even_game.csa", "--to", "kif")
    assert "手合割".encode("cp932") in legacy and b"\r\n" in legacy
    modern, _ = kifu("convert", DATA / "csa/even_game.csa", "--to", "kifu")
    assert modern.startswith(b"#KIF version=2.0 encoding=UTF-8\n")
    chosen, _ = kifu("convert", DATA / "csa/even_game.csa", "--to", "kif", "--encoding", "utf-8")
    assert "手合割：平手".encode() in chosen


def test_a_character_that_the_named_encoding_has_not_is_an_error():
    piped = "先手：𠮷田\n   1 ７六歩(77)\n".encode()
    output, messages = kifu("convert", "-", "--to", "kif", "--encoding", "euc-jp", piped=piped, code=1)
    assert output == b"" and "𠮷 does not exist in euc_jp [unencodable-character]" in messages
    output, messages = kifu("convert", "-", "--to", "kif", piped=piped)
    assert "〓田".encode("cp932") in output and "[unencodable-character]" in messages


def test_several_games_become_several_lines_or_a_list():
    source = DATA / "csa/two_games.csa"
    assert len(json.loads(text("convert", source, "--to", "jkf"))) == 2
    lines = text("convert", source, source, "--to", "jkf", "--lines").splitlines()
    assert [len(json.loads(line)["moves"]) for line in lines] == [4, 3, 4, 3]
    assert len(text("convert", source, "--to", "usi").splitlines()) == 2
    assert len(load(text("convert", source, source, "--to", "csa")).games) == 4


def test_csa_is_written_in_two_versions():
    source = DATA / "csa/two_games.csa"
    assert text("convert", source, "--to", "csa").startswith("V2.2\n")
    third = text("convert", source, "--to", "csa", "--csa", "3")
    assert third.startswith("'CSA encoding=UTF-8\nV3.0\n") and "T1.5\n" in third


def test_positions_are_those_of_a_ply():
    game = DATA / "kif/even_game.kif"
    assert text("convert", game, "--to", "sfen") == f"{EVEN} b - 1\n"
    assert text("convert", game, "--to", "sfen", "--ply", "1").endswith(" w - 2\n")
    assert "手数＝13  ▲３三角打  まで\n" in text("convert", game, "--to", "bod", "--ply", "last")
    _, messages = kifu("convert", game, "--to", "sfen", "--ply", "99", code=1)
    assert "[no-such-ply]" in messages
    kifu("convert", game, "--to", "sfen", "--ply", "x", code=2)


def test_raw_json_is_what_the_format_says():
    raw = json.loads(text("convert", DATA / "kif/even_game.kif", "--to", "jkf", "--raw"))
    assert raw["moves"][1]["move"] == {"from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"}


def test_losses_are_reported_in_the_requested_language():
    game = DATA / "kif/even_game.kif"
    assert (
        "even_game.kif: ki2u loses the times of 14 moves [lost-times]"
        in kifu("convert", game, "--to", "ki2u")[1]
    )
    assert "失われます" in kifu("convert", game, "--to", "usi", language="ja_JP.UTF-8")[1]
    assert "失われます" in kifu("convert", game, "--to", "usi", "--language", "ja")[1]


def test_a_game_that_breaks_off_is_converted_with_a_complaint():
    output, messages = kifu("convert", DATA / "illegal/wrong-side.kifu", "--to", "usi", code=1)
    assert output == b"position startpos moves 7g7f\n"
    assert "wrong-side.kifu:6:1: ply 2 moves a piece of the other side [wrong-side]" in messages
    output, messages = kifu("convert", DATA / "illegal/nifu.kifu", "--to", "usi")
    assert output.endswith(b" P*8f\n") and "[nifu]" in messages


def test_it_prints_its_version_and_whether_it_is_compiled():
    assert text("--version") == f"kifu {__version__} ({'compiled' if IS_COMPILED else 'pure Python'})\n"
    if "KIFU_COMPILED" in os.environ:  # as `make compiled` sets it
        assert IS_COMPILED


@pytest.mark.parametrize("command", [("key",), ("key", "--decode"), ("class",), ("qf",), ("qf", "--encode")])
def test_the_exit_code_is_1_if_a_line_was_refused(command):
    assert kifu(*command, piped=b"x\n", code=1)[0].startswith(b"!")
    assert "No such file" in kifu(*command, "no such file", code=1)[1]


def test_wrong_arguments_have_different_messages():
    assert "invalid choice" in kifu("convert", "x", "--to", "pgn", code=2)[1]
    assert "no encoding is named nope" in kifu("convert", "x", "--to", "kif", "--encoding", "nope", code=2)[1]
    assert "COMMAND" in kifu(code=2)[1]


def test_check_prints_json_on_one_line_per_file():
    lines = text("check", DATA / "kif/even_game.kif", DATA / "csa/two_games.csa", "--json").splitlines()
    first, second = map(json.loads, lines)
    assert first == {
        "path": str(DATA / "kif/even_game.kif"),
        "game": "shogi",
        "encoding": "cp932",
        "format": "kif",
        "program": "見本",
        "games": [
            {
                "record_kind": "game",
                "plies": 13,
                "preset": "HIRATE",
                "special": "TORYO",
                "ending": "投了",
                "winner": 0,
                "final_sfen": "lnsg1g1nl/2k1r2s1/pppp1pBpp/4p1p2/9/2P4P1/PP1PPPP1P/2K2S1R1/LNSG1G1NL w b 14",
                "issues": [],
            }
        ],
        "issues": [],
    }
    assert [game["ending"] for game in second["games"]] == ["TORYO", "MAX_MOVES"]


def test_check_looks_at_the_rules_and_fails_on_an_error():
    report = json.loads(text("check", DATA / "illegal/perpetual-check.kifu", "--json", code=1))
    (issue,) = report["games"][0]["issues"]
    assert (issue["code"], issue["severity"], issue["ply"]) == ("perpetual-check", "error", 12)
    assert issue["message"].startswith("ply 12 repeats")
    report = json.loads(text("check", DATA / "illegal/fourfold.kifu", "--json"))
    assert report["games"][0]["issues"][0]["severity"] == "info"


@pytest.mark.parametrize(
    ("name", "code"), [("README.md", "unknown-format"), ("nothing.kif", "unreadable-file")]
)
def test_check_reports_what_is_no_record(name, code):
    report = json.loads(text("check", DATA / name, "--json", code=1))
    assert [issue["code"] for issue in report["issues"]] == [code]
    assert (report["games"], report["format"]) == ([], None)


def test_check_prints_lines_and_columns():
    messages = text("check", DATA / "illegal/nifu.kifu", "--language", "ja", code=1)
    assert messages.splitlines()[1] == "  14:1: error: 10手目は二歩です [nifu]"


def test_records_of_quoridor_are_converted_and_checked():
    piped = b"1. e2 e8 {a comment}\n1. d1v e8 *\n"
    output, messages = kifu("convert", "-", "--to", "qf", piped=piped)
    assert output.splitlines() == [b"QCBA", b"QCw0"]
    assert "lost-comments" in messages and "lost-ending" in messages
    records = json.loads(text("convert", "-", "--to", "json", piped=piped))
    assert [len(record["moves"]) for record in records] == [3, 4]
    assert text("convert", "-", "--to", "alg", piped=output).splitlines() == ["1. e2 e8", "1. d1v e8"]
    assert "other-game" in kifu("convert", "-", "--to", "kif", piped=piped, code=1)[1]
    code = b"QuBAQEk6yVqpfcBgTio6WQr0JiSJKLLMYLb1vyYmBmRk\nj7oklAHMe1IC\n"
    report = json.loads(text("check", "-", "--json", piped=code, code=1))
    (game,) = report["games"]
    assert (report["format"], game["plies"], game["special"], game["winner"]) == ("qf", 46, "GOAL", 1)
    assert game["final_code"] == "ooByS01V5bzMi1ZCOqzb8XIAA"
    assert [issue["code"] for issue in report["issues"]] == ["truncated"]


@pytest.mark.parametrize(
    ("arguments", "piped", "first"),
    [
        ("key", f"{EVEN} b -\n" * 5000, EVEN_CODE),
        ("convert --to sfen --ply 0" + f" {GAME_FILE}" * 40, "", f"{EVEN} b - 1"),
    ],
)
def test_a_reader_that_stops_early_is_no_error(arguments, piped, first):
    command = f"{sys.executable} -m kifu_core {arguments} | head -n 1"
    done = subprocess.run(
        ["sh", "-c", command], input=piped.encode(), capture_output=True, cwd=ROOT, check=True
    )
    assert (done.stdout.decode(), done.stderr) == (f"{first}\n", b"")


def test_the_exit_code_shows_that_something_was_wrong():
    command = [sys.executable, "-m", "kifu_core", "show", "poU!"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (1, b"") and b"[bad-char]" in done.stderr


def test_it_needs_no_django():
    program = (
        "import sys; sys.modules['django'] = None; from kifu_core.__main__ import main;"
        "sys.exit(main(['key', '--decode']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], input=b"", capture_output=True, cwd=ROOT, check=True
    )
    assert done.stderr == b""


@pytest.mark.shared
def test_json_is_that_of_the_reference():
    names = [name for name in golden.records() if name.startswith(("kif/", "csa/"))]
    paths = [golden.JKF / f"{name}.txt" for name in names]
    for arguments, part in ((["--lines"], ""), (["--lines", "--raw"], ".raw")):
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "kifu_core", "convert", *map(str, paths), "--to", "jkf", *arguments]
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        records = list(map(json.loads, done.stdout.splitlines()))
        assert records == [golden.answer(name, part) for name in names]


@pytest.mark.shared
def test_check_reads_the_whole_corpus_without_a_crash():
    paths = sorted(
        path for path in (SHARED / "corpus").rglob("*") if path.suffix in (".kif", ".ki2", ".kifu")
    )
    lines = text("check", *paths[::8], "--json", code=1).splitlines()
    assert len(lines) == len(paths[::8])
    assert all(json.loads(line)["games"] or json.loads(line)["issues"] for line in lines)


def test_a_list_has_a_row_for_each_game_with_the_winner_marked(tmp_path):
    (tmp_path / "deep" / "folder" / "of" / "games").mkdir(parents=True)
    (tmp_path / "deep" / "folder" / "of" / "games" / "one.kif").write_bytes(GAME)
    head, row = text("list", tmp_path).splitlines()
    assert head.split() == ["file", "day", "event", "Black", "White", "plies", "ending"]
    assert row.startswith("…") and "of/games/one.kif  2024/05/03  見本戦" in row
    assert "○見本太郎" in row and row.endswith("13     投了")
    rows = [json.loads(line) for line in text("list", "--json", DATA / "csa/two_games.csa").splitlines()]
    assert [row["plies"] for row in rows] == [2, 2]


def test_a_list_goes_on_after_a_file_that_cannot_be_read():
    output, messages = kifu("list", "nowhere.kif", DATA / "kif/tombo.kif", code=1)
    assert "tombo.kif" in output.decode() and "nowhere.kif: No such file" in messages


def test_quiet_reports_errors_only():
    noisy = kifu("convert", DATA / "csa/even_game.csa", "--to", "usi")[1]
    assert "lost-" in noisy
    assert kifu("convert", "--quiet", DATA / "csa/even_game.csa", "--to", "usi")[1] == ""
    wrong = text("check", "--quiet", DATA / "kif/tombo.kif", DATA / "kif/illegal_moves.kif", code=1)
    assert "tombo" not in wrong and "illegal_moves.kif" in wrong


def test_help_is_in_the_language_of_the_locale():
    for command in ((), ("convert",), ("check",), ("list",), ("key",), ("class",), ("qf",), ("show",)):
        english, japanese = (text(*command, "--help", language=one) for one in ("C", "ja_JP.UTF-8"))
        assert english.startswith("usage: kifu") and "Examples:\n  " in english
        assert japanese.startswith("使い方: kifu") and "例:\n  " in japanese
        assert "show this help" not in japanese
