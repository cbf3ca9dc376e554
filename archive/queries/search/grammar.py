"""The grammar of the search language: it turns a text into a tree, or into one error with its position.

The first token decides between alternatives, so the time is linear in the text; `parsing` has limited nested
parentheses before. Errors are raised where they are: the last alternative of a choice raises one with the
expected tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn

import pyparsing as pp

from archive.queries.search.days import DAY, first_day, read_day, shifted
from archive.queries.search.errors import PATTERN, QueryError
from archive.queries.search.fields import BY_KEY, BY_NAME, FIELDS, Field, Kind
from archive.queries.search.printing import OPERATORS, QUOTED
from archive.queries.search.terms import (
    And,
    Between,
    EqualTo,
    FieldIs,
    HasPattern,
    Or,
    ReachesPosition,
    Term,
    Word,
    negated,
    together,
)
from kifu_core.errors import KifuError, ParseError
from kifu_core.games import GAMES
from kifu_core.shogi import formations, patterns

# --- errors ----------------------------------------------------------------------------------------------


def _refused(*expected: str) -> pp.ParserElement:
    """Return the last alternative of a choice, which raises an error."""

    def refuse(_text: str, place: int, _tokens: pp.ParseResults) -> NoReturn:
        raise QueryError("query-syntax", place, expected)

    return pp.Empty().add_parse_action(refuse)


def _wrong(place: int, text: str, *expected: str) -> QueryError:
    return QueryError("query-value", place, expected, text=text)


# --- values ----------------------------------------------------------------------------------------------

_NO_OPERATOR: Final = rf"(?!(?:{'|'.join(OPERATORS)})(?![^\s()]))"
_PLAIN: Final = pp.Regex(rf'{_NO_OPERATOR}[^\s()",、「]{{1}}[^\s()",、]*+')


def _unquoted(_text: str, place: int, tokens: pp.ParseResults) -> str:
    inner = tokens[0][1:-1]
    text = " ".join((inner.replace('""', '"') if tokens[0][0] == '"' else inner).split())
    if not text:
        raise QueryError("query-syntax", place + 1, ("text",))
    return text


def _text() -> pp.ParserElement:
    quoted = pp.Regex(QUOTED).add_parse_action(_unquoted)
    return quoted | _PLAIN.copy()


_COMPARED: Final = {
    ">=": (0, None), ">": (1, None), "≧": (0, None), "≥": (0, None),
    "<=": (None, 0), "<": (None, -1), "≦": (None, 0), "≤": (None, 0),
}  # fmt: skip
"""The distance of the least or the most value from the operand of a sign."""
_SIGNS: Final = "|".join(_COMPARED)
_TO: Final = r"(?:\.\.|~|〜)"
_END: Final = r'(?![^\s()",、/])'


def _matched(name: str, pattern: str) -> pp.ParserElement:
    """Return an element whose result is its name and its groups."""

    def named(tokens: pp.ParseResults) -> list[tuple[str, ...]]:
        return [(name, *tokens[0].groups())]

    return pp.Regex(pattern, as_match=True).add_parse_action(named)


def _ranged(one: str, expected: Kind) -> pp.ParserElement:
    """Return the grammar of an ordered field's values: one value, a range, or a comparison."""
    compared = _matched("compared", rf"({_SIGNS}) *+({one}){_END}")
    between = _matched("between", rf"({one})?{_TO}({one})?{_END}")
    alone = _matched("alone", rf"({one}){_END}")
    return compared | between | alone | _refused(expected)


def _number_value(field: Field, place: int, match: tuple[str, ...]) -> EqualTo | Between:
    def number(text: str, shift: int = 0) -> str:
        value = int(text) + shift
        if not field.in_range(value):
            raise _wrong(place, text, "number")
        return str(value)

    return _value(match, number, int, number, place)


def _day_value(_field: Field, place: int, match: tuple[str, ...]) -> EqualTo | Between:
    def day(text: str) -> str:
        if (value := read_day(text)) is None:
            raise _wrong(place, text, "day")
        return value

    def further(text: str, days: int) -> str:
        value = shifted(day(text), days)
        if value is None:
            raise _wrong(place, text, "day")
        return value

    return _value(match, day, lambda text: first_day(text).toordinal(), further, place)


def _value(
    match: tuple[str, ...],
    read: Callable[[str], str],
    ordered: Callable[[str], int],
    shift: Callable[[str, int], str],
    place: int,
) -> EqualTo | Between:
    kind, first, *rest = match
    if kind == "alone":
        return EqualTo(read(first))
    if kind == "compared":
        least, most = _COMPARED[first]
        one = rest[0]
        if least is not None:
            return Between(shift(one, least) if least else read(one), "")
        return Between("", shift(one, most) if most else read(one))
    low, high = (read(one) if one else "" for one in (first, rest[0]))
    if not (low or high):
        raise QueryError("query-syntax", place, ("number",))
    if low and high and ordered(low) > ordered(high):
        low, high = high, low
    return Between(low, high)


def _choice(field: Field, place: int, text: str) -> EqualTo:
    value = field.read(text)
    if value not in field.choices:
        raise _wrong(place, text, *field.choices)
    return EqualTo(value)


def _formation(field: Field, place: int, text: str) -> EqualTo:
    value = field.read(text)
    if value not in formations.BY_NAME:
        raise _wrong(place, text, "formation")
    return EqualTo(value)


def _one_number(field: Field, place: int, text: str) -> EqualTo:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and field.in_range(int(text))):
        raise _wrong(place, text, "one number")
    return EqualTo(str(int(text)))


def _one_day(_field: Field, place: int, text: str) -> EqualTo:
    if (value := read_day(text)) is None:
        raise _wrong(place, text, "one day")
    return EqualTo(value)


def _free(field: Field, _place: int, text: str) -> EqualTo:
    return EqualTo(field.filter.parse(text) if field.filter else text)


_VALUES: Final[dict[Kind, tuple[Callable[[], pp.ParserElement], Callable[..., Any]]]] = {
    "text": (_text, _free),
    "choice": (_text, _choice),
    "formation": (_text, _formation),
    "one number": (_text, _one_number),
    "one day": (_text, _one_day),
    "number": (lambda: _ranged(r"\d{1,18}", "number"), _number_value),
    "day": (lambda: _ranged(DAY, "day"), _day_value),
}
"""The grammar of the values of each kind of field, and the function that builds a value from a match."""


# --- fields ----------------------------------------------------------------------------------------------


def _key(fields: Iterable[Field]) -> pp.ParserElement:
    names_of_fields = {field.name for field in fields}
    names = sorted(
        (key for key, field in BY_KEY.items() if field.name in names_of_fields), key=len, reverse=True
    )
    element = pp.Regex(f"(?i:{'|'.join(map(re.escape, names))}):")
    return element.add_parse_action(lambda tokens: BY_KEY[tokens[0][:-1].lower()])


def _field(kind: Kind) -> pp.ParserElement:
    """Return the grammar of all fields of a kind: a name, and one or more values separated by commas."""
    element, build = _VALUES[kind]

    def note(_text: str, place: int, tokens: pp.ParseResults) -> list[tuple[int, Any]]:
        return [(place, tokens[0])]

    expected = "text" if element is _text else kind
    value = element().copy().add_parse_action(note) | _refused(expected)
    comma = pp.Regex("[,、]").suppress()
    several = value + pp.ZeroOrMore(comma + value)
    closing = pp.Literal(")").suppress() | _refused("closing", ",")
    values = pp.Literal("(").suppress() + several + closing | several

    def build_term(tokens: pp.ParseResults) -> FieldIs:
        field, *matches = tokens
        return FieldIs(field.name, tuple(dict.fromkeys(build(field, place, text) for place, text in matches)))

    return (_key(field for field in FIELDS if field.kind == kind) + values).add_parse_action(build_term)


_MATCH: Final = pp.Regex("/ *+(?i:exact|mirror|color|any)(?![^\\s()/])")


def _position() -> pp.ParserElement:
    code = (pp.Regex(QUOTED).add_parse_action(_unquoted) | pp.Regex(r'[^\s()"「]++')).copy()
    code.add_parse_action(_read_position)
    plies = pp.Literal("/").suppress() + _ranged(r"\d{1,5}", "number").copy().add_parse_action(_plies)
    match = _MATCH.copy().add_parse_action(lambda tokens: tokens[0][1:].strip().lower())
    key = _key(field for field in FIELDS if field.kind == "position")
    grammar = key.suppress() + (code | _refused("position")) + pp.Optional(match) + pp.Optional(plies)
    return grammar.add_parse_action(_reaches)


def _read_position(_text: str, place: int, tokens: pp.ParseResults) -> list[tuple[str, str]]:
    for game in GAMES.values():
        try:
            position = game.text.parse_typed(tokens[0])
        except KifuError as error:
            raise _wrong(place, tokens[0], "position") from error
        if position is not None:
            return [(game.name, game.codec.encode(position))]
    raise _wrong(place, tokens[0], "position")


def _plies(_text: str, place: int, tokens: pp.ParseResults) -> EqualTo | Between:
    return _number_value(BY_NAME["plies"], place, tokens[0])


def _reaches(tokens: pp.ParseResults) -> ReachesPosition:
    (game, code), *rest = tokens
    match = next((one for one in rest if isinstance(one, str)), "exact")
    plies = next((one for one in rest if not isinstance(one, str)), None)
    if isinstance(plies, EqualTo):
        plies = Between(plies.value, plies.value)
    return ReachesPosition(game, code, match, plies)


def _pattern() -> pp.ParserElement:
    quoted = pp.Regex(QUOTED).add_parse_action(
        lambda _text, place, tokens: _read_pattern(tokens[0][1:-1], place + 1)
    )
    plain = pp.Regex(r'[^\s()"「]++').add_parse_action(
        lambda _text, place, tokens: _read_pattern(tokens[0], place)
    )
    key = _key(field for field in FIELDS if field.kind == "pattern")
    return key.suppress() + (quoted | plain | _refused("pattern"))


def _read_pattern(text: str, place: int) -> HasPattern:
    """Return the pattern of a text at a position of the query, in one spelling."""
    try:
        return HasPattern(patterns.text_of(patterns.parse(text)))
    except ParseError as error:
        raise QueryError(PATTERN, place + (error.column or 1) - 1, cause=error) from error


def _unknown(_text: str, place: int, tokens: pp.ParseResults) -> NoReturn:
    raise QueryError("query-field", place, tuple(field.name for field in FIELDS), text=tokens[0][:-1])


# --- terms -----------------------------------------------------------------------------------------------


def _operator(*words: str) -> pp.ParserElement:
    return pp.Regex(rf"(?:{'|'.join(words)})(?![^\s()])").suppress()


def _minus() -> pp.ParserElement:
    """Return the grammar of the minus sign that means NOT directly before a field; texts may begin with
    one."""
    keys = "|".join(map(re.escape, sorted(BY_KEY, key=len, reverse=True)))
    return pp.Regex(f"[-−](?=(?i:{keys}):)")


def _grammar() -> pp.ParserElement:
    both, either, no = (
        _operator("AND", "かつ"),
        _operator("OR", "または"),
        pp.Regex(r"(?:NOT|除く)(?![^\s()])") | _minus(),
    )
    query = pp.Forward()
    closing = pp.Literal(")").suppress() | _refused("closing")
    unknown = pp.Regex(r'[^\s()",、「:@]++:').add_parse_action(_unknown)
    name = pp.Literal("@").suppress() + (_text() | _refused("text"))
    name.add_parse_action(lambda tokens: FieldIs("player", (EqualTo(tokens[0]),)))
    word = _text().add_parse_action(lambda tokens: Word(tokens[0]))
    fields = pp.MatchFirst([*map(_field, _VALUES), _position(), _pattern(), unknown])
    group = pp.Literal("(").suppress() + query + closing
    atom = pp.ZeroOrMore(no) + (group | fields | name | word | _refused("term"))
    atom.add_parse_action(_with_not)
    following = pp.ZeroOrMore(both.copy() + atom | pp.FollowedBy(no | term_start()) + atom)
    conjunction = (atom + following).add_parse_action(lambda tokens: together(And, list(tokens)))
    query <<= conjunction + pp.ZeroOrMore(either + conjunction)
    query.add_parse_action(lambda tokens: together(Or, list(tokens)))
    return query + (pp.StringEnd() | _refused("end"))


def term_start() -> pp.ParserElement:
    """Return the grammar of the first character of a term, for lookahead."""
    operators = "|".join(word for word in OPERATORS if word not in ("NOT", "除く"))
    return pp.Regex(rf"(?!(?:{operators})(?![^\s()]))[^\s),、]")


def _with_not(tokens: pp.ParseResults) -> Term:
    *negations, term = tokens
    result: Term = negated(term) if len(negations) % 2 else term
    return result


QUERY: Final = _grammar()
