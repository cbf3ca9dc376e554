"""Dumps of everything public: what is in them, what never is, and what is left of those that break off."""

from __future__ import annotations

import json
import math
from io import StringIO
from pathlib import Path
from typing import Any

import duckdb
import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from archive.derive.verdicts import Line
from archive.dumps import parts, publishing, tables, unfinished
from archive.dumps.checking import check
from archive.dumps.offered import Dump, offered_dumps
from archive.dumps.packing import packed, unpacked
from archive.intake import uploads
from archive.models import LARGEST_ID, Entry, Game, GameAlias, GameFormation, SiteText, Upload, User
from kifu_core.games import load
from kifu_core.shogi.formations import FORMATIONS
from kifu_core.shogi.keys import shogi64
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive import quoridor
from tests.archive.analysed import analyse
from tests.archive.games import KIF, stored
from tests.archive.library_games import game_of, send

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    """Where the dumps of a test lie."""
    settings.ARCHIVE_DUMP_FOLDER = tmp_path / "dumps"
    return tmp_path / "dumps"


_MOMENTS = ("arrived", "changed")


def made() -> Dump:
    dump = publishing.make()
    assert dump is not None
    return dump


def lines(dump: Dump) -> list[dict[str, Any]]:
    return [json.loads(line) for file in dump.records for line in unpacked(dump.folder / file.name)]


def table(path: Path) -> list[dict[str, Any]]:
    result = duckdb.execute(f"SELECT * FROM read_parquet('{path}')")
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def rows(dump: Dump) -> list[dict[str, Any]]:
    """The games of all kinds."""
    return sorted((row for path in dump.tables for row in table(path)), key=lambda row: row["id"])


def kif(number: int, name: str = "甲") -> str:
    return KIF.replace("先手の人", f"{name}{number}")


def test_a_dump_of_the_sample_games_has_all_that_the_api_tells(client):
    call_command("sample_games", stdout=StringIO())
    dump = made()
    assert [*check(dump)] == []
    result = {one["id"]: one for one in lines(dump)}
    assert result.keys() == {*Game.objects.values_list("pk", flat=True)}
    table = {row["id"]: row for row in rows(dump)}
    assert [*table] == [*result] == sorted(result)
    listed = client.get("/api/v1/games?limit=500").json()["results"]
    assert len(listed) == dump.games == len(result)
    for data in listed:
        line, row = result[data["id"]], table[data["id"]]
        record, cursor = line.pop("record"), line.pop("cursor")
        assert record == Game.objects.get(pk=data["id"]).jkf and cursor == str(data["id"])
        assert len(load(json.dumps(record), "game.json")[1].games) == 1
        assert line == data | {"url": f"/api/v1/games/{data['id']}"}
        assert [f"{row[name]:%Y-%m-%dT%H:%M:%SZ}" for name in _MOMENTS] == [data[name] for name in _MOMENTS]
        same = row.keys() & data.keys() - {*_MOMENTS}
        assert {name: row[name] for name in same} == {name: data[name] for name in same}
        assert str(row["played_from"] or "None")[: len(data["date"] or "None")] == str(data["date"])


def test_a_table_has_typed_columns():
    upload = stored(KIF)
    (row,) = rows(made())
    assert row.keys() == tables.COLUMNS.keys()
    assert (row["black"], row["plies"], str(row["played_from"])) == ("先手の人", 7, "2024-05-01")
    assert row["arrived"] == upload.received.replace(microsecond=0, tzinfo=None)


LINE = """手合割：平手
先手：甲
後手：乙
   1 ７六歩(77)   ( 0:05/00:00:05)
*#評価値=34
   2 ３四歩(33)   ( 1:07/00:01:07)
   3 ２二角成(88) ( 0:01/00:00:06)
*#詰み=先手勝ち:5手
   4 投了
"""


def test_a_table_has_the_main_line_of_each_game():
    stored(LINE)
    stored("position startpos moves 2g2f 8c8d\n", "bare.usi")
    full, bare = rows(made())
    assert full["moves"] == ["7g7f", "3c3d", "8h2b+"]
    assert (full["seconds"], full["evals"]) == ([5, 67, 1], [34, None, None])
    assert full["mates"] == [None, None, 5]
    assert full["start"].endswith(" b -")
    assert (bare["moves"], bare["seconds"], bare["evals"]) == (["2g2f", "8c8d"], [], [])


def test_a_table_has_the_scores_of_an_analysis_if_the_comments_have_none():
    stored(LINE)
    stored("position startpos moves 2g2f 8c8d\n", "bare.usi")
    for game in Game.objects.all():
        analyse(game, [10, Line(None, 1, 3), 20])
    full, bare = rows(made())
    assert full["evals"] == [34, None, None]
    assert (bare["evals"], bare["mates"]) == ([None, 20], [-3, None])


def test_a_table_has_the_players_the_time_control_and_the_program():
    text = KIF.replace("先手の人", "羽生善治 竜王・九段")
    text = text.replace("手合割", "持ち時間：1時間\n秒読み：30秒\n手合割", 1)
    stored(f"# ---- Kifu for Windows ----\n{text}")
    (row,) = rows(made())
    game = Game.objects.get()
    ids = (row["black_id"], row["white_id"], row["event_id"])
    assert ids == (game.player0_id, game.player1_id, game.event_id)
    person = (row["black_reading"], row["black_rank"], row["black_titles"])
    assert person == ("はふ 善治", "九段", ["竜王"])
    time = {"main": 3600, "byoyomi": 30, "increment": 0, "periods": 0}
    assert row["black_time"] == row["white_time"] == time
    assert row["program"] == Entry.objects.get().program != ""


def test_the_positions_of_all_games_are_a_table():
    stored(LINE)
    dump = made()
    positions = table(dump.folder / "positions.parquet")
    (game,) = rows(dump)
    assert [row.pop("game_id") for row in positions] == [game["id"]] * 4
    assert [row.pop("result") for row in positions] == ["black"] * 4
    assert [row.pop("code") for row in positions] == codes_after(game["moves"])
    assert positions == [
        {"ply": 0, "move": "7g7f", "seconds": 5, "eval": None, "mate": None},
        {"ply": 1, "move": "3c3d", "seconds": 67, "eval": 34, "mate": None},
        {"ply": 2, "move": "8h2b+", "seconds": 1, "eval": None, "mate": None},
        {"ply": 3, "move": None, "seconds": None, "eval": None, "mate": 5},
    ]


def codes_after(moves: list[str]) -> list[str]:
    position = Position.initial()
    codes = [shogi64.encode(position)]
    for move in moves:
        position.do_move(from_usi(move))
        codes.append(shogi64.encode(position))
    return codes


def test_each_kind_of_game_has_its_tables():
    stored(LINE)
    stored(quoridor.NAMED, "game.txt")
    dump = made()
    names = ["games.parquet", "positions.parquet", "games-quoridor.parquet", "positions-quoridor.parquet"]
    names.append("novelties.parquet")
    assert [file.name for file in dump.files if file not in dump.records] == names
    assert [file.games for file in dump.files] == [2, 1, 1, 1, 1, 0]
    (game,) = table(dump.folder / names[2])
    assert (game["game"], game["white"]) == ("quoridor", Game.objects.get(kind="quoridor").player0.name)
    assert len(table(dump.folder / names[3])) == game["plies"] + 1
    assert [*check(dump)] == []


def test_games_are_written_in_small_groups_so_that_memory_suffices(folder):
    stored(LINE)
    part = parts.rows_file(folder, 1)
    folder.mkdir()
    parts.write_part(folder, 1, 0, LARGEST_ID, math.inf)
    part.write_bytes(part.read_bytes() * 9_000)
    assert tables.write_tables([part], folder, {})["games.parquet"] == 9_000
    sizes = duckdb.execute(f"SELECT row_group_num_rows FROM parquet_metadata('{folder / 'games.parquet'}')")
    assert {size for (size,) in sizes.fetchall()} == {8_192, 9_000 - 8_192}


def test_the_tables_describe_their_columns():
    dump = made()
    for file in dump.files[1:]:
        path = dump.folder / file.name
        about = dict(duckdb.execute(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall())
        names = [row[0] for row in duckdb.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()]
        assert sorted(json.loads(about[b"columns"])) == sorted(names)
        assert (about[b"game"], about[b"schema"]) == (b"shogi", b"1")
        for page in ("dumps.md", "dumps.ja.md"):
            text = (DOCS / page).read_text("utf-8")
            assert [name for name in names if f"`{name}`" not in text] == []


def test_formations_in_the_table_are_the_stored_ones():
    call_command("sample_games", stdout=StringIO())
    ids, numbers = dict(Game.objects.values_list("slot", "pk")), {one.name: one.number for one in FORMATIONS}
    assert {
        (row["id"], numbers[one["formation"]], one["side"] == "white", one["ply"])
        for row in rows(made())
        for one in row["formations"]
    } == {(ids[one.slot], one.formation, bool(one.colour), one.ply) for one in GameFormation.objects.all()}


def test_a_table_carries_its_terms():
    SiteText.objects.create(page=SiteText.Page.TERMS, language="en", text="It's free; don't sell it.")
    result = duckdb.execute(f"SELECT key, value FROM parquet_kv_metadata('{made().tables[0]}')").fetchall()
    about = {bytes(key).decode(): bytes(value).decode() for key, value in result}
    assert about["terms.en"] == "It's free; don't sell it." and about["schema"] == "1"


def test_a_file_of_many_errors_is_not_compared_with_the_table():
    for number in range(25):
        stored(kif(number))
    dump = made()
    (file,) = dump.records
    with packed(dump.folder / file.name) as damaged:
        for _ in range(25):
            damaged.write(b"nonsense\n")
    errors = [*check(dump)]
    assert f"{file.name}: the rest of the file was not checked" in errors
    assert not any("same games" in error or error.startswith("has ") for error in errors)


def test_what_is_not_public_is_in_no_dump():
    anna = User.objects.create_user("anna", password="opensesame")
    public = game_of(send(anna, kif(1), "public"))
    send(anna, kif(2, "秘密"), "mine")
    dump = made()
    assert [one["id"] for one in lines(dump)] == [public.pk]
    assert "秘密" not in json.dumps(
        [*lines(dump), *rows(dump), dump.manifest], default=str, ensure_ascii=False
    )


def test_the_manifest_tells_of_every_file_and_the_terms(settings):
    stored(KIF)
    SiteText.objects.create(page="terms", language="en", text="CC0")
    dump = made()
    data = dump.manifest
    assert (data["schema"], data["games"], data["terms"]) == (1, 1, {"en": "CC0"})
    tables_of_shogi = ["games.parquet", "positions.parquet", "novelties.parquet"]
    names = [f"games-{dump.name[:10]}.ndjson.zst", *tables_of_shogi]
    assert [file["name"] for file in data["files"]] == names
    assert {path.name for path in dump.folder.iterdir()} == {
        *(file["name"] for file in data["files"]), "manifest.json", "SHA256SUMS",
    }  # fmt: skip


def test_a_large_archive_is_in_several_parts(monkeypatch):
    monkeypatch.setattr(parts, "MOST_GAMES", 2)
    for number in range(4):
        stored(kif(number))
    dump = made()
    assert [file.games for file in dump.records] == [2, 2]
    assert [file.name.removeprefix(f"games-{dump.name[:10]}") for file in dump.records] == [
        "-1.ndjson.zst", "-2.ndjson.zst",
    ]  # fmt: skip
    assert [*check(dump)] == []


def test_an_archive_without_games_has_a_dump_without_games():
    dump = made()
    assert (dump.games, lines(dump), rows(dump)) == (0, [], [])
    assert [*check(dump)] == []


def test_work_is_done_in_turns(monkeypatch):
    monkeypatch.setattr(parts, "MOST_GAMES", 1)
    for number in range(3):
        stored(kif(number))
    turns = 0
    while not offered_dumps():
        turns += 1
        assert publishing.is_due() and turns < 20
        publishing.make(0)
    assert turns >= 3 and lines(offered_dumps()[0])[2]["black"] == "甲2"


@pytest.mark.parametrize("at", ["write_tables", "_manifest", "sum_of_path"])
def test_killed_in_the_middle_nothing_is_offered_and_the_next_run_makes_it_whole(monkeypatch, folder, at):
    stored(KIF)

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publishing, at, killed)
        with pytest.raises(KeyboardInterrupt):
            publishing.make()
    assert offered_dumps() == []
    assert [path.name for path in folder.iterdir() if not path.name.startswith(".")] == []
    dump = made()
    assert [*check(dump)] == [] and dump.games == 1
    assert {path.name for path in folder.iterdir()} == {dump.name, ".lock", ".last"}


def test_a_part_that_was_cut_off_is_not_gone_on_with(monkeypatch, folder):
    monkeypatch.setattr(parts, "MOST_GAMES", 1)
    for number in range(3):
        stored(kif(number))
    assert publishing.make(0) is None
    path = folder / ".making" / "part-1.ndjson.zst"
    path.write_bytes(path.read_bytes()[:-1])
    assert [*check(made())] == []


def test_a_game_that_is_deleted_during_the_dump_is_not_in_it(monkeypatch):
    gone, stays = stored(kif(1)), stored(kif(2))
    write = publishing.write_tables

    def deleted_meanwhile(*given: Any) -> dict[str, int]:
        written = write(*given)
        if Upload.objects.filter(pk=gone.pk).exists():
            uploads.withdraw(gone.pk)
        return written

    monkeypatch.setattr(publishing, "write_tables", deleted_meanwhile)
    dump = made()
    assert [one["id"] for one in lines(dump)] == [row["id"] for row in rows(dump)] == [game_of(stays).pk]
    assert [*check(dump)] == []


def test_a_game_of_an_upload_that_is_being_deleted_is_in_no_dump():
    stored(kif(1))
    Upload.objects.update(state=Upload.State.DELETING)
    assert made().games == 0


def test_what_was_taken_down_is_told_by_the_next_manifest(settings):
    gone, stays = stored(kif(1)), stored(kif(2))
    pk = game_of(gone).pk
    first = made()
    uploads.withdraw(gone.pk)
    second = made()
    assert [one["id"] for one in lines(second)] == [game_of(stays).pk]
    assert second.manifest["taken_down"] == [{"dump": first.name, "games": [pk], "merged": {}}]
    third = made()
    assert third.manifest["taken_down"] == [
        {"dump": second.name, "games": [], "merged": {}},
        {"dump": first.name, "games": [pk], "merged": {}},
    ]


def test_a_game_that_went_back_to_a_library_is_told_too():
    anna = User.objects.create_user("anna", password="opensesame")
    game = game_of(send(anna, kif(1), "public"))
    first = made()
    Game.objects.filter(pk=game.pk).update(space=7)
    assert made().manifest["taken_down"] == [{"dump": first.name, "games": [game.pk], "merged": {}}]


def test_a_game_that_became_one_with_another_was_not_taken_down():
    one, other = stored(kif(1)), stored(kif(2))
    former, present = game_of(one).pk, game_of(other)
    first = made()
    uploads.withdraw(one.pk)
    GameAlias.objects.create(pk=former, game=present)
    data = {"dump": first.name, "games": [], "merged": {str(former): present.pk}}
    assert made().manifest["taken_down"] == [data]


def test_games_that_come_during_a_dump_are_in_the_next(monkeypatch):
    monkeypatch.setattr(parts, "MOST_GAMES", 1)
    for number in range(2):
        stored(kif(number))
    assert publishing.make(0) is None
    late = game_of(stored(kif(9)))
    assert late.pk not in [one["id"] for one in lines(made())]
    assert late.pk in [one["id"] for one in lines(made())]


def test_dumps_with_games_that_are_gone_can_be_forgotten_at_once():
    gone = stored(kif(1))
    made()
    uploads.withdraw(gone.pk)
    clean = made()
    assert len(publishing.delete_outdated()) == 1
    assert [dump.name for dump in offered_dumps()] == [clean.name]


def test_the_newest_dumps_are_kept(settings):
    settings.ARCHIVE_DUMPS_KEPT = 2
    stored(KIF)
    names = [made().name for _ in range(4)]
    assert len({*names}) == 4
    assert [dump.name for dump in offered_dumps()] == names[:1:-1]


def test_two_processes_do_not_dump_at_once():
    with unfinished.dump_lock(), pytest.raises(unfinished.DumpInProgressError):
        publishing.make()
    with unfinished.dump_lock(), pytest.raises(CommandError, match="another process"):
        call_command("dump")


HOSTILE = "x\"'\\,\u2028;DROP TABLE--\t{}$1 %s ../../"


def test_hostile_names_stay_what_they_are():
    stored(KIF.replace("先手の人", HOSTILE))
    dump = made()
    black = Game.objects.get().player0
    assert black is not None
    assert [one["black"] for one in lines(dump)] == [row["black"] for row in rows(dump)] == [black.name]
    assert [*check(dump)] == []


def test_the_command_makes_a_dump_and_checks_it():
    stored(KIF)
    out = StringIO()
    call_command("dump", "--forget", stdout=out)
    assert "1 games" in out.getvalue()
    call_command("dump", "--check", stdout=out, stderr=StringIO())
    assert "nothing wrong" in out.getvalue()
    with pytest.raises(CommandError, match="no dump"):
        call_command("dump", "--check", "../..")


@pytest.mark.parametrize("name", ["games.parquet", "SHA256SUMS", "records"])
def test_a_file_that_was_changed_is_told(name):
    stored(KIF)
    dump = made()
    path = dump.folder / (dump.records[0].name if name == "records" else name)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"!" + data[len(data) // 2 + 1 :])
    out = StringIO()
    with pytest.raises(CommandError, match="wrong"):
        call_command("dump", "--check", stdout=out, stderr=StringIO())
    assert path.name in out.getvalue()


def test_a_damaged_older_dump_keeps_no_new_one_from_being_made():
    stored(KIF)
    first = made()
    first.tables[0].write_bytes(b"nothing")
    assert made().manifest["taken_down"] == [{"dump": first.name, "games": None, "merged": {}}]
    assert offered_dumps()[0].taken_down == {first.name: None}
