"""Split several headers of KIF and KI2 on one line: `先手：甲　後手：乙`, `対局者：甲 vs 乙`.

People write such lines, and programs that lose line breaks.
"""

import re
from typing import Final

_NAMES: Final = frozenset([
    "先手", "後手", "上手", "下手", "手合割", "開始日時", "終了日時", "棋戦", "場所", "持ち時間", "消費時間",
    "戦型", "表題",
])  # fmt: skip
_NEXT: Final = re.compile(rf"(?:^|[ 　\t、,／/]{{1,20}})({'|'.join(sorted(_NAMES))})[：:]")
_BOTH: Final = frozenset(["対局者", "対局者名", "対局"])
_AGAINST: Final = re.compile(
    r"(?:▲|☗|先手[ 　]?[：:]?)?(.{1,40}?)"
    r"(?:[ 　]{0,4}(?:対|[vVｖＶ][sSｓＳ][.．]?|[−－―‐-])[ 　]{0,4}|[ 　、,]{1,4}(?=[△☖]|後手))"
    r"(?:△|☖|後手[ 　]?[：:]?)?(.{1,40})"
)


def split_header(name: str, value: str) -> dict[str, str]:
    """Return the headers of a line with a name and a value.

    >>> split_header("先手", "甲　後手：乙 手合割:平手")
    {'先手': '甲', '後手': '乙', '手合割': '平手'}
    >>> split_header("対局者", "甲 vs 乙")
    {'対局者': '甲 vs 乙', '先手': '甲', '後手': '乙'}
    >>> split_header("備考", "次は 先手：甲")
    {'備考': '次は 先手：甲'}
    """
    if name in _BOTH and (match := _AGAINST.fullmatch(value.strip())):
        black, white = (text.strip() for text in match.groups())
        return {name: value, "先手": black, "後手": white} if black and white else {name: value}
    if name not in _NAMES or not ("：" in value or ":" in value):
        return {name: value}
    first, *rest = _NEXT.split(value)
    names = [name, *rest[::2]]
    if not rest or len(set(names)) < len(names):
        return {name: value}
    return dict(zip(names, (text.strip() for text in (first, *rest[1::2])), strict=True))
