"""Raw JKF: no more than what a format writes."""

from __future__ import annotations

import json

import pytest

from kifu_core import load, normalize
from kifu_core.shogi.formats.raw import raw_record
from tests.cases import each
from tests.kifu_core import golden

GAME = """\
手合割：平手
   1 ７六歩(77)   ( 0:16/00:00:16)
   2 ３四歩(33)   ( 0:00/00:00:00)
   3 ２二角成(88)
"""


def entry(file_format, number=3):
    return raw_record(load(GAME).games[0].record, file_format)["moves"][number]["move"]


def test_each_format_names_moves_in_its_own_way():
    source, to = {"x": 8, "y": 8}, {"x": 2, "y": 2}
    assert entry("kif") == {"from": source, "to": to, "piece": "KA", "promote": True}
    assert entry("ki2") == {"to": to, "piece": "KA", "promote": True}
    assert entry("csa") == {"from": source, "to": to, "piece": "UM"}
    assert entry("usi") == {"from": source, "to": to, "promote": True}
    assert entry("jkf") == load(GAME).games[0].record["moves"][3]["move"]


@pytest.mark.parametrize("file_format", ["kif", "ki2", "csa", "jkf"])
def test_a_raw_record_normalizes_to_the_record(file_format):
    record = load(GAME).games[0].record
    raw = raw_record(record, file_format)
    assert normalize(raw, file_format)["moves"][1:] == [
        {key: value for key, value in entry.items() if key in raw_entry} | {"move": entry["move"]}
        for entry, raw_entry in zip(record["moves"][1:], raw["moves"][1:], strict=True)
    ]


@pytest.mark.shared
@each("name", golden.records())
def test_it_is_what_the_reference_s_parser_gives(name):
    game = load(golden.text_of(name), name).games[0]
    ours = json.loads(json.dumps(raw_record(game.record, name.split("/")[-2].removeprefix("tsshogi-"))))
    assert ours == golden.answer(name, ".raw")
