"""Columns on a machine that does not share the folder where they are written: pulled, they answer alike."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from archive.columns import building, folder
from archive.columns.folder import runs_of
from archive.models import ColumnSegment
from archive.queries.patterns.summary import pattern_games
from archive.queries.scope import PUBLIC
from archive.queries.search.errors import QueryError
from kifu_core.shogi.patterns import parse
from tests.archive.builders import ingest, ready
from tests.archive.columns import build

pytestmark = pytest.mark.django_db


@pytest.fixture
def written(settings, tmp_path) -> Path:
    """The folder of the machine that writes, with two games; this machine has another, which is empty."""
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path / "written"
    ingest(ready("7g7f"), ready("2g2f"))
    build()
    settings.ARCHIVE_COLUMN_FOLDER = tmp_path / "here"
    return tmp_path / "written"


def pulled(source: Path) -> str:
    out = StringIO()
    call_command("pull_columns", str(source), stdout=out, stderr=out)
    return out.getvalue()


def games(text: str) -> int:
    return pattern_games(PUBLIC, parse(text)).games


def test_what_is_lacking_is_brought_and_asked(written):
    with pytest.raises(QueryError):
        games("X5i")
    assert building.lag().missing == 1
    assert "1 files" in pulled(written)
    assert games("X5i") == 2 and building.lag().missing == 0
    assert pulled(written) == ""


def test_the_folder_becomes_what_it_is_where_they_are_written(written, settings):
    pulled(written)
    here = Path(settings.ARCHIVE_COLUMN_FOLDER)
    (one,) = ColumnSegment.objects.filter(retired=None)
    (here / "0" / "gone.parquet").write_text("x")
    (here / "0" / "left.new").write_text("x")
    pulled(written)
    files = {path.name: path.read_bytes() for path in (here / "0").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (written / "0").iterdir()}
    assert {*files} == {one.name, runs_of(Path(one.name)).name, folder.MANIFEST}


@pytest.mark.parametrize("damage", ["changed", "cut", "deleted"])
def test_a_file_that_is_not_as_it_was_written_is_named_and_not_taken(written, settings, damage):
    (one,) = ColumnSegment.objects.filter(retired=None)
    path = written / "0" / one.name
    data = path.read_bytes()
    path.write_bytes({"changed": b"x" + data[1:], "cut": data[:-1], "deleted": b""}[damage])
    if damage == "deleted":
        path.unlink()
    with pytest.raises(CommandError, match=one.name):
        pulled(written)
    assert not (Path(settings.ARCHIVE_COLUMN_FOLDER) / "0" / one.name).exists()
    path.write_bytes(data)
    pulled(written)
    assert games("X5i") == 2


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(CommandError, match="there is no folder"):
        pulled(tmp_path / "nowhere")


def test_where_columns_are_written_nothing_is_pulled(written):
    with folder.columns_lock(), pytest.raises(CommandError, match="another process"):
        pulled(written)
