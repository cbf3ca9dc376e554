"""From bytes to entries: every file ends as entries, and every entry says what became of it."""

from __future__ import annotations

import pytest

from archive.derive.game import derive_game
from archive.intake import reader, worker
from archive.intake.reader import read_entries
from archive.models import codec
from kifu_core import games
from tests.archive.games import BROKEN, CSA, KIF, UNREADABLE

LETTER = "これは棋譜ではありません。" + "長い文章です。" * 9


def entries(data: str | bytes, name: str = "game.kif"):
    return list(read_entries(data.encode() if isinstance(data, str) else data, name))


@pytest.mark.parametrize("text", ["2024/13/45", "十三月四十五日", "13/1/2018 to 14/1/2018", "Reiwa 6"])
def test_a_day_that_is_not_understood_is_told_and_stays(text):
    (entry,) = entries(f"開始日時：{text}\n先手：甲\n   1 ７六歩(77)\n")
    (issue,) = entry.issues
    assert (issue.code, issue.severity, issue.params["text"]) == ("unknown-day", "warning", text)
    assert (issue.line, issue.column, issue.source_line) == (1, 6, f"開始日時：{text}")
    assert entry.game is not None and entry.game.played_from is None
    assert codec.unpack(entry.game.record)["header"]["開始日時"] == text


@pytest.mark.parametrize("text", ["", "????/??/??", "-", "不明", "10:00", "2024/05/01", "2024年"])
def test_a_day_that_nobody_knows_or_that_is_understood_is_no_finding(text):
    (entry,) = entries(f"開始日時：{text}\n先手：甲\n   1 ７六歩(77)\n")
    assert entry.issues == ()


def test_the_place_of_such_a_day_is_that_in_its_own_game():
    game = "V2.2\n$START_TIME:2024/13/45\nPI\n+\n+7776FU\n%TORYO\n"
    found = entries(f"{game}/\n{game}", "two.csa")
    assert [[issue.line for issue in entry.issues] for entry in found] == [[2], [9]]


def test_a_readable_file_is_an_entry_with_a_game():
    (entry,) = entries(KIF)
    assert entry.game is not None
    assert (entry.format, entry.encoding, entry.game.plies) == ("kif", "utf-8", 7)


def test_the_encoding_is_found_from_the_bytes():
    (entry,) = entries(KIF.encode("cp932"))
    assert entry.encoding == "cp932"
    assert entry.game is not None
    assert entry.game.players == ("先手の人", "後手の人")


def test_the_same_game_as_kif_and_csa_has_one_digest():
    (kif,), (csa,) = entries(KIF), entries(CSA, "game.csa")
    assert kif.game is not None
    assert csa.game is not None
    assert kif.game.digest == csa.game.digest


def test_a_game_that_breaks_off_keeps_what_came_before_and_names_the_line():
    (entry,) = entries(BROKEN)
    assert entry.game is not None
    assert entry.game.plies == 1
    (issue,) = [issue for issue in entry.issues if issue.severity == "error"]
    assert (issue.code, issue.line, issue.ply) == ("no-piece", 4, 2)
    assert issue.source_line == "   2 ５五歩(54)"
    assert "２六歩" in entry.beyond_jkf["unread"]


def test_a_file_of_another_board_fails_with_line_and_reason():
    (entry,) = entries(UNREADABLE)
    assert entry.game is None
    assert any(issue.severity == "error" and issue.line == 1 for issue in entry.issues)


@pytest.mark.parametrize(
    "data", [b"", b"\x00\x01\x02", b"hello", b"\xff" * 100, "日本語の文章です。".encode()]
)
def test_what_is_no_record_is_one_failed_entry_with_a_reason(data):
    (entry,) = entries(data, "letter.txt")
    assert entry.game is None
    assert [issue.severity for issue in entry.issues if issue.code] != []


@pytest.mark.parametrize(
    ("data", "code", "line", "shown"),
    [
        (b"", "empty-file", None, ""),
        ("\ufeff\n\u3000\r\n".encode(), "empty-file", None, ""),
        (f"\n\n  {LETTER}", "unknown-format", 3, f"  {LETTER}"),
        ("a\n鄒ｽ逕溷埋\ufffd\n", "misread", 2, "鄒ｽ逕溷埋\ufffd"),
        ("\n https://shogi.example/games/1\n", "is-address", 2, " https://shogi.example/games/1"),
        (b"%PDF-1.7\n", "is-document", None, ""),
    ],
)  # fmt: skip
def test_what_is_no_record_fails_with_the_line_as_it_stands_there(data, code, line, shown):
    (entry,) = entries(data, "letter.txt")
    (issue,) = [issue for issue in entry.issues if issue.severity == "error"]
    assert (issue.code, issue.line, issue.source_line) == (code, line, shown)


def test_a_file_of_two_games_is_two_entries_in_order():
    first, second = entries(f"{CSA}/\n{CSA.replace('先手の人', '別の人')}", "two.csa")
    assert (first.seq, first.index, second.seq, second.index) == (0, 0, 1, 1)
    assert second.game is not None
    assert second.game.players[0] == "別の人"


def test_a_text_beyond_the_limit_is_refused_with_its_size(settings):
    settings.ARCHIVE_MAX_TEXT_BYTES = 10
    (entry,) = entries(KIF)
    (issue,) = entry.issues
    assert (issue.code, issue.params["limit"]) == ("too-large", 10)


def test_a_fault_of_ours_fails_one_entry_and_says_so(monkeypatch, caplog):
    def broken(data, name, limits):
        raise ZeroDivisionError

    monkeypatch.setattr(games, "load", broken)
    (entry,) = entries(KIF)
    assert [issue.code for issue in entry.issues] == ["internal-error"]
    assert "ZeroDivisionError" in caplog.text


def test_batches_are_bounded_by_entries_and_rows(monkeypatch):
    many = entries("/\n".join(CSA.replace("先手の人", f"人{n}") for n in range(7)), "many.csa")

    def sizes():
        # The same seven games as one upload, and as two.
        for walks in ([(1, many)], [(1, many[:2]), (2, many[2:])]):
            yield [[len(batch.entries) for batch in group] for group in worker.batches(walks)]

    monkeypatch.setattr(worker, "BATCH_ENTRIES", 3)
    assert list(sizes()) == [[[3], [3], [1]], [[2, 2], [3], [0]]]
    monkeypatch.setattr(worker, "BATCH_ROWS", 1)
    assert list(sizes()) == [[[2], [2], [2], [1]], [[2], [0, 2], [2], [1]]]


def test_a_game_is_derived_only_when_it_is_asked_for(monkeypatch):
    derived = []
    monkeypatch.setattr(
        reader,
        "derive_game",
        lambda parsed, *args: derived.append(parsed.index) or derive_game(parsed, *args),
    )
    found = read_entries("/\n".join([CSA, CSA, CSA]).encode(), "three.csa")
    next(found)
    assert derived == [0]
    assert [entry.index for entry in found] == [1, 2]
    assert derived == [0, 1, 2]
