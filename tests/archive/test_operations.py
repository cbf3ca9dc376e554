"""Operations on records: applying the difference of two records to one gives the other."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archive.derive import operations
from archive.derive.operations import Document, OperationError, PrerequisiteError, difference, is_addition

MOVES = {
    "7g7f": {"color": 0, "from": {"x": 7, "y": 7}, "to": {"x": 7, "y": 6}, "piece": "FU"},
    "2g2f": {"color": 0, "from": {"x": 2, "y": 7}, "to": {"x": 2, "y": 6}, "piece": "FU"},
    "3c3d": {"color": 1, "from": {"x": 3, "y": 3}, "to": {"x": 3, "y": 4}, "piece": "FU"},
}


def entry(name: str, *comments: str, forks: list[Any] | None = None) -> dict[str, Any]:
    result: dict[str, Any] = {"special": name[1:]} if name.startswith("%") else {"move": dict(MOVES[name])}
    if comments:
        result["comments"] = [*comments]
    if forks:
        result["forks"] = forks
    return result


def document(*line: dict[str, Any], header: dict[str, str] | None = None) -> Document:
    return Document({"header": header or {}, "moves": [{}, *line]})


entries = st.builds(
    entry,
    st.sampled_from([*MOVES]),
    st.sampled_from(["好手", "疑問手"]),
)
lines = st.recursive(
    st.lists(entries, min_size=1, max_size=4),
    lambda inner: st.lists(
        st.builds(
            lambda name, comment, forks: entry(name, *comment, forks=forks),
            st.sampled_from([*MOVES]),
            st.lists(st.sampled_from(["好手", "疑問手"]), max_size=2),
            st.lists(inner, max_size=3),
        ),
        min_size=1,
        max_size=4,
    ),
    max_leaves=12,
)
documents = st.builds(
    lambda line, end, header, ending: Document(
        {"header": header, "moves": [{}, *line, *([entry(end)] if end else [])]}, ending
    ),
    lines,
    st.sampled_from(["", "%TORYO", "%CHUDAN"]),
    st.dictionaries(st.sampled_from(["先手", "後手", "棋戦"]), st.text("甲乙 ", max_size=3)),
    st.sampled_from([None, ["投了", "TORYO", 3, 0, False]]),
)


@given(documents, documents)
@settings(max_examples=300, deadline=None)
def test_the_difference_of_two_records_turns_one_into_the_other(before, after):
    untouched = deepcopy((before, after))
    steps = difference(before, after)
    assert (before, after) == untouched
    result = deepcopy(before)
    operations.apply(steps, result)
    assert (result.record, result.ending) == (after.record, after.ending)
    assert not steps or before.record != after.record or before.ending != after.ending


def test_a_variation_that_became_the_line_is_promoted():
    before = document(entry("7g7f", forks=[[entry("2g2f"), entry("3c3d")]]), entry("3c3d"))
    after = document(entry("2g2f", forks=[[entry("7g7f"), entry("3c3d")]]), entry("3c3d"))
    assert [step["op"] for step in difference(before, after)] == ["promote"]


def test_a_comment_in_a_variation_is_one_operation():
    before = document(entry("7g7f", forks=[[entry("2g2f"), entry("3c3d")]]))
    after = document(entry("7g7f", forks=[[entry("2g2f"), entry("3c3d", "好手")]]))
    expected = {"op": "comments", "at": "1:2g2f/2", "move": "3c3d", "old": [], "new": ["好手"]}
    assert difference(before, after) == [expected]


def test_an_operation_whose_ground_has_moved_is_refused():
    steps = difference(document(header={"先手": "渡辺"}), document(header={"先手": "渡邊"}))
    with pytest.raises(PrerequisiteError):
        operations.apply(steps, document(header={"先手": "渡部"}))
    comment = difference(document(entry("7g7f")), document(entry("7g7f", "好手")))
    with pytest.raises(PrerequisiteError):
        operations.apply(comment, document(entry("2g2f")))
    longer = difference(document(entry("7g7f")), document(entry("2g2f")))
    with pytest.raises(PrerequisiteError):
        operations.apply(longer, document(entry("7g7f"), entry("3c3d")))


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "other"},
        {"op": "header"},
        {"op": "comments", "at": "x", "move": "", "old": [], "new": []},
        {"op": "comments", "at": "1/" * 500 + "1", "move": "", "old": [], "new": []},
        {"op": "line", "at": "0", "old": [""], "new": []},
        {"op": "line", "at": 7, "old": [], "new": []},
        {"op": "add-variation", "at": "1", "move": "7g7f", "line": [], "index": 0},
        {"op": "player", "colour": 5, "old": None, "new": 1},
        "text",
    ],
)
def test_an_operation_that_makes_no_sense_is_refused(operation):
    with pytest.raises(OperationError):
        operations.apply([operation], document(entry("7g7f")))


def test_additions_are_told_from_changes():
    before = document(entry("7g7f", "一"), header={"先手": "甲"})
    longer = document(
        entry("7g7f", "一", "二", forks=[[entry("2g2f")]]), entry("3c3d"), header={"先手": "甲", "棋戦": "乙"}
    )
    steps = difference(before, longer)
    assert len(steps) == 4
    assert all(map(is_addition, steps))
    assert not any(map(is_addition, difference(longer, before)))
