"""The questions of docs/research.md have answers in the tables of a dump."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import duckdb
import pytest
from django.core.management import call_command

from archive.dumps import publishing
from tests.archive.games import stored

pytestmark = pytest.mark.django_db

PAGE = Path(__file__).parents[2] / "docs" / "research.md"
QUERIES = re.findall(r"^## (.*?)\n.*?^```sql\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
TURNED_AROUND = """開始日時：2020/05/01
手合割：平手
先手：甲
後手：乙
   1 ７六歩(77)   ( 0:05/00:00:05)
*#評価値=-1500
   2 ３四歩(33)   ( 1:07/00:01:07)
*#評価値=40
   3 ２六歩(27)   ( 0:01/00:00:06)
*#評価値=50
   4 投了
"""
WITHOUT_ANSWER = ["How much is the first move worth against a stronger player?"]
"""The samples have no ratings."""


def test_every_question_has_an_answer(settings, tmp_path):
    settings.ARCHIVE_DUMP_FOLDER = tmp_path
    call_command("sample_games", stdout=StringIO())
    stored(TURNED_AROUND)
    dump = publishing.make()
    assert dump is not None and len(QUERIES) == 12
    with duckdb.connect() as database:
        for view in re.findall(r"CREATE VIEW .*", PAGE.read_text("utf-8")):
            database.execute(re.sub(r"(\w+)\.parquet", rf"{dump.folder}/\1.parquet", view))
        answers = {title: database.execute(query).fetchall() for title, query in QUERIES}
    assert [title for title, rows in answers.items() if not rows] == WITHOUT_ANSWER
    assert sum(drawn for *_, drawn, _others in answers["How often does a game end in repetition?"]) == 1
    ((*_, result, worst),) = answers["Which games were turned around?"]
    assert (result, worst) == ("black", -1500)
