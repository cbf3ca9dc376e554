"""The `kifu` command: most of it within this process, and as people run it what only a process can show."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kifu_core import IS_COMPILED, __version__, load
from kifu_core.__main__ import main
from kifu_core.containers.refusals import ContainerLimits
from tests.archive import packing
from tests.kifu_core import golden
from tests.shared import GOLDEN, SHARED

DATA = Path(__file__).parents[1] / "data"
ROOT = Path(__file__).parents[2]
GAME_FILE = DATA / "kif/even_game.kif"
GAME = GAME_FILE.read_bytes()
EVEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
EVEN_CODE = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"


def kifu(*arguments, piped=b"", code=0, language="C"):
    """Run the command in this process; return its standard output and error.

    `code` is the expected exit code, None for any.
    """
    output, errors = io.TextIOWrapper(io.BytesIO(), "ascii"), io.TextIOWrapper(io.BytesIO(), "ascii")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped), "ascii"))
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", errors)
        for name in ("LANG", "LC_ALL"):
            patch.setenv(name, language)
        try:
            found = main([*map(str, arguments)])
        except SystemExit as ended:  # wrong arguments
            found = ended.code
    streams = [stream.detach().getvalue() for stream in map(flushed, (output, errors))]
    assert code in (None, found), streams[1].decode()
    return streams[0], streams[1].decode()


def flushed(stream):
    stream.flush()
    return stream


def text(*arguments, **options):
    return kifu(*arguments, **options)[0].decode()


# --- convert ---------------------------------------------------------------------------------------------


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


def test_formats_of_one_game_a_file_need_a_folder_for_several(tmp_path):
    source = DATA / "csa/two_games.csa"
    output, messages = kifu("convert", source, "--to", "kifu", code=1)
    assert output == b"" and "[one-game-a-file]" in messages
    assert text("convert", source, "--to", "kifu", "--output", tmp_path / "new") == ""
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "two_games-2.kifu",
        "two_games.kifu",
    ]
    assert "先手：C" in (tmp_path / "new/two_games-2.kifu").read_text(encoding="utf-8")


def test_a_source_is_never_overwritten(tmp_path):
    path = tmp_path / "game.kif"
    path.write_bytes((DATA / "kif/even_game.kif").read_bytes())
    _, messages = kifu("convert", path, "--to", "kif", "--output", tmp_path, code=1)
    assert "[would-overwrite]" in messages
    assert path.read_bytes() == (DATA / "kif/even_game.kif").read_bytes()


def test_sources_of_one_name_are_refused_before_anything_is_written(tmp_path):
    paths = [tmp_path / folder / "same.kif" for folder in ("p1", "p2")]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes((DATA / "kif/even_game.kif").read_bytes())
    out = tmp_path / "out"
    other = DATA / "csa/two_games.csa"
    _, messages = kifu("convert", other, *paths, "--to", "csa", "--output", out, "--force", code=1)
    assert "[same-output]" in messages and "same.csa" in messages and str(paths[0]) in messages
    assert not out.exists()


def test_games_of_one_file_do_not_take_the_names_of_others(tmp_path):
    second = tmp_path / "two_games-2.kif"
    second.write_bytes((DATA / "kif/even_game.kif").read_bytes())
    out = tmp_path / "out"
    for order in ([DATA / "csa/two_games.csa", second], [second, DATA / "csa/two_games.csa"]):
        kifu("convert", *order, "--to", "kifu", "--output", out, "--force")
        assert sorted(path.name for path in out.iterdir()) == [
            "two_games--2.kifu", "two_games-2.kifu", "two_games.kifu",
        ]  # fmt: skip
        assert "先手：C" in (out / "two_games--2.kifu").read_text(encoding="utf-8")
        assert "先手：C" not in (out / "two_games-2.kifu").read_text(encoding="utf-8")


def test_a_file_that_is_there_is_overwritten_only_by_force(tmp_path):
    source = DATA / "kif/even_game.kif"
    target = tmp_path / "even_game.csa"
    target.write_text("mine", encoding="utf-8")
    _, messages = kifu("convert", source, "--to", "csa", "--output", tmp_path, code=1)
    assert "[file-exists]" in messages and "--force" in messages
    assert target.read_text(encoding="utf-8") == "mine"
    assert "--force" in kifu("convert", source, "--to", "csa", "--output", tmp_path, code=1, language="ja")[1]
    kifu("convert", source, "--to", "csa", "--output", tmp_path, "--force")
    assert target.read_text(encoding="utf-8").startswith("V2.2\n")


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


def test_unreadable_files_are_reported_and_the_rest_is_converted():
    arguments = ("convert", "no such file.kif", DATA / "README.md", DATA / "kif/even_game.kif", "--to", "usi")
    output, messages = kifu(*arguments, code=1)
    assert output.startswith(b"position startpos moves 7g7f")
    assert "no such file.kif: No such file or directory" in messages
    assert "README.md:1: the record format was not recognised" in messages


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


# --- train and book --------------------------------------------------------------------------------------


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


# --- check -----------------------------------------------------------------------------------------------


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


def test_a_document_is_called_one(tmp_path):
    path = zipped(tmp_path / "a.docx", {"[Content_Types].xml": GAME})
    for command in (("check",), ("convert", "--to", "csa")):
        output, errors = kifu(*command, path, code=1)
        assert "this is a file for another program (Office)" in output.decode() + errors


def zipped(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_folders_and_containers_are_read_file_by_file(tmp_path):
    folder = tmp_path / "club"
    (folder / "2024").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("b.kif", "a.kif", "2024/a.kif", ".git/c.kif", ".DS_Store"):
        (folder / name).write_bytes(GAME)
    zipped(folder / "z.zip", {"対局.kif": GAME, "__MACOSX/._x.kif": b"\0"})
    names = ["club/2024/a.kif", "club/a.kif", "club/b.kif", "club/z.zip/対局.kif"]
    reports = [json.loads(line) for line in text("check", folder, "--json").splitlines()]
    assert [report["path"] for report in reports] == [f"{tmp_path}/{name}" for name in names]
    assert all(report["games"][0]["plies"] == 13 for report in reports)
    text("convert", folder, "--to", "csa", "--output", tmp_path / "out")
    found = sorted(str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*.csa"))
    assert found == ["2024/a.csa", "a.csa", "b.csa", "対局.csa"]


def test_names_of_windows_in_japan_are_read_in_zip_archives(tmp_path):
    path = zipped(tmp_path / "a.zip", {"xxxx.kif": GAME})
    path.write_bytes(path.read_bytes().replace(b"xxxx", "対局".encode("cp932")))
    assert json.loads(text("check", path, "--json"))["path"] == f"{path}/対局.kif"


def test_no_name_in_a_zip_archive_leads_out_of_the_folder_that_is_written(tmp_path):
    path = zipped(tmp_path / "a.zip", {"../../b.kif": GAME, "/c.kif": GAME, "..\\d.kif": GAME})
    text("convert", path, "--to", "csa", "--output", tmp_path / "in" / "out")
    assert sorted(one.name for one in (tmp_path / "in" / "out").iterdir()) == ["b.csa", "c.csa", "d.csa"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (
            packing.tarred(("in/a.kif", GAME), ("b.zip", packing.zipped(("c.kif", GAME))), mode="w:xz"),
            "a.tar.xz",
        ),
        (packing.seven_zipped(("in/a.kif", GAME), ("b.zip", packing.zipped(("c.kif", GAME)))), "a.7z"),
    ],
)
def test_containers_in_containers_are_listed_and_converted(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes(data)
    games = [json.loads(line) for line in text("list", path, "--json").splitlines()]
    assert [(game["path"], game["plies"]) for game in games] == [
        (f"{path}/in/a.kif", 13), (f"{path}/b.zip/c.kif", 13),
    ]  # fmt: skip
    kifu("convert", path, "--to", "csa", "--quiet", "--output", tmp_path / "out")
    written = sorted(str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*.csa"))
    assert written == ["b.zip/c.csa", "in/a.csa"]


def test_a_compressed_file_is_listed(tmp_path):
    path = tmp_path / "game.kif.gz"
    path.write_bytes(gzip.compress(GAME))
    assert json.loads(text("list", path, "--json"))["path"] == f"{path}/game.kif"


def test_a_damaged_file_of_a_container_takes_no_name_from_a_game(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a.kif": GAME, "b.kif": GAME})
    path.write_bytes(path.read_bytes()[:-30])
    _, messages = kifu("convert", path, "--to", "csa", "--output", tmp_path / "out", code=1)
    assert "[damaged]" in messages and "[same-output]" not in messages
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["a.csa", "b.csa"]


@pytest.mark.parametrize(
    ("code", "limit", "value"),
    [
        ("bomb", "LIMITS", ContainerLimits()),
        ("entry-too-large", "LIMITS", ContainerLimits(entry_bytes=10_000)),
        ("unpacks-to-too-much", "LIMITS", ContainerLimits(total_bytes=10_000)),
        ("too-many-entries", "MOST_FILES", 1),
    ],
)
def test_what_a_container_unpacks_to_is_bounded(tmp_path, monkeypatch, code, limit, value):
    monkeypatch.setattr(f"kifu_core.files.{limit}", value)
    path = zipped(tmp_path / "a.zip", {"a.kif": GAME, "b.kif": bytes(2_000_000)})
    output, messages = kifu("convert", path, "--to", "usi", code=1)
    assert f"[{code}]" in messages and output.count(b"position") == 1


def test_what_cannot_be_taken_out_of_a_container_is_named(tmp_path, monkeypatch):
    inner = zipped(tmp_path / "inner.zip", {"a.kif": GAME}).read_bytes()
    twice = packing.zipped(("inner.zip", inner))
    nested = zipped(tmp_path / "nested.zip", {"twice.zip": twice, "b.kif": GAME})
    packed = tmp_path / "packed.zip"
    packed.write_bytes(inner.replace(b"\x08\0", b"\x09\0"))
    broken = tmp_path / "broken.zip"
    broken.write_bytes(inner.replace(inner[50:60], bytes(10)))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(inner[:100])
    locked = tmp_path / "locked.zip"
    locked.write_bytes(inner.replace(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\1"))
    link = tmp_path / "link.zip"
    linked = zipfile.ZipInfo("a.kif")
    linked.external_attr = 0o120777 << 16
    with zipfile.ZipFile(link, "w") as archive:
        archive.writestr(linked, "/etc/passwd")
    empty, folder = zipped(tmp_path / "empty.zip", {".hidden": GAME}), tmp_path / "empty"
    folder.mkdir()
    rar, seven = tmp_path / "a.rar", tmp_path / "a.7z"
    rar.write_bytes(b"Rar!\x1a\x07\0")
    seven.write_bytes(packing.seven_zipped(("a.kif", GAME)))
    monkeypatch.setitem(sys.modules, "py7zr", None)
    for path, code in (
        (nested, "nested-too-deep"), (packed, "unknown-compression"), (broken, "damaged"), (cut, "damaged"),
        (locked, "encrypted"), (link, "link"), (empty, "empty-container"), (folder, "no-files"),
        (rar, "unknown-container"), (seven, "needs-7z"),
    ):  # fmt: skip
        assert f"[{code}]" in kifu("convert", path, DATA / "kif/even_game.kif", "--to", "usi", code=1)[1]
        assert f"[{code}]" in text("check", path, code=1)


def test_check_prints_lines_and_columns():
    messages = text("check", DATA / "illegal/nifu.kifu", "--language", "ja", code=1)
    assert messages.splitlines()[1] == "  14:1: error: 10手目は二歩です [nifu]"


# --- key, class, show ------------------------------------------------------------------------------------


def test_keys_line_by_line():
    piped = f"{EVEN} b - 1\n{EVEN} b -\nnonsense\n\n{EVEN} b 19P 1\n".encode()
    assert text("key", piped=piped, code=1).splitlines() == [
        EVEN_CODE, EVEN_CODE, "!sfen-fields", "!empty", "!unencodable",
    ]  # fmt: skip


def test_codes_line_by_line():
    piped = f"{EVEN_CODE}\n{EVEN_CODE}=\n{EVEN_CODE}A\r\n\xff\n".encode("latin-1")
    assert text("key", "--decode", piped=piped, code=1).splitlines() == [
        f"{EVEN} b - 1", "!bad-char", "!trailing-chars", "!bad-char",
    ]  # fmt: skip


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


def test_codes_of_quoridor_line_by_line():
    piped = b"QBA\n gkwAAAAQ==\ngkw\n\nj7ok-_HMe1ICg\n"
    first, second, *faults = text("qf", piped=piped, code=1).splitlines()
    assert json.loads(first)["moves"] == [
        {"by": "white", "kind": "pawn", "from": 4, "to": 13, "dir": 0, "jump": "none"}
    ]
    assert json.loads(second)["state"]["to_move"] == "black"
    assert faults == ["!truncated", "!empty", "!bad-char"]
    back = f"{first}\n{second}\n[]\n{{\n" + first.replace('"dir":0', '"dir":1') + "\n" + "[" * 100_000
    assert text("qf", "--encode", piped=back.encode(), code=1).splitlines() == [
        "QBA", "gkwAAAAQ", "!jkf-type", "!json", "!jkf-value", "!jkf-depth",
    ]  # fmt: skip


def test_a_key_is_answered_before_the_next_line_comes():
    command = [sys.executable, "-m", "kifu_core", "key"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{EVEN} b -\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().decode().strip() == EVEN_CODE
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "line"), [(("--json",), f"{EVEN} b -"), (("--decode", "--json"), EVEN_CODE)]
)
def test_positions_as_objects(arguments, line):
    found = json.loads(text("key", *arguments, piped=line.encode()))
    assert found["turn"] is True
    assert found["board"][:9] == [-2, -3, -4, -5, -8, -5, -4, -3, -2] and len(found["board"]) == 81
    assert found["hands"]["white"] == dict.fromkeys(["FU", "KY", "KE", "GI", "KI", "KA", "HI"], 0)


def test_the_class_of_a_position_and_how_it_lies_there():
    piped = b"9/9/9/9/9/9/9/9/K8 w -\n8K/9/9/9/9/9/9/9/9 b -\n9/9/9/9/9/9/9/9/8K w - 1\nx\n"
    codes = text("class", piped=piped, code=1).splitlines()
    assert codes[0] == "gAHbbbbbbbbYAAAAAAAAAAAAAAAA 3"
    assert codes[3] == "!sfen-fields"
    assert codes[2] == "gAHbbbbbbbbYAAAAAAAAAAAAAAAA 2"


def test_boards_in_the_terminal():
    assert text("show", f"{EVEN} b -") == text("show", piped=EVEN_CODE.encode()) != ""
    shown = text("show", "--ply", "0", DATA / "kif/even_game.kif", DATA / "kif/problem.kif")
    assert shown.count("先手の持駒") == 2 and shown.startswith("後手の持駒：なし\n  ９ ８")
    assert "[bad-char]" in kifu("show", "poU!", code=1)[1]


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m kifu_core key | head -n 1"
    piped = f"{EVEN} b -\n".encode() * 5000
    done = subprocess.run(["sh", "-c", command], input=piped, capture_output=True, cwd=ROOT, check=True)
    assert (done.stdout, done.stderr) == (f"{EVEN_CODE}\n".encode(), b"")


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


# --- the answers of others -------------------------------------------------------------------------------


@pytest.mark.shared
def test_all_golden_codes_both_ways():
    rows = [json.loads(line) for line in (GOLDEN / "shogi64/vectors.jsonl").read_text().splitlines()]
    sfens = "\n".join(row["sfen"] for row in rows)
    codes = "\n".join(row["robust_code"] for row in rows)
    assert text("key", piped=sfens.encode()).splitlines() == codes.splitlines()
    assert text("key", "--decode", piped=codes.encode()).splitlines() == sfens.splitlines()


@pytest.mark.shared
def test_all_invalid_codes_by_name():
    rows = [json.loads(line) for line in (GOLDEN / "shogi64/invalid.jsonl").read_text().splitlines()]
    rows = [row for row in rows if "\n" not in row["code"]]
    piped = "".join(row["code"] + "\n" for row in rows).encode()
    messages = text("key", "--decode", piped=piped, code=1).splitlines()
    assert messages == [f"!{row['error']}" for row in rows]


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


# --- list, help ------------------------------------------------------------------------------------------


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
