"""Small records that several tests send in, and a way to send them in."""

from __future__ import annotations

from archive import store
from archive.intake import worker
from archive.models import Upload

KIF = """手合割：平手
先手：先手の人
後手：後手の人
棋戦：試しの棋戦
開始日時：2024/05/01
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:02/00:00:02)
   3 ２二角成(88) ( 0:03/00:00:04)
   4 同　銀(31)   ( 0:04/00:00:06)
   5 ４五角打     ( 0:05/00:00:09)
   6 ５二金(61)   ( 0:06/00:00:12)
   7 ３四角(45)   ( 0:07/00:00:16)
   8 投了         ( 0:08/00:00:20)
まで7手で先手の勝ち
"""

CSA = """V2.2
N+先手の人
N-後手の人
$EVENT:試しの棋戦
$START_TIME:2024/05/01
PI
+
+7776FU
-3334FU
+8822UM
-3122GI
+0045KA
-6152KI
+4534KA
%TORYO
"""

BROKEN = "手合割：平手\n先手：甲\n   1 ７六歩(77)\n   2 ５五歩(54)\n   3 ２六歩(27)\n"
"""The second move starts from an empty square: the game ends before it."""

UNREADABLE = "手合割：五々将棋\n先手：甲\n   1 ２四歩(25)\n"
"""Another board: nothing of it can be played."""

START = "poUAACMaqtYhwHgAAAAPQdTnd3vMgAA"
"""The code of the initial position."""


def stored(data: bytes | str, name: str = "game.kif") -> Upload:
    """An upload of these bytes, worked off."""
    content = data.encode() if isinstance(data, str) else data
    upload, _ = store.create_upload(name, [content], source="command")
    worker.work_off(upload.pk)
    upload.refresh_from_db()
    return upload
