"""The curators' bench."""

from typing import Annotated

from archive.shapes.common import About, Address, JSONObject, Number, TotalInfo

Answers = Annotated[list[str], About("The answers that it can have.")]


class BenchKindInfo(JSONObject):
    """A kind of open questions about the public games."""

    kind: str
    url: Address
    total: Annotated[TotalInfo | None, About("Null if they cannot be counted quickly.")]
    answers: Answers
    undo: Annotated[list[str], About("Those of the answers that can be undone.")]


class Bench(JSONObject):
    """The kinds of open questions."""

    results: list[BenchKindInfo]


class BenchRow(JSONObject):
    """An open question."""

    key: Annotated[list[Number], About("The numbers by which it is answered: two for a pair, else one.")]
    url: Annotated[Address, About("The game, player, correction, entry or collection in question.")]
    similar: Annotated[list[Address], About("Games or players that may be the same.")]
    text: Annotated[str, About("A visitor's report, or the reasons for a pair.")]
    answers: Answers


class BenchRows(JSONObject):
    """Open questions of one kind, the latest first. A page may be empty and still have a next one."""

    results: list[BenchRow]
    next: Annotated[int | None, About("The `before` of the next page.")]
