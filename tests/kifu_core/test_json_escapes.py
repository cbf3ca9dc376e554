"""Escapes in JSON, which bring in characters that no text can hold, and several records in one text."""

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
    all_issues = [*result.issues, *(issue for game in result.games for issue in game.issues)]
    assert {issue.severity for issue in all_issues} >= {"error"}
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
    escaped = json.loads(json.dumps(text))
    clean, places = clean_escapes(json.dumps(text))
    found = json.loads(clean)
    expected = ["\ufffd" if char == "\0" or "\ud800" <= char <= "\udfff" else char for char in escaped]
    assert found == "".join(expected)
    assert len(places) == sum(char == "\0" or "\ud800" <= char <= "\udfff" for char in escaped)


# --- several records ---------------------------------------------------------------------------------------

FIRST = '{"header":{"先手":"甲"},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}}}]}'
SECOND = FIRST.replace("甲", "乙")


def read_lines(text: str) -> tuple[list[str], list[tuple[str, int | None]]]:
    """The players of the games of a text, and the codes and lines of its issues."""
    result = load(text)[1]
    players = [game.record["header"]["先手"] for game in result.games]
    return players, [(issue.code, issue.line) for issue in result.issues]


@pytest.mark.parametrize("between", ["\n", "\r\n", "\n\n", "\n  \n"])
def test_one_record_a_line(between):
    assert read_lines(FIRST + between + SECOND + between) == (["甲", "乙"], [])
    assert [game.first_line for game in load(f"{FIRST}\n\n{SECOND}")[1].games] == [1, 3]


def test_bad_lines_among_good_ones_are_issues_of_their_lines():
    assert read_lines(f'{FIRST}\n{{bad\n{SECOND}\n{{"moves":3}}\nx\n') == (
        ["甲", "乙"],
        [("json", 2), ("jkf-type", 4), ("json", 5)],
    )
    assert read_lines(f"{{bad\n{FIRST}\n{SECOND}") == (["甲", "乙"], [("json", 1)])
    assert read_lines(f"{FIRST}\n{SECOND[:-3]}") == (["甲"], [("json", 2)])


def test_a_record_that_is_cut_off_is_no_list_of_lines():
    pretty = json.dumps(json.loads(FIRST), indent=1)
    players, issues = read_lines(pretty[:-4])
    assert (players, [code for code, _ in issues]) == ([], ["json"])


def test_json_in_a_text_of_json():
    assert read_lines(json.dumps(FIRST)) == (["甲"], [])
    assert read_lines(f"{json.dumps(FIRST)}\n{SECOND}\n") == (["甲", "乙"], [])


def test_lines_of_nothing_but_errors_end_soon():
    players, issues = read_lines(f"{FIRST}\n" + "{bad\n" * 5000 + SECOND)
    assert players == ["甲"]
    assert len(issues) <= 1002
