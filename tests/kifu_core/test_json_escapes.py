"""Escapes in JSON: they bring characters into records that no text, no database and no page can hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifu_core.games import load, of_record
from kifu_core.json_text import clean_escapes
from tests.kifu_core.test_hostile_headers import quoridor, shogi

TEXTS = {"shogi": shogi, "quoridor": quoridor}
HOSTILE = "a\0b\ud800c\udfff\ud83d"
CLEAN = "a\ufffdb\ufffdc\ufffd\ufffd"


@pytest.mark.parametrize("kind", TEXTS)
def test_what_no_text_can_hold_is_replaced_with_an_issue(kind):
    comments = [[HOSTILE], [], ["\U0001f600 \\ud800"], []]
    found, result = load(TEXTS[kind]({HOSTILE: HOSTILE, "x": "\\u0000"}, comments))
    (game,) = result.games
    assert found.name == kind
    assert game.record["header"] == {CLEAN: CLEAN, "x": "\\u0000"}
    assert game.record["moves"][0]["comments"] == [CLEAN]
    assert game.record["moves"][2]["comments"] == ["\U0001f600 \\ud800"]
    (issue,) = result.issues
    assert (issue.code, issue.severity, issue.params) == ("bad-characters", "warning", {"text": "12"})
    assert (issue.line, issue.column) == (
        1,
        1 + TEXTS[kind]({HOSTILE: "", "x": ""}, comments).index("\\u0000"),
    )


@pytest.mark.parametrize("kind", TEXTS)
def test_such_a_record_is_written_in_every_format(kind):
    (game,) = load(TEXTS[kind]({"先手": HOSTILE, "x": HOSTILE}, [[HOSTILE]] * 4))[1].games
    for name in of_record(game.record).formats.names:
        written = of_record(game.record).formats.dump(game.record, name)
        assert "\0" not in written.encode().decode()


@pytest.mark.parametrize("kind", TEXTS)
def test_what_could_not_be_played_holds_no_such_text_either(kind):
    text = TEXTS[kind]({}, [[], [], [], [HOSTILE]])
    last = {"shogi": '{"x": 2, "y": 6}', "quoridor": '"e3h"'}[kind]
    other = {"shogi": '{"x": 9, "y": 9}', "quoridor": '"e3x"'}[kind]
    assert last in text
    result = load(text.replace(last, other))[1]
    told = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    assert {issue.severity for issue in told} >= {"error"}
    for game in result.games:
        assert "\0" not in game.unread.encode().decode()


def test_a_text_that_is_no_json_names_the_same_place_with_and_without_them():
    for text in ('{"a": "%s"', '{"a": "%s" x}', '{\n"%s": ]}'):
        (plain,), (*_, hostile) = (load(text % word)[1].issues for word in ("abcdef", "\\u0000"))
        assert (plain.code, plain.line, plain.column) == (hostile.code, hostile.line, hostile.column)


PIECES = st.sampled_from(
    ["\\", '"', "u", "0000", "\\u0000", "\ud83d", "\ude00", "\0", "\n", "d83d", "\U0001f600", "a", "x\\"]
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_only_what_no_text_can_hold_is_replaced(text):
    # Python joins halves that escapes put side by side, as every reader of JSON does.
    given = json.loads(json.dumps(text))
    clean, places = clean_escapes(json.dumps(text))
    found = json.loads(clean)
    expected = ["\ufffd" if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in given]
    assert found == "".join(expected)
    assert len(places) == sum(char == "\0" or "\ud800" <= char <= "\udfff" for char in given)
