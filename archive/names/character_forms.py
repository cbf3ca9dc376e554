"""Variants of characters in names: 髙見 and 高見, 渡邊 and 渡辺 are the same name.

Names are compared `folded` and shown as written. `Player.key` stores the folded name: a change of the tables
needs a migration that merges players whose keys become equal.
"""

from typing import Final

_IN_NAMES: Final = """
高髙 崎﨑嵜 辺邊邉 斉斎齊齋 浜濱濵 島嶋嶌 富冨 吉𠮷 館舘 柳栁桺 桑桒 野埜 峰峯 曽曾 鴎鷗 遥遙 槙槇
薮藪籔 桧檜 篭籠 頼賴 巣巢 鶴靏靍 煕熙 尭堯 祢禰 弥彌 渕淵渊 橋𣘺 松枩柗 船舩 秋穐 梅楳 昂昻 晃晄
蒋蔣 郎郞 黒黑 内內 歩步 髪髮
"""
"""Variants in family registers and vendors' code pages, after the form to which they are folded."""

_OLD: Final = """
沢澤 竜龍 広廣 桜櫻 国國 真眞 恵惠 徳德 条條 栄榮 渋澁澀 蔵藏 円圓 岳嶽 実實 豊豐 学學 寿壽 静靜
礼禮 穂穗 滝瀧 瀬瀨 亜亞 応應 横橫 温溫 会會 絵繪 覚覺 楽樂 寛寬 関關 帰歸 亀龜 旧舊 峡峽 暁曉 勲勳
薫薰 渓溪 経經 継繼 芸藝 県縣 剣劍劔 検檢 厳嚴 黄黃 済濟 桟棧 児兒 写寫 釈釋 従從 粛肅 処處 緒緖
将將 奨奬 乗乘 浄淨 譲讓 晋晉 尽盡 図圖 粋粹 浅淺 戦戰 双雙 荘莊 総總 増增 続續 対對 体體 台臺 択擇
担擔 単單 団團 弾彈 昼晝 鋳鑄 庁廳 聴聽 鎮鎭 鉄鐵 点點 転轉 伝傳 当當 党黨 独獨 読讀 弐貳 拝拜 麦麥
発發 抜拔 秘祕 仏佛 並竝 変變 宝寶寳 万萬 満滿 黙默 薬藥 与與 誉譽 揺搖 様樣 謡謠 来來 乱亂 覧覽
両兩 緑綠 塁壘 励勵 歴歷 恋戀 錬鍊 労勞 湾灣 為爲 衛衞 駅驛 塩鹽 奥奧 毎每 巻卷 強强 産產 清淸 青靑
説說 教敎 徴徵 即卽
"""
"""New and old forms from the lists of 1946 and 1949."""

_KANA: Final = "ケヶ"
"""As in 三ケ尻 and 三ヶ尻."""

_SELECTORS: Final = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
"""Unicode's variation selectors, which only choose a glyph."""

_GROUPS: Final = (*_IN_NAMES.split(), *_OLD.split(), _KANA)
FORMS: Final[dict[int, str]] = {ord(other): group[0] for group in _GROUPS for other in group[1:]}
"""The folded form of each variant, for `str.translate`."""
FORMS.update(dict.fromkeys(_SELECTORS, ""))


def folded(name: str) -> str:
    """Return a normalized name with each character in one form, for comparison.

    >>> folded("髙見泰地"), folded("渡邊明") == folded("渡辺明"), folded("Bonanza 2.1")
    ('高見泰地', True, 'Bonanza 2.1')
    """
    return name if name.isascii() else name.translate(FORMS)
