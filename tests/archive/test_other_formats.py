"""Sets, books and training data through the whole import: each entry with its format and what it became."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from archive.intake import texts
from archive.intake.reader import read_part
from archive.intake.walk import walk
from archive.models import Entry, Game
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.kifu_core.packing import entry

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "file_format", "kinds"),
    [
        ("csa1/two_games.csa1", "csa1", ["game", "game"]),
        ("shogidb2/game.json", "shogidb2", ["game"]),
        ("psn/two_dialects.psn", "psn", ["game", "game"]),
        ("db/small.db", "db", ["tree"]),
        ("ybb/small.ybb", "ybb", ["tree"]),
        ("sbk/small.sbk", "sbk", ["tree"]),
        ("apery/small.bin", "apery", ["tree"]),
        ("hcpe3/small.hcpe3", "hcpe3", ["game", "game"]),
        ("csa/one_line_book.csa", "csa", ["tree", "tree", "tree"]),
    ],
)
def test_a_file_becomes_entries_of_its_format(name, file_format, kinds):
    call_command("import_kifu", str(DATA / name), stdout=StringIO())
    assert [*Game.objects.order_by("id").values_list("record_kind", flat=True)] == kinds
    assert set(Entry.objects.values_list("format", "state")) == {(file_format, Entry.State.STORED)}


@pytest.mark.django_db
@pytest.mark.parametrize("packing", ["hcpe", "psv"])
def test_training_data_becomes_positions(tmp_path, packing):
    position, data = Position.initial(), b""
    for move in ("7g7f", "3c3d", "8h2b+"):
        data += entry(position, packing, score=55, move=from_usi(move), result=1)
        position.do_move(from_usi(move))
    path = tmp_path / f"train.{packing}"
    path.write_bytes(data)
    call_command("import_kifu", str(path), stdout=StringIO())
    assert set(Game.objects.values_list("record_kind", flat=True)) == {"position"}
    assert set(Entry.objects.values_list("format", "encoding")) == {(packing, "binary")}
    assert Entry.objects.count() == 3


@pytest.mark.parametrize(("name", "count"), [("csa1/two_games.csa1", 2), ("psn/two_dialects.psn", 2)])
def test_a_large_file_is_cut_between_its_games(monkeypatch, tmp_path, name, count):
    data = (DATA / name).read_bytes() + b"\n"

    def read() -> list[int]:
        path = tmp_path / Path(name).name
        path.write_bytes(data * 5)
        with path.open("rb") as file:
            parts = list(walk(file, path.name))
        assert b"".join(part.data for part in parts) == data * 5
        found = [one for part in parts for one in read_part(part, path.name)]
        lengths.append(len(parts))
        return [one.game.plies for one in found if one.game]

    lengths: list[int] = []
    whole = read()
    monkeypatch.setattr(texts, "UNCUT_BYTES", 100)
    monkeypatch.setattr(texts, "GROUP_BYTES", 60)
    assert read() == whole
    assert len(whole) == 5 * count
    assert lengths[0] == 1 < lengths[1]
