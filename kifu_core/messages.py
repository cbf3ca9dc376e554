"""The text of every issue and error code, in Japanese and English, filled from the finding's params."""

from collections.abc import Mapping
from typing import Final, Literal, Protocol

from kifu_core.rule_names import listed
from kifu_core.tables import read_table

Language = Literal["ja", "en"]
Params = Mapping[str, str | int]


class Finding(Protocol):
    """An issue or an error."""

    @property
    def code(self) -> str: ...
    @property
    def params(self) -> Params: ...
    @property
    def ply(self) -> int | None: ...


TEXTS: Final = {
    row["code"]: (row["japanese"], row["english"]) for row in read_table("kifu_core", "messages.csv")
}
"""Code -> (Japanese, English). `{ply}` is the finding's own, the other fields are its params.

`{count:game was|games were}` is a number with the words that follow one, or any other number.
"""


class _Shown(str):
    """The text of a param."""

    __slots__ = ()

    def __format__(self, words: str) -> str:
        one, _, several = words.partition("|")
        return f"{self!s} {one if self == '1' else several}" if words else str(self)


class _Params(dict[str, _Shown]):
    """Params in which a missing field shows as `?`: a text must never fail to appear."""

    def __missing__(self, key: str) -> _Shown:
        return _Shown("?")


def message(finding: Finding | str, params: Params | None = None, language: Language = "ja") -> str:
    """Return the text of an issue, an error or a bare code.

    A code without a text (a newer writer's) is shown as it is, so that no finding is ever hidden.
    """
    code = finding if isinstance(finding, str) else finding.code
    values = params if params is not None or isinstance(finding, str) else finding.params
    filled = _Params({name: _Shown(value) for name, value in (values or {}).items()})
    if "expected" in filled:
        filled["expected"] = _Shown(listed(filled["expected"], language))
    if not isinstance(finding, str) and finding.ply is not None:
        filled.setdefault("ply", _Shown(finding.ply))
    texts = TEXTS.get(code)
    if texts is None:
        return code
    return texts[0 if language == "ja" else 1].format_map(filled)
