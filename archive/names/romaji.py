"""Japanese names in Latin letters: Habu, Yoshiharu Habu, Oyama.

Spellings differ in long vowels, between Hepburn and Kunrei, and in the order of names; `key` unifies them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
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
"""Readings of given names, and how players write them."""

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
"""Patterns of other spellings, and their replacements; `ji` and `zu` stand for two kana each."""


def key(text: str) -> str:
    """Return a name in Latin letters in one spelling, for comparison: Hepburn without long vowels.

    >>> key("Ōyama"), key("Ohyama"), key("Ooyama"), key("Sato"), key("Satou"), key("Huzii"), key("Shimpei")
    ('oyama', 'oyama', 'oyama', 'sato', 'sato', 'fujii', 'shinpei')
    """
    plain = (char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    result = "".join(plain).casefold()
    for pattern, spelling in _SPELLINGS:
        result = re.sub(pattern, spelling, result)
    return result


def latin(kana: str) -> str:
    """Return hiragana in Hepburn without diacritics.

    >>> latin("はぶ"), latin("じょうたろう"), latin("いっき")
    ('habu', 'joutarou', 'ikki')
    """
    result, index = "", 0
    doubled = False
    while index < len(kana):
        size = 2 if kana[index : index + 2] in _LATIN else 1
        syllable = _LATIN.get(kana[index : index + size], "")
        result += (syllable[:1] if doubled else "") + syllable
        doubled, index = kana[index] == "っ", index + size
    return result


def kana(text: str) -> str:
    """Return Latin letters as hiragana; empty if they are no Japanese syllables.

    >>> kana("sakura"), kana("ikki"), kana("Bonanza"), kana("Smith")
    ('さくら', 'いっき', 'ぼなんざ', '')
    """
    rest, result = key(text), ""
    while rest:
        if rest[0] == rest[1:2] and rest[0] not in "aeioun":
            result, rest = result + "っ", rest[1:]
        size = next((size for size in (3, 2, 1) if rest[:size] in _KANA), 0)
        if not size:
            return ""
        result, rest = result + _KANA[rest[:size]], rest[size:]
    return result


def readings(text: str, *, partial: bool = False) -> tuple[tuple[str, str], ...]:
    """Return possible readings of a name in kana or Latin letters: the sort key of the family name
    (`kana_readings.kana_key`), and the `key` of the given name or an empty text.

    Names in Latin letters may have either order. A `partial` name is the beginning of one.

    >>> readings("Habu"), readings("Yoshiharu Habu"), readings("ハブ"), readings("hab", partial=True)
    ((('はふ', ''),), (('はふ', 'yoshiharu'),), (('はふ', ''),), (('はふ', ''),))
    """
    words = [word for word in re.split(r"[\s,・]+", text) if word]
    if not words or len(words) > _NAMES:
        return ()
    kana_words = [word.translate(_TO_HIRAGANA) for word in words]
    if all(map(_HIRAGANA.fullmatch, kana_words)):
        return tuple(dict.fromkeys(_of_kana(*kana_words)))
    return tuple(dict.fromkeys(_of_latin([key(word) for word in words], partial)))


def _of_kana(family: str, given: str = "") -> Iterator[tuple[str, str]]:
    yield kana_key(family), key(latin(given))
    if not given:
        for prefix in FAMILY_READINGS:
            if family.startswith(prefix) and family != prefix:
                yield kana_key(prefix), key(latin(family[len(prefix) :]))


def _of_latin(words: Sequence[str], partial: bool) -> Iterator[tuple[str, str]]:
    families = _families()
    for family, *given in permutations(words):
        matches = (
            [name for name in families if name.startswith(family)][:_COMPLETIONS] if partial else [family]
        )
        for match in matches:
            for reading in families.get(match, ()):
                yield reading, "".join(given)
    if len(words) == 1 and (phonetic := kana(words[0])):
        yield kana_key(phonetic), ""


_TO_HIRAGANA: Final = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}
_HIRAGANA: Final = re.compile("[ぁ-ゖー]+")
_COMPLETIONS: Final = 12
"""Family names that are tried for a partial one."""
_CACHED: Final = 10_000
"""Given names whose keys are cached, for those who type on."""
_NAMES: Final = 2
"""Words of a Japanese name."""


@cache
def _families() -> dict[str, tuple[str, ...]]:
    """Return the sort keys of family names by their `key`."""
    sort_keys: dict[str, dict[str, None]] = {}
    for reading in FAMILY_READINGS:
        sort_keys.setdefault(key(latin(reading)), {})[kana_key(reading)] = None
    return {latin_key: tuple(keys) for latin_key, keys in sort_keys.items()}


@lru_cache(_CACHED)
def given_key(name: str, kana: str = "") -> str:
    """Return the `key` of a player's given name; empty if its reading is unknown. `kana` is the reading of
    the complete name, if that is known.

    >>> given_key("羽生善治"), given_key("羽生太"), given_key("Bonanza")
    ('yoshiharu', '', '')
    """
    return key(latin("".join(kana.split()[1:]) or _parts(name)[1]))


def romanized(name: str) -> str:
    """Return a Japanese name in Latin letters, family name first; empty if its reading is unknown.

    >>> romanized("羽生善治"), romanized("井上慶太"), romanized("羽生太"), romanized("Bonanza")
    ('Habu Yoshiharu', 'Inoue Keita', 'Habu', '')
    """
    words = (_shorten_vowels(latin(part)) for part in _parts(name))
    return " ".join(word.capitalize() for word in words if word)


def _shorten_vowels(text: str) -> str:
    """Return long vowels as in English: Oyama, Yuki; but Inoue and Matsuura, where two vowels meet."""
    return re.sub(r"o[ou](?![aeiou])", "o", re.sub(r"(?<=[yhj])uu", "u", text))


def _parts(name: str) -> tuple[str, str]:
    """Return the readings of the family name and of the given name; empty if unknown."""
    text = folded(name)
    family, reading = family_of(text)
    return reading, _GIVEN.get(text[len(family) :].strip(), "") if family else ""
