"""Describe patterns in words, for readers who cannot see the board and for conditions that no board can show;
and write their text in Japanese, which uses the same words."""

from collections.abc import Iterator
from typing import Final

from kifu_core.messages import Language
from kifu_core.shogi.draw import PIECES as KINDS
from kifu_core.shogi.patterns.impossible import Impossible
from kifu_core.shogi.patterns.pattern import Pattern, PatternStep, PieceCount
from kifu_core.shogi.patterns.text import LONGEST, PIECES, contents, text_of
from kifu_core.shogi.squares import JAPANESE, USI

PHRASES: Final[dict[Language, dict[str, str]]] = {
    "ja": {
        "own": "{piece}",
        "enemy": "相手の{piece}",
        "X": "自分の駒",
        "x": "相手の駒",
        "-": "空き",
        "or": "か",
        "not": "{pieces}以外",
        "square": "{square} {pieces}",
        "comma": "、",
        "hand": "持駒：{counts}",
        "board": "盤上：{counts}",
        "exactly": "{piece}{n}枚",
        "none": "{piece}なし",
        "least": "{piece}{n}枚以上",
        "most": "{piece}{n}枚以下",
        "between": "{piece}{least}〜{most}枚",
        "turn": "自分の手番",
        "enemy-turn": "相手の手番",
        "ply": "{first}手目",
        "from": "{first}手目以降",
        "until": "{last}手目まで",
        "plies": "{first}〜{last}手目",
        "kept": "その後{kept}手続く",
        "kept-once": "その後{kept}手続く",
        "then": "その後",
        "next": "1手後",
        "within": "その後{gap}手以内",
        "either": "先手・後手どちらでも",
        "black": "先手だけ",
        "white": "後手だけ",
        "mirror": "左右反転も",
        "main": "本譜だけ",
    },
    "en": {
        "own": "{piece}",
        "enemy": "opponent's {piece}",
        "X": "a piece of yours",
        "x": "a piece of the opponent",
        "-": "nothing",
        "or": " or ",
        "not": "anything but {pieces}",
        "square": "{square} {pieces}",
        "comma": ", ",
        "hand": "In hand: {counts}",
        "board": "On the board: {counts}",
        "exactly": "{piece} {n}",
        "none": "no {piece}",
        "least": "{piece} {n} or more",
        "most": "{piece} {n} at most",
        "between": "{piece} {least} to {most}",
        "turn": "Your turn",
        "enemy-turn": "Opponent's turn",
        "ply": "At move {first}",
        "from": "From move {first} on",
        "until": "Up to move {last}",
        "plies": "At moves {first} to {last}",
        "kept": "Stays for {kept} more moves",
        "kept-once": "Stays for {kept} more move",
        "then": "Later",
        "next": "One move later",
        "within": "Within {gap} moves",
        "either": "For either side",
        "black": "For Black only",
        "white": "For White only",
        "mirror": "Mirror images, too",
        "main": "Not in variations",
    },
}

_REASONS: Final[dict[Language, dict[str, str]]] = {
    "ja": {
        "step": "ステップ{step}：{reason}",
        "kings": "玉は一枚しかありません（{piece}が{number}枚）",
        "kings-meet": "玉と玉が隣り合うことはありません",
        "too-many": "{piece}は両者合わせて{most}枚です（{number}枚以上が必要）",
        "two-pawns": "{file}筋の{piece}が二歩です",
        "ten-pawns": "{piece}は盤上に{most}枚までです（{number}枚だと二歩になる）",
        "dead": "{square}の{pieces}は行き所がありません",
        "too-few": "{piece}は盤上に{most}枚以下のはずですが、マスに{number}枚あります",
        "turn-stays": "手番は一手ごとに替わるので、手番を決めた形は続きません",
        "plies": "前のステップに続くには手数の条件が合いません",
    },
    "en": {
        "step": "Step {step} – {reason}",
        "kings": "{piece}: {number}, but each side has only one",
        "kings-meet": "Kings never stand side by side",
        "too-many": "{piece}: at least {number}, but a set has only {most}",
        "two-pawns": "{piece}: two on file {file} (nifu)",
        "ten-pawns": "{piece}: {number} on the board, but only one may stand on a file",
        "dead": "{pieces} on {square}: it could never move",
        "too-few": "{piece}: {number} on squares, but {most} at most on the board",
        "turn-stays": "The side to move changes with each move, so a pattern with a side to move cannot stay",
        "plies": "Its move numbers do not fit those of the step before",
    },
}
"""The texts of reasons why no game can have a pattern."""


def step_words(step: PatternStep, language: Language) -> list[str]:
    """Return the conditions of a step, a line for its squares and one for each other condition.

    >>> from kifu_core.shogi.patterns.text import parse
    >>> step_words(parse("K9i {G,S}7h !p5e hand:P>=2,r=0 kept:3").steps[0], "en")
    ["9i king, 7h silver or gold, 5e anything but opponent's pawn", "In hand: no opponent's rook, pawn 2 or \
more", 'Stays for 3 more moves']
    """
    return [*_step_lines(step, language)]


def _step_lines(step: PatternStep, language: Language) -> Iterator[str]:
    phrases, names = PHRASES[language], JAPANESE if language == "ja" else USI
    squares = (
        phrases["square"].format(square=names[square], pieces=_pieces(allowed, language))
        for square, allowed in sorted(step.squares.items(), key=lambda one: -one[0])
    )
    if step.squares:
        yield phrases["comma"].join(squares)
    yield from _conditions(step, language)


def _conditions(step: PatternStep, language: Language) -> Iterator[str]:
    """Yield the conditions of a step other than its squares."""
    phrases = PHRASES[language]
    for name, counts in (("hand", step.hands), ("board", step.board)):
        if counts:
            text = phrases["comma"].join(_count(count, language) for count in counts)
            yield phrases[name].format(counts=text)
    if step.own_turn is not None:
        yield phrases["turn" if step.own_turn else "enemy-turn"]
    if step.first is not None or step.last is not None:
        yield phrases[_span(step.first, step.last)].format(first=step.first, last=step.last)
    if step.kept:
        yield phrases["kept-once" if step.kept == 1 else "kept"].format(kept=step.kept)


def _pieces(allowed: int, language: Language) -> str:
    phrases = PHRASES[language]
    negated, names = contents(allowed)
    text = phrases["or"].join(phrases.get(name) or _piece(PIECES[name], language) for name in names)
    return phrases["not"].format(pieces=text) if negated else text


def _piece(piece: int, language: Language) -> str:
    return PHRASES[language]["own" if piece > 0 else "enemy"].format(piece=KINDS[language][abs(piece)])


def _count(count: PieceCount, language: Language) -> str:
    phrases, piece = PHRASES[language], _piece(count.piece, language)
    if count.most is None:
        return phrases["least"].format(piece=piece, n=count.least)
    if count.least == count.most:
        return phrases["exactly" if count.most else "none"].format(piece=piece, n=count.most)
    name = "between" if count.least else "most"
    return phrases[name].format(piece=piece, n=count.most, least=count.least, most=count.most)


def _span(first: int | None, last: int | None) -> str:
    if first == last:
        return "ply"
    return "until" if first is None else "from" if last is None else "plies"


def gap_words(gap: int | None, language: Language) -> str:
    """Return the phrase for the gap before a step."""
    name = "then" if gap is None else "next" if gap == 1 else "within"
    return PHRASES[language][name].format(gap=gap)


def impossible_words(impossible: Impossible, pattern: Pattern, language: Language) -> str:
    """Return the text of an impossible condition, with the number of the step if there are several.

    >>> from kifu_core.shogi.patterns import impossible, parse
    >>> pattern = parse("K5i then P7f P7g")
    >>> [impossible_words(one, pattern, "en") for one in impossible(pattern)]
    ['Step 2 – pawn: two on file 7 (nifu)']
    """
    reasons, names = _REASONS[language], JAPANESE if language == "ja" else USI
    reason = reasons[impossible.why].format(
        piece=_piece(impossible.piece, language) if impossible.piece else "",
        number=impossible.number,
        most=impossible.most,
        file=impossible.file,
        square=names[impossible.square],
        pieces=_pieces(impossible.allowed, language),
    )
    if len(pattern.steps) == 1:
        return reason
    return reasons["step"].format(step=impossible.step + 1, reason=reason)


def pattern_words(pattern: Pattern, language: Language) -> str:
    """Return the options of a pattern: the own side, mirror images, main line."""
    phrases = PHRASES[language]
    keys = ["either" if pattern.own is None else "white" if pattern.own else "black"]
    keys += ["mirror"] * pattern.mirrored + ["main"] * pattern.main
    return " · ".join(phrases[one] for one in keys)


def localized_text(pattern: Pattern, language: Language) -> str:
    """Return the text of a pattern in a language, in canonical order: `parse` returns an equal pattern.

    If the Japanese text would be too long, the text is in letters.

    >>> from kifu_core.shogi.patterns.text import parse
    >>> localized_text(parse("K9i {G,s}7h !p5e hand:P>=2,r=0 then<=20 -8h own:black"), "ja")
    '!{△歩}５五 {△銀、金}７八 ９九玉 持駒：相手の飛なし、歩2枚以上 その後20手以内 -８八 先手だけ'
    """
    japanese = "" if language == "en" else " ".join(_japanese_parts(pattern))
    return japanese if 0 < len(japanese) <= LONGEST else text_of(pattern)


def _japanese_parts(pattern: Pattern) -> Iterator[str]:
    for number, step in enumerate(pattern.steps):
        if number:
            yield gap_words(pattern.gaps[number - 1], "ja")
        for square in sorted(step.squares):
            yield _japanese_square(step.squares[square], JAPANESE[square])
        yield from _conditions(step, "ja")
    if pattern.own is not None:
        yield PHRASES["ja"]["white" if pattern.own else "black"]
    yield from [PHRASES["ja"]["mirror"]] * pattern.mirrored + [PHRASES["ja"]["main"]] * pattern.main


def _japanese_square(allowed: int, square: str) -> str:
    """Return what a square may hold as `parse` reads it: ８八玉, △５一玉, {△銀、金}７八, !{歩}７六, -５五."""
    negated, names = contents(allowed)
    pieces = [_marked(name) for name in names]
    if len(pieces) > 1 or (negated and names[0] in PIECES):
        return f"{'!' * negated}{{{'、'.join(pieces)}}}{square}"
    if names[0] not in PIECES:
        return f"{'!' * negated}{pieces[0]}{square}"
    return f"△{square}{pieces[0][1:]}" if PIECES[names[0]] < 0 else square + pieces[0]


def _marked(name: str) -> str:
    piece = PIECES.get(name)
    return name if piece is None else "△" * (piece < 0) + KINDS["ja"][abs(piece)]
