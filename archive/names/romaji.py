"""Japanese names in Latin letters, as readers write them who do not write kana: Habu, Yoshiharu Habu, Oyama.

Spellings differ in long vowels, in Hepburn and Kunrei and in the order of the names; `key` makes them one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations
from typing import Final

from archive.names.character_forms import folded
from archive.names.kana_readings import FAMILY_READINGS, family_of, kana_key

_SYLLABLES: Final = """
a あ/i い/u う/e え/o お/ka か/ki き/ku く/ke け/ko こ/sa さ/shi し/su す/se せ/so そ/ta た/chi ち/tsu つ
te て/to と/na な/ni に/nu ぬ/ne ね/no の/ha は/hi ひ/fu ふ/he へ/ho ほ/ma ま/mi み/mu む/me め/mo も/ya や
yu ゆ/yo よ/ra ら/ri り/ru る/re れ/ro ろ/wa わ/o を/n ん/ga が/gi ぎ/gu ぐ/ge げ/go ご/za ざ/ji じ/zu ず
ze ぜ/zo ぞ/da だ/ji ぢ/zu づ/de で/do ど/ba ば/bi び/bu ぶ/be べ/bo ぼ/pa ぱ/pi ぴ/pu ぷ/pe ぺ/po ぽ
kya きゃ/kyu きゅ/kyo きょ/sha しゃ/shu しゅ/sho しょ/cha ちゃ/chu ちゅ/cho ちょ/nya にゃ/nyu にゅ/nyo にょ
hya ひゃ/hyu ひゅ/hyo ひょ/mya みゃ/myu みゅ/myo みょ/rya りゃ/ryu りゅ/ryo りょ/gya ぎゃ/gyu ぎゅ/gyo ぎょ
ja じゃ/ju じゅ/jo じょ/bya びゃ/byu びゅ/byo びょ/pya ぴゃ/pyu ぴゅ/pyo ぴょ
"""
_PAIRS: Final = [entry.split() for entry in re.split(r"[/\n]", _SYLLABLES) if entry]
_LATIN: Final = {kana: latin for latin, kana in _PAIRS}
_KANA: Final = {latin: kana for latin, kana in reversed(_PAIRS)}

_GIVEN_NAMES: Final = """
あきひと 章人 彰人/あきら 明 章 昭 彰 晶 陽 朗/あつし 篤/あまひこ 天彦/あゆむ 歩夢 歩/いちよ 市代
いちよう 一葉/いっき 一輝/いんたつ 印達/えいじ 栄治/おさむ 修 理/かずお 一雄 和夫 一男/かずき 一基
かずとし 一利 和俊/かずひろ 一博 和広/かずま 和真/かな 香奈/かなえ 香苗/かなこ 香奈子/かんじゅ 看寿
かんな 環那/きみお 公男/きよたか 清隆/きんじろう 金次郎/くにお 邦雄/けい 圭 慧/けいた 慶太/けんいち 健一
けんじ 健二 憲二/けんた 健太 賢太/こう 鋼/こういち 孝一 浩一 康一 康市/こうじ 浩司 浩二 孝治
こうすけ 康介 昂祐/こうぞう 幸三/こうた 康太/こうへい 航平 浩平/さえ 沙恵/さえこ 佐恵子/さかお 栄夫
さくら 桜/さとし 聡 聖/さとる 悟/さんきち 三吉/しげゆき 茂行/しげる 茂/しゅうじ 秀司/しゅん 駿
しゅんすけ 俊介 駿介/しょうた 翔太 章太/しんいち 真一 慎一 伸一/しんいちろう 慎一郎/しんじ 真司 慎二
しんたろう 慎太郎/しんや 慎也 真也 晋也/すえきち 末吉/せいや 誠也/そういん 宗印/そうえい 宗英/そうかん 宗看
そうぎん 宗銀/そうけい 宗桂/そうこ 宗古/そうた 聡太 壮太/そうほ 宗歩/そうよ 宗与/たいち 泰地 太地
たえこ 多恵子/たかし 隆 孝 貴士/たかのり 崇載/たかひろ 隆弘 貴大 崇宏/たかゆき 隆之 孝之/たく 卓/たくま 拓馬
たくみ 拓海 匠/たくや 拓也 卓也 拓矢/たくろう 卓郎/たけし 猛 武 健/たける 武尊/ただす 忠/ただひさ 忠久
たつや 達也 竜也 達哉/たろう 太郎/だいすけ 大介 大輔/だいち 大地/ちから 力 主税/つとむ 勉/てつや 哲也
てつろう 哲郎/とおる 徹 透/としあき 敏明 利明/としひこ 敏彦/としゆき 俊之/ともか 智佳 朋佳/なおひろ 直弘
なおゆき 直幸/なな 七奈/ななみ 七海/にしき 錦/のぶお 信雄/のぶゆき 伸之/はつみ 初美/はるき 陽樹
ひさし 尚史 久/ひでみつ 英光/ひでゆき 英之 秀之/ひふみ 一二三/ひろあき 広章 宏明/ひろき 弘喜 大樹
ひろし 広 浩 寛 博/ひろゆき 広之 弘行 裕之/ふみお 文夫/まこと 誠 真/まさお 正夫/まさかず 雅和 正和
まさき 正樹 将樹/まさたか 正隆 真隆/まさひこ 正彦/まさひろ 正裕/まさや 昌也/まさゆき 雅之 将之/まな 麻奈
まなお 学央/まなぶ 学/みちお 道雄/みちたか 倫敬/みちよし 美義/みつひろ 光弘/みつる 充/みなみ 南/もとじ 基司
もとゆき 基之/ももこ 桃子/もりひろ 守博/やすあき 泰明 康昭 慈明/やすはる 康晴/やすひろ 康宏/やすみつ 康光
やまと 大和/ゆうき 勇気 裕貴/ゆうじ 裕二/ゆうすけ 裕介 勇介/ゆうた 雄太 悠太/ゆうだい 雄大/ゆうや 裕也
よしお 義雄/よしかず 芳一/よしたか 義孝/よしのぶ 吉信/よしはる 善治/よしゆき 義之 善之/りさ 里紗
りゅうおう 竜王/りょう 良 遼/りょうすけ 良介 亮介/れお 玲央/わたる 渉
"""
"""Readings of given names, and characters that players with a given name of that reading write."""

_GIVEN: Final[dict[str, str]] = {
    folded(name): reading
    for reading, *names in (entry.split() for entry in re.split(r"[/\n]", _GIVEN_NAMES) if entry)
    for name in names
}

_SPELLINGS: Final = (
    (r"[’'`\-]", ""), (r"(?<=[aeiou])h(?![aeiouy]|$)|(?<=o)h$|(?<=^o)h(?=y)", ""), ("dz", "z"),
    ("sy([auo])", r"sh\1"), ("ty([auo])", r"ch\1"), ("[zdj]y([auo])", r"j\1"),
    ("si", "shi"), ("ti", "chi"), ("tu", "tsu"), ("(?<![sc])hu", "fu"), ("[zd]i", "ji"), ("du", "zu"),
    ("tch", "cch"), ("l", "r"), ("m(?=[bpm])", "n"), ("ou|oo", "o"), ("uu", "u"),
)  # fmt: skip
"""What other spellings write, and what it is here; `ji` and `zu` stand for two kana each."""


def key(text: str) -> str:
    """Return what Latin letters are compared by: Hepburn without long vowels.

    >>> key("Ōyama"), key("Ohyama"), key("Ooyama"), key("Sato"), key("Satou"), key("Huzii"), key("Shimpei")
    ('oyama', 'oyama', 'oyama', 'sato', 'sato', 'fujii', 'shinpei')
    """
    plain = (char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    found = "".join(plain).casefold()
    for pattern, spelling in _SPELLINGS:
        found = re.sub(pattern, spelling, found)
    return found


def latin(kana: str) -> str:
    """Write hiragana in Latin letters, as Hepburn does without marks.

    >>> latin("はぶ"), latin("じょうたろう"), latin("いっき")
    ('habu', 'joutarou', 'ikki')
    """
    found, place = "", 0
    doubled = False
    while place < len(kana):
        size = 2 if kana[place : place + 2] in _LATIN else 1
        syllable = _LATIN.get(kana[place : place + size], "")
        doubled_now = kana[place] == "っ"
        found += (syllable[:1] if doubled else "") + syllable
        doubled, place = doubled_now, place + size
    return found


def kana(text: str) -> str:
    """Write Latin letters as hiragana; return an empty text where they are no Japanese syllables.

    >>> kana("sakura"), kana("ikki"), kana("Bonanza"), kana("Smith")
    ('さくら', 'いっき', 'ぼなんざ', '')
    """
    rest, found = key(text), ""
    while rest:
        if rest[0] == rest[1:2] and rest[0] not in "aeioun":
            found, rest = found + "っ", rest[1:]
        size = next((size for size in (3, 2, 1) if rest[:size] in _KANA), 0)
        if not size:
            return ""
        found, rest = found + _KANA[rest[:size]], rest[size:]
    return found


def readings(text: str, *, begun: bool = False) -> tuple[tuple[str, str], ...]:
    """Return how a name in kana or in Latin letters may be read: what players are sorted by
    (`kana_readings.kana_key`) for the family name, and the key of the given name, empty where there is none.

    Names in Latin letters have either order. Where a name is only `begun`, more letters of it may follow.

    >>> readings("Habu"), readings("Yoshiharu Habu"), readings("ハブ"), readings("hab", begun=True)
    ((('はふ', ''),), (('はふ', 'yoshiharu'),), (('はふ', ''),), (('はふ', ''),))
    """
    words = [word for word in re.split(r"[\s,・]+", text) if word]
    if not words or len(words) > _NAMES:
        return ()
    kana_words = [word.translate(_TO_HIRAGANA) for word in words]
    if all(map(_HIRAGANA.fullmatch, kana_words)):
        return tuple(dict.fromkeys(_of_kana(*kana_words)))
    return tuple(dict.fromkeys(_of_latin([key(word) for word in words], begun)))


def _of_kana(family: str, given: str = "") -> Iterator[tuple[str, str]]:
    yield kana_key(family), key(latin(given))
    if not given:
        for one in FAMILY_READINGS:
            if family.startswith(one) and family != one:
                yield kana_key(one), key(latin(family[len(one) :]))


def _of_latin(words: Sequence[str], begun: bool) -> Iterator[tuple[str, str]]:
    for family, *given in permutations(words):
        known = _families()
        found = [one for one in known if one.startswith(family)][:_BEGUN] if begun else [family]
        for one in found:
            for reading in known.get(one, ()):
                yield reading, "".join(given)
    if len(words) == 1 and (written := kana(words[0])):
        yield kana_key(written), ""


_TO_HIRAGANA: Final = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_HIRAGANA: Final = re.compile("[ぁ-ゖー]+")
_BEGUN: Final = 12
"""Family names that begin alike."""
_NAMES: Final = 2
"""Words of a Japanese name."""


@cache
def _families() -> dict[str, tuple[str, ...]]:
    """Return what family names are sorted by, by their keys."""
    found: dict[str, tuple[str, ...]] = {}
    for reading in FAMILY_READINGS:
        one = key(latin(reading))
        found[one] = (*found.get(one, ()), kana_key(reading))
    return {one: tuple(dict.fromkeys(some)) for one, some in found.items()}


def given_key(name: str) -> str:
    """Return the key of a player's given name; empty where its reading is not known.

    >>> given_key("羽生善治"), given_key("羽生太"), given_key("Bonanza")
    ('yoshiharu', '', '')
    """
    return key(latin(_parts(name)[1]))


def romanized(name: str) -> str:
    """Return a Japanese name in Latin letters, the family name first; empty where its reading is not known.

    >>> romanized("羽生善治"), romanized("井上慶太"), romanized("羽生太"), romanized("Bonanza")
    ('Habu Yoshiharu', 'Inoue Keita', 'Habu', '')
    """
    shown = (_short(latin(part)) for part in _parts(name))
    return " ".join(word.capitalize() for word in shown if word)


def _short(text: str) -> str:
    """Write long vowels as English does: Oyama, Yuki; but Inoue and Matsuura, where two vowels meet."""
    return re.sub(r"o[ou](?![aeiou])", "o", re.sub(r"(?<=[yhj])uu", "u", text))


def _parts(name: str) -> tuple[str, str]:
    """Return the readings of a family name and of the given name; empty where they are not known."""
    text = folded(name)
    family, reading = family_of(text)
    return reading, _GIVEN.get(text[len(family) :].strip(), "") if family else ""
