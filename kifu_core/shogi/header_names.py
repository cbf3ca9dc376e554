"""English names of the Japanese headers of records."""

from typing import Final

_SIDES: Final = {"先手": "Black", "後手": "White", "下手": "Black", "上手": "White"}
_OF_A_SIDE: Final = {
    "の持駒": "hand",
    "の持ち駒": "hand",
    "の囲い": "castle",
    "の戦型": "opening",
    "の手筋": "tactics",
    "の備考": "notes",
    "段級": "rank",
    "段位": "rank",
    "省略名": "short name",
    "詳細": "details",
    "消費時間": "time used",
    "消費時間加算": "time used before",
    "持ち時間": "time limit",
    "レート": "rating",
    "の読み": "reading",
}
_ENGLISH: Final = (
    {
        "手合割": "Handicap",
        "手合": "Handicap",
        "棋戦": "Event",
        "棋戦名": "Event",
        "棋戦詳細": "Event details",
        "場所": "Place",
        "対局場": "Place",
        "開始日時": "Started",
        "終了日時": "Ended",
        "開始日": "Started",
        "終了日": "Ended",
        "開始時刻": "Start time",
        "終了時刻": "End time",
        "対局日": "Date",
        "対局日時": "Date",
        "日時": "Date",
        "日付": "Date",
        "持ち時間": "Time limit",
        "持時間": "Time limit",
        "消費時間": "Time used",
        "秒読み": "Byoyomi",
        "戦型": "Opening",
        "戦法": "Opening",
        "表題": "Title",
        "備考": "Notes",
        "結果": "Result",
        "手数": "Moves",
        "手番": "Side to move",
        "振り駒": "Piece toss",
        "記録係": "Recorder",
        "立会人": "Referee",
        "解説": "Commentary",
        "解説者": "Commentator",
        "観戦記者": "Reporter",
        "掲載": "Published in",
        "初期局面": "Start position",
        "対局者": "Players",
        "対局ID": "Game ID",
        "記録ID": "Record ID",
        "棋譜番号": "Record number",
        "作者": "Author",
        "作品名": "Title of the problem",
        "作品番号": "Number of the problem",
        "発表誌": "Published in",
        "発表年月": "Published",
        "出典": "Source",
        "詰手数": "Moves to mate",
        "完全性": "Soundness",
        "最終更新日": "Last changed",
        "更新日時": "Last changed",
    }
    | _SIDES
    | {
        side + name: f"{english}'s {word}"
        for side, english in _SIDES.items()
        for name, word in _OF_A_SIDE.items()
    }
)


def english(header: str) -> str:
    """Return the English name of a header, or the header itself if it is unknown.

    >>> english("持ち時間"), english("先手の囲い"), english("天気")
    ('Time limit', "Black's castle", '天気')
    """
    return _ENGLISH.get(header, header)
