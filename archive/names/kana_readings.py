"""Readings of names, for lists in the order of the kana (五十音順).

Records have no readings. Names in kana or Latin letters have an obvious one, and so have the family names of
the table here. `Player.reading` stores it: a change needs a migration that fills the column again.
"""

import re
import unicodedata
from typing import Final

from archive.names.character_forms import folded

_FAMILY_NAMES: Final = """
あいかわ 相川/あおき 青木/あおしま 青嶋/あおの 青野/あおやま 青山/あきやま 秋山/あくつ 阿久津
あさかわ 浅川 朝川/あさの 浅野/あべ 阿部 安部/あまの 天野/あらい 新井 荒井/あらき 荒木/ありもり 有森
ありよし 有吉/あわじ 淡路/あんどう 安藤 安東/あんようじ 安用寺/いいじま 飯島/いいだ 飯田/いいづか 飯塚
いいの 飯野/いぐち 井口/いけだ 池田/いけなが 池永/いしい 石井/いしかわ 石川/いしだ 石田/いしはし 石橋
いしはら 石原/いずみ 泉/いたに 井谷/いたや 板谷/いちかわ 市川/いちりき 一力/いで 井出/いとう 伊藤 伊東
いとだに 糸谷/いな 伊奈/いなば 稲葉/いのうえ 井上/いまいずみ 今泉/いまむら 今村/いわさき 岩崎/いわさ 岩佐
いわた 岩田/いわね 岩根/いわむら 岩村/うえだ 上田 植田/うえの 上野/うえむら 植村/うすい 臼井/うちだ 内田
うちやま 内山/うの 宇野/うらの 浦野/えとう 江藤 衛藤/えんどう 遠藤/おおいし 大石/おおうち 大内
おおくぼ 大久保/おおくら 大倉/おおさき 大崎/おおた 太田 大田/おおたに 大谷/おおつか 大塚/おおつき 大槻
おおにし 大西/おおの 大野/おおば 大場/おおはし 大橋/おおひら 大平/おおもり 大森/おおやま 大山
おかざき 岡崎/おかだ 岡田/おかべ 岡部/おかむら 岡村/おかもと 岡本/おがた 緒方/おがわ 小川/おぐら 小倉
おざき 尾崎/おざわ 小沢/おだ 小田 織田/おの 小野/おりた 折田/かい 甲斐/かがわ 香川/かしわぎ 柏木
かじうら 梶浦/かたがみ 片上/かたやま 片山/かつうら 勝浦/かつまた 勝又/かとう 加藤/かない 金井
かなざわ 金沢/かねこ 金子/かねだ 金田/かまだ 鎌田/かみや 神谷/かめやま 亀山/からさわ 唐沢/かわい 河合 川合
かわかみ 川上/かわぐち 川口 河口/かわさき 川崎/かわしま 川島/かわの 川野/かわむら 川村 河村/かわもと 川本
かんざき 神崎/きくち 菊池 菊地/きたおか 北岡/きたじま 北島/きたはま 北浜/きたむら 北村/きのした 木下
きむら 木村/きよの 清野/きりやま 桐山/くどう 工藤/くぼ 久保/くぼた 窪田 久保田/くまさか 熊坂/くらた 倉田
くりはら 栗原/くろさわ 黒沢/くろだ 黒田/くわはら 桑原/けんもち 剣持/ごうだ 郷田/こいずみ 小泉/こが 古賀
こさか 小阪 小坂/こじま 小島/ごとう 後藤/こにし 小西/こばやし 小林/こまつ 小松/こもり 古森/こやま 小山
こんどう 近藤/こんの 今野/さいとう 斎藤/さかい 酒井 坂井/さかき 榊/さかた 坂田 阪田/さかもと 坂本 阪本
さくま 佐久間/さくらい 桜井/ささき 佐々木/さとう 佐藤/さとみ 里見/さの 佐野/さわだ 沢田
さんまいどう 三枚堂/しおた 塩田/しまだ 島田/しまむら 島村/しまもと 島本/しみず 清水/しもだいら 下平
しょうじ 庄司/すがい 菅井/すがわら 菅原/すぎうら 杉浦/すぎもと 杉本/すぎやま 杉山/すずき 鈴木/すだ 須田
せがわ 瀬川/せきぐち 関口/せきね 関根/せりざわ 芹沢/せんざき 先崎/せんだ 千田/そがわ 曽川/そのだ 園田
たかぎ 高木/たかさき 高崎/たかだ 高田/たかの 高野/たかはし 高橋/たかはま 高浜/たかはら 高原/たかみ 高見
たかやま 高山/たけい 武井/たけうち 竹内/たけだ 武田 竹田/たけべ 武部/たけまた 竹俣/たけもと 竹本
たけやま 武山/たこしま 蛸島/たじま 田島/たなか 田中/たなべ 田辺/たにがわ 谷川/たにあい 谷合/たにぐち 谷口
たまる 田丸/たむら 田村/ちば 千葉/つかだ 塚田/つかもと 塚本/つじい 辻井/つちだ 土田/つちや 土屋/つつみ 堤
ではら 出原/でぐち 出口/てらい 寺井/てらさか 寺坂/てらだ 寺田/どい 土居 土井/とうどう 藤堂/とがし 富樫
とくだ 徳田/とざわ 戸沢/となり 都成/とべ 戸辺/とみた 富田/とみなが 富永/とみおか 富岡/とよしま 豊島
ないとう 内藤/なかい 中井/なかがわ 中川/なかざ 中座/なかざわ 中沢/ながさわ 長沢/なかじま 中島/なかた 中田
なかたに 中谷/ながた 永田/ながぬま 長沼/なかの 中野/なかはら 中原/なかむら 中村/なかやま 中山
ながおか 長岡/ながせ 永瀬/なめかた 行方/なりた 成田/なんば 難波/にしお 西尾/にしかわ 西川/にしだ 西田
にしむら 西村/にしもと 西本/にしやま 西山/ぬまた 沼田/のうの 農野/のぐち 野口/のだ 野田/のづき 野月
のはら 野原/のむら 野村/のもと 野本/はしもと 橋本/はせがわ 長谷川/はせべ 長谷部/はたけやま 畠山
はっとり 服部/はなだ 花田/はなむら 花村/はぶ 羽生/はま 浜/はまだ 浜田/はやかわ 早川/はやさき 早咲
はやしば 林葉/はやみず 早水/はら 原/はらだ 原田/ひうら 日浦/ひぐち 樋口/ひだか 日高/ひらの 平野
ひらふじ 平藤/ひらまつ 平松/ひろせ 広瀬/ふかうら 深浦/ふくい 福井/ふくおか 福岡/ふくざき 福崎
ふくしま 福島/ふくだ 福田/ふくま 福間/ふくもと 福本/ふじい 藤井/ふじうち 藤内/ふじくら 藤倉/ふじさわ 藤沢
ふじた 藤田/ふじはら 藤原/ふじもと 藤本/ふじもり 藤森/ふたかみ 二上/ふなえ 船江/ふるかわ 古川
ほりぐち 堀口/ほんだ 本田 本多/ほんま 本間/まえだ 前田/まきの 牧野/ますい 増井/ますだ 増田 升田 益田
まちだ 町田/まつい 松井/まつうら 松浦/まつお 松尾/まつおか 松岡/まつした 松下/まつだ 松田/まつばら 松原
まつむら 松村/まつもと 松本/まつやま 松山/まなべ 真部/まるた 丸田/まるやま 丸山/みうら 三浦/みくに 三国
みずの 水野/みたに 三谷/みなみ 南/みのわ 箕輪/みやけ 三宅/みやざき 宮崎/みやさか 宮坂/みやした 宮下
みやた 宮田/みやむね 宮宗/みやもと 宮本/むかいだ 向田/むらかみ 村上/むらた 村田/むらなか 村中
むらまつ 村松/むらやま 村山/むろおか 室岡/むろや 室谷/もちづき 望月/もとなが 本永/もり 森/もりうち 森内
もりした 森下/もりた 森田/もりのぶ 森信/もりもと 森本/もりやす 森安/もりやま 森山/やうち 矢内/やぐら 矢倉
やざわ 矢沢/やしき 屋敷/やしろ 八代/やすだ 安田/やまうち 山内/やまおか 山岡/やまかわ 山川/やまぐち 山口
やまざき 山崎/やました 山下/やまだ 山田/やまなか 山中/やまね 山根/やまもと 山本/やまむら 山村/よこた 横田
よこやま 横山/よこうち 横内/よしい 吉井/よしおか 吉岡/よしかわ 吉川/よしだ 吉田/よしむら 吉村
よしもと 吉本/よねなが 米長/よねやま 米山/わきた 脇田/わだ 和田/わたなべ 渡辺
"""
"""Readings, and family names that nearly everybody reads so. Voiced and unvoiced readings sort alike, so one
of them suffices."""

_READINGS: Final[dict[str, str]] = {
    folded(name): reading
    for reading, *names in (entry.split() for entry in re.split(r"[/\n]", _FAMILY_NAMES) if entry)
    for name in names
}
FAMILY_READINGS: Final = tuple(dict.fromkeys(_READINGS.values()))
_LONGEST: Final = max(map(len, _READINGS))
_KANA: Final = re.compile("[ぁ-ゖァ-ヺ]")
_READ_AS_WRITTEN: Final = re.compile("[ぁ-ゖァ-ヺー・ゝゞヽヾ 0-9A-Za-z]+")
_GENERATION: Final = re.compile("^[初一二三四五六七八九十]+代目?")
"""As in 六代大橋宗銀; but 八代 is also a family name."""
_HIRAGANA: Final = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_LARGE: Final = str.maketrans("ぁぃぅぇぉっゃゅょゎゕゖ", "あいうえおつやゆよわかけ")
_PLAIN: Final = str.maketrans("\u3099\u309a", "  ")
_VOWELS: Final = {
    kana: vowel
    for vowel, row in {
        "あ": "あかさたなはまやらわ",
        "い": "いきしちにひみりゐ",
        "う": "うくすつぬふむゆる",
        "え": "えけせてねへめれゑ",
        "お": "おこそとのほもよろを",
    }.items()
    for kana in row
}
_LETTER: Final = re.compile("[0-9a-z]")

ROWS: Final = "あかさたなはまやらわ"
"""The first kana of each row."""
LATIN: Final = "a"
UNKNOWN: Final = ""


def reading(name: str) -> str:
    """Return the sort key of a normalized name: its kana as in dictionaries (large, unvoiced), its Latin
    letters in lower case, or the reading of its family name and the rest as written. Empty if unknown.

    >>> reading("羽生善治"), reading("ボナンザ"), reading("やねうら王"), reading("Bonanza"), reading("激指")
    ('はふ 善治', 'ほなんさ', 'やねうら 王', 'bonanza', '')
    """
    text = folded(name)
    if _KANA.match(text):
        match = _READ_AS_WRITTEN.match(text)
        phonetic = match[0] if match else ""
        return _with_rest(kana_key(phonetic), text[len(phonetic) :])
    for candidate in dict.fromkeys((text, _GENERATION.sub("", text))):
        family, family_reading = family_of(candidate)
        if family:
            return _with_rest(kana_key(family_reading), candidate[len(family) :])
    letters = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    letters = letters.casefold()
    return letters if _LETTER.match(letters) else UNKNOWN


def reading_of(name: str, kana: str) -> str:
    """Return the sort key of a name whose reading in kana is known; `reading` of the name if it is empty.

    >>> reading_of("激指", "げきさし"), reading_of("東海林太郎", "しょうじ たろう")
    ('けきさし', 'しようし たろう')
    """
    return " ".join(map(kana_key, kana.split())) if kana.strip() else reading(name)


def family_of(name: str) -> tuple[str, str]:
    """Return the family name at the beginning of a name, and its reading; two empty texts if unknown.

    >>> family_of("羽生善治"), family_of("激指")
    (('羽生', 'はぶ'), ('', ''))
    """
    for length in range(min(_LONGEST, len(name)), 0, -1):
        if (family_reading := _READINGS.get(name[:length])) is not None:
            return name[:length], family_reading
    return "", ""


def _with_rest(key: str, rest: str) -> str:
    return f"{key} {rest.strip()}".strip()


def kana_key(text: str) -> str:
    """Return kana as dictionaries sort them: large unvoiced hiragana, with ー as the vowel that it lengthens.

    >>> kana_key("ヴァンガード"), kana_key("がっきゅう")
    ('うあんかあと', 'かつきゆう')
    """
    parts = unicodedata.normalize("NFD", text.casefold().translate(_HIRAGANA)).translate(_PLAIN)
    key = ""
    for char in parts.translate(_LARGE):
        if char == "ー":
            key += _VOWELS.get(key[-1:], "")
        elif char in "ゝゞヽヾ":
            key += key[-1:]
        elif char not in " ・":
            key += char
    return key


def row_of(key: str) -> str:
    """Return the section of a reading in lists: a row of the kana, `LATIN` or `UNKNOWN`."""
    if not key:
        return UNKNOWN
    return max((row for row in ROWS if row <= key[0]), default=LATIN)
