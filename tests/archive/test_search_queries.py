"""What queries of the search language find: drawn ones against a plain look at every game, on both engines.

All questions are put to one archive, which no test changes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from archive import store
from archive.derive.game import DerivedEntry, DerivedGame, derive_game
from archive.index.engine import engine
from archive.models import Entry, Event, Game, GamePlayer, Player, Upload
from archive.queries.games.facets import facets
from archive.queries.games.filters import GameFilters
from archive.queries.games.keyset import ORDERS
from archive.queries.games.listing import find_games
from archive.queries.games.totals import total
from archive.queries.scope import PUBLIC, Scope
from archive.queries.search import words
from archive.queries.search.days import first_day, last_day
from archive.queries.search.errors import QueryError
from archive.queries.search.parsing import parse
from archive.queries.search.printing import text_of
from archive.queries.search.terms import (
    And,
    Between,
    EqualTo,
    FieldIs,
    Not,
    Or,
    ReachesPosition,
    Term,
    Word,
    together,
)
from kifu_core.classes import PUBLIC as PUBLIC_SPACE
from kifu_core.games import GAMES
from kifu_core.record import Ending, ParsedGame
from kifu_core.shogi.evaluations import is_evaluation
from kifu_core.shogi.position import Position
from tests.archive import quoridor
from tests.archive.builders import HEADERS, random_forks, random_line, rated, record, store_entries
from tests.archive.spellings import add_spelling

pytestmark = pytest.mark.django_db

OTHER_SPACE = 77
BOTH = Scope((PUBLIC_SPACE, OTHER_SPACE))
NAMES = ["羽生善治", "羽生英樹", "森内俊之", "Hefeweizen", "50%_A!"]
EVENTS = ["名人戦", "王将戦", "100%杯"]
DAYS = ["2013/12/31", "2014/01/01", "2014/05", "2015", "2016/07/07", "1743", ""]
SITES = ["天童", "陣屋", ""]
REMARKS = [
    "ここで龍を作る", "ｺｺ髙美濃囲い", "Bonanza VS Ponanza", "100%_勝ち", "「急所」の\"手\"", "竜",
    "山﨑流　新手", "a'b\\c", "*評判の手", "** 30 7g7f", "歩", "澤の渡し", "とん死",
]  # fmt: skip
"""Lines of comments; one of them is an engine's."""
OPENINGS = ["矢倉", "四間飛車", ""]
ENDINGS = {"投了": "TORYO", "千日手": "SENNICHITE", "持将棋": "JISHOGI"}
STARTS = [
    Position.initial().sfen(),
    "lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
]


def shogi(random: Random, space: int) -> DerivedGame:
    """A short game with a few of the names and days."""
    position = Position.from_sfen(random.choice(STARTS))
    played = random_line(position, random, random.randrange(9), 3)
    data = {
        "black": random.choice([*NAMES, ""]), "white": random.choice([*NAMES, ""]),
        "event": random.choice([*EVENTS, ""]), "day": random.choice(DAYS), "site": random.choice(SITES),
    }  # fmt: skip
    header = {HEADERS[name]: text for name, text in data.items() if text}
    header |= {"戦型": opening} if (opening := random.choice(OPENINGS)) else {}
    remarked = Random(str(data))
    header |= {"備考": remarked.choice(REMARKS)} if remarked.random() < 0.2 else {}
    forks = random_forks(position, played, random, 3) if random.random() < 0.5 else None
    word, special = random.choice([*ENDINGS.items()])
    created = record(played, forks, header, position.sfen(), special)
    for entry in entries_of(created["moves"]):
        if remarked.random() < 0.1:
            entry["comments"] = remarked.choices(REMARKS, k=remarked.randrange(1, 3))
        if remarked.random() < 0.02:
            entry["time"] = {"now": {"m": 0, "s": remarked.randrange(2)}, "total": {"h": 0, "m": 0, "s": 1}}
    winner = random.choice([0, 1, None])
    kind: Any = random.choice(["game", "game", "game", "problem"])
    drawn = special != "TORYO" and winner is None
    ending = Ending(word, special, len(played), winner, drawn)
    game = derive_game(ParsedGame(created, kind, ending), space)
    return rated(game, *(random.choice([None, 1500, 2000, 2500]) for _ in range(2)))


def entries_of(line: list[Any]) -> Iterator[Any]:
    """All entries of a record, in any order."""
    for entry in line:
        yield entry
        for fork in entry.get("forks", ()):
            yield from entries_of(fork)


def stored(games: list[DerivedGame], space: int, **facts: str) -> Upload:
    created, _ = store.create_upload("x.kif", [uuid4().bytes], None, "web", space=space)
    token = uuid4().hex
    assert store.claim(created.pk, token)
    store_entries(created.pk, token, [DerivedEntry(n, game, **facts) for n, game in enumerate(games)])
    store.finish(created.pk, token)
    return created


@dataclass
class GameFacts:
    """A game and what can be known of it, without SQL of ours."""

    game: Game
    names: tuple[str, ...]
    keys: tuple[tuple[str, ...], tuple[str, ...]]
    ratings: list[int | None]
    codes: dict[str, list[tuple[str, int]]]
    came: list[tuple[Upload, Entry]]
    texts: list[str]


@pytest.fixture(scope="module")
def archive(module_db: None) -> list[GameFacts]:
    random = Random(5)
    facts = [
        {"format": "kif", "program": "Kifu for Windows V7"}, {"format": "csa", "program": "Floodgate 50%"},
        {"format": "ki2", "program": ""},
    ]  # fmt: skip
    for number in range(9):
        space = OTHER_SPACE if number % 3 == 2 else PUBLIC_SPACE
        games = [shogi(random, space) for _ in range(14)]
        if number % 3 == 0:
            games += [quoridor.random_game(random) for _ in range(6)]
        created = stored(games, space, **facts[number % len(facts)])
        day = datetime.fromisoformat(f"20{14 + number}-05-01T12:00:00+00:00")
        Upload.objects.filter(pk=created.pk).update(received=day, name=f"名局集A%{number}.zip")
        Entry.objects.filter(upload=created, seq__lt=5).update(path=f"第{number}集/r{number}/game.kif")
    hidden = Entry.objects.filter(format="csa").order_by("pk")[:5]
    Entry.objects.filter(pk__in=[one.pk for one in hidden]).update(hidden=True)
    player = Player.objects.get(name="森内俊之", space=PUBLIC_SPACE)
    add_spelling(player, "もりうち")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return [facts_of(game) for game in Game.objects.select_related("player0", "player1", "event", "stored")]


def facts_of(game: Game) -> GameFacts:
    seats = [names_of(one) for one in (game.player0, game.player1)]
    ratings = dict(GamePlayer.objects.filter(slot=game.slot).values_list("colour", "rating"))
    replay, codec = GAMES[game.kind].replay, GAMES[game.kind].codec
    codes: dict[str, list[tuple[str, int]]] = {}
    met = set()
    for ply, position, _move, _entry in replay.main_line(game.jkf):
        code = codec.encode(position)
        if code not in met:  # what comes again was reached before
            codes.setdefault("any", []).append((codec.canonical(position).code, ply))
            codes.setdefault("exact", []).append((code, ply))
        met.add(code)
    came = [(one.upload, one) for one in Entry.objects.filter(game=game).select_related("upload")]
    names = (*seats[0], *seats[1])
    return GameFacts(
        game, names, (seats[0], seats[1]), [ratings.get(0), ratings.get(1)], codes, came, texts_of(game)
    )


def texts_of(game: Game) -> list[str]:
    """Everything that a record says in words, line by line."""
    lines = [*game.jkf["header"].values(), game.site]
    for entry in entries_of(game.jkf["moves"]):
        lines += [line for line in entry.get("comments", ()) if not is_evaluation(line)]
    return lines


def names_of(player: Player | None) -> tuple[str, ...]:
    if player is None:
        return ()
    return player.name, *Player.objects.filter(home=player).values_list("name", flat=True)


# --- the plain look --------------------------------------------------------------------------------------


def is_true(term: Term, one: GameFacts, scope: Scope) -> bool:
    if isinstance(term, Not):
        return not is_true(term.term, one, scope)
    if isinstance(term, And):
        return all(is_true(inner, one, scope) for inner in term.terms)
    if isinstance(term, Or):
        return any(is_true(inner, one, scope) for inner in term.terms)
    if isinstance(term, Word):
        event = [one.game.event.name] if one.game.event else []
        return any(alike(term.text) in alike(text) for text in (*one.names, *event, *one.texts))
    if isinstance(term, ReachesPosition):
        return reaches(term, one)
    return any(has(term.field, value, one, scope) for value in term.any_of)


ALIKE = str.maketrans("髙﨑龍澤", "高崎竜沢") | {code: code + 0x60 for code in range(0x3041, 0x3097)}


def alike(text: str) -> str:
    """The same of what the texts here differ in: widths, cases, kana, four characters, blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().translate(ALIKE).split())


def in_record(sort: str, game: Game) -> bool:
    """Whether a record has comments, evaluations, times or forks."""
    entries = [*entries_of(game.jkf["moves"])]
    lines = [line for entry in entries for line in entry.get("comments", ())]
    main = [line for entry in game.jkf["moves"] for line in entry.get("comments", ())]
    if sort == "comments":
        return not all(map(is_evaluation, lines))
    if sort == "evals":
        return any(map(is_evaluation, main))
    if sort == "times":
        return any(entry["time"]["now"] != {"m": 0, "s": 0} for entry in entries if "time" in entry)
    return any("forks" in entry for entry in entries)


def reaches(term: ReachesPosition, one: GameFacts) -> bool:
    if term.game != one.game.kind:
        return False
    codec = GAMES[term.game].codec
    code = term.code
    if term.match == "any":
        code = codec.canonical(codec.decode(code)).code
    least, most = (term.plies.least, term.plies.most) if term.plies else ("", "")
    return any(
        result == code and int(least or 0) <= ply <= int(most or 10**6)
        for result, ply in one.codes.get(term.match, [])
    )


def has(field: str, value: EqualTo | Between, one: GameFacts, scope: Scope) -> bool:
    game = one.game
    text = value.value if isinstance(value, EqualTo) else ""
    sides = GAMES[game.kind].rules.sides
    plain: dict[str, Callable[[], bool]] = {
        "player": lambda: text in one.names,
        "first": lambda: text in one.keys[0],
        "second": lambda: text in one.keys[1],
        "black": lambda: text in one.keys[sides.index("black")],
        "white": lambda: text in one.keys[sides.index("white")],
        "event": lambda: bool(game.event and game.event.name == text),
        "result": lambda: text in (
            [sides[game.result], ("first", "second")[game.result]]
            if game.result < 2 else [{2: "draw", 3: "unknown"}[game.result]]
        ),
        "opening": lambda: game.opening == text,
        "handicap": lambda: game.handicap == text,
        "special": lambda: game.special == text,
        "record_kind": lambda: game.record_kind == text,
        "game": lambda: game.kind == text,
        "place": lambda: game.site == text,
        "min_plies": lambda: game.plies >= int(text),
        "max_plies": lambda: game.plies <= int(text),
        "min_rating": lambda: all(rating is not None and rating >= int(text) for rating in one.ratings),
        "max_rating": lambda: all(rating is not None and rating <= int(text) for rating in one.ratings),
        "has": lambda: in_record(text, game),
        "upload": lambda: any(upload.pk == int(text) for upload, _ in visible(one, scope, hidden=True)),
        "format": lambda: any(entry.format == text for _, entry in visible(one, scope)),
        "source": lambda: any(
            text.lower() in name.lower() for upload, entry in visible(one, scope)
            for name in (upload.name, entry.path)
        ),
        "program": lambda: any(text.lower() in entry.program.lower() for _, entry in visible(one, scope)),
        "from": lambda: within(game.played, Between(text, "")),
        "to": lambda: within(game.played, Between("", text)),
        "date": lambda: within(game.played, value),
        "uploaded": lambda: uploaded(one, scope, value),
        "uploaded_from": lambda: uploaded(one, scope, Between(text, "")),
        "uploaded_to": lambda: uploaded(one, scope, Between("", text)),
        "plies": lambda: between(game.plies, value),
        "rating": lambda: all(rating is not None and between(rating, value) for rating in one.ratings),
    }  # fmt: skip
    return plain[field]()


def visible(one: GameFacts, scope: Scope, *, hidden: bool = False) -> Iterator[tuple[Upload, Entry]]:
    for upload, entry in one.came:
        if upload.space in scope.spaces and (hidden or not entry.hidden):
            yield upload, entry


def between(number: int, value: EqualTo | Between) -> bool:
    least, most = ends(value)
    return int(least or number) <= number <= int(most or number)


def ends(value: EqualTo | Between) -> tuple[str, str]:
    return (value.value, value.value) if isinstance(value, EqualTo) else (value.least, value.most)


def within(played: int, value: EqualTo | Between) -> bool:
    least, most = ends(value)
    first = first_day(least).toordinal() if least else 0
    last = last_day(most).toordinal() if most else date.max.toordinal()
    return first <= played <= last and bool(played or not most)


def uploaded(one: GameFacts, scope: Scope, value: EqualTo | Between) -> bool:
    days = [upload.received.date().toordinal() for upload, _ in visible(one, scope)]
    return bool(days) and within(min(days), value)


# --- drawn queries ---------------------------------------------------------------------------------------

VALUES: dict[str, list[str]] = {
    "player": [*NAMES, "もりうち", "誰も"], "black": [*NAMES, "誰も"], "white": NAMES, "first": NAMES,
    "second": NAMES, "event": [*EVENTS, "どこも"],
    "result": ["black", "white", "draw", "unknown", "first", "second"], "opening": ["矢倉", "棒銀"],
    "handicap": ["HIRATE", "KA", "START"], "special": ["TORYO", "SENNICHITE", "JISHOGI"],
    "record_kind": ["game", "problem", "tree"], "game": ["shogi", "quoridor"],
    "place": ["天童", "陣屋", "外"],
    "min_plies": ["3", "6"], "max_plies": ["2", "5"], "min_rating": ["1500", "2000"], "max_rating": ["2000"],
    "has": ["forks", "comments", "evals", "times"], "format": ["kif", "csa", "ki2"],
    "program": ["kifu", "50%", "_"],
    "source": ["名局集", "0", "A%", "r3/", "無い"],
    "from": ["2014", "2015"],
    "to": ["2014-01", "2015-12-31"], "uploaded_from": ["2016"], "uploaded_to": ["2018-05-01"],
}  # fmt: skip
RANGES: dict[str, list[str]] = {
    "date": ["1743", "2013-12-31", "2014", "2014-05", "2015", "2016-07-07"],
    "plies": [str(number) for number in range(9)],
    "rating": ["1500", "1600", "2000", "2500"],
    "uploaded": ["2014", "2016-05-01", "2018-05", "2020"],
}
WORDS = [
    "羽生", "治", "名人", "戦", "weizen", "%", "_A", "!", "もり", "無い", "100", "竜", "龍を", "高美濃",
    "髙", "ココで", "ｺｺ", "bonanza vs", "PONANZA", "100%_", "「急所」", '"手"', "山崎流 新手", "a'b",
    "b\\c", "*評", "歩", "沢", "とん死", "トン", "天童", "手 *", "2014/0", "7g7f", "囲い a", "*", "'",
]  # fmt: skip


def drawn(random: Random, archive: list[GameFacts], depth: int = 3) -> Term:
    pick = random.random()
    if depth and pick < 0.35:
        terms = [drawn(random, archive, depth - 1) for _ in range(random.randrange(2, 4))]
        return together(random.choice([And, Or]), terms)
    if depth and pick < 0.5:
        inner = drawn(random, archive, depth - 1)
        return inner if isinstance(inner, Not) else Not(inner)
    if pick < 0.6:
        return Word(random.choice(WORDS))
    if pick < 0.7:
        one = random.choice(archive)
        code, ply = random.choice(one.codes["exact"])
        plies = random.choice([None, Between("", str(ply)), Between(str(ply), ""), Between("2", "3")])
        return ReachesPosition(one.game.kind, code, random.choice(["exact", "any"]), plies)
    if pick < 0.82:
        field = random.choice([*RANGES])
        return FieldIs(
            field, tuple(dict.fromkeys(ranged(random, field) for _ in range(random.randrange(1, 3))))
        )
    if pick < 0.85:
        return FieldIs("upload", (EqualTo(str(random.choice(archive).came[0][0].pk)),))
    field = random.choice([*VALUES])
    values = random.sample(VALUES[field], min(len(VALUES[field]), random.randrange(1, 3)))
    return FieldIs(field, tuple(EqualTo(value) for value in values))


def ranged(random: Random, field: str) -> EqualTo | Between:
    low, high = sorted(random.sample(range(len(RANGES[field])), 2))
    least, most = RANGES[field][low], RANGES[field][high]
    return random.choice([EqualTo(least), Between(least, ""), Between("", most), Between(least, most)])


def matching_ids(scope: Scope, filters: GameFilters, order: Any = "newest", limit: int = 500) -> list[int]:
    """The games on all pages."""
    listed: list[int] = []
    cursor = None
    while True:
        page = find_games(scope, filters, order, cursor, limit)
        listed += [row.id for row in page.items]
        cursor = page.next
        if cursor is None:
            return listed


@pytest.mark.parametrize("seed", range(10))
def test_drawn_queries_find_what_a_plain_look_finds(archive, seed, monkeypatch):
    random, hits = Random(seed), 0
    for number in range(50):
        # All words are rare, or some, or none.
        monkeypatch.setattr(words, "RARE", (2000, 12, 0)[number % 3])
        term = drawn(random, archive)
        text = text_of(term)
        assert parse(text) == term, text
        scope = BOTH if number % 3 == 0 else PUBLIC
        order = random.choice([*ORDERS])
        expected = {
            one.game.pk for one in archive if one.game.space in scope.spaces and is_true(term, one, scope)
        }
        listed = matching_ids(scope, GameFilters(q=text), order)
        assert len(listed) == len({*listed}), text
        assert {*listed} == expected, (text, scope)
        hits += bool(expected)
        if number % 10 == 0:
            assert facets(scope, GameFilters(q=text)).games == len(expected), text
    assert hits > 20


def test_a_query_and_filters_are_asked_together(archive):
    both = GameFilters(q="player:羽生善治 date:2014..", player="森内俊之", since=date(2015, 1, 1))
    expected = [
        one.game.pk for one in archive
        if one.game.space == PUBLIC_SPACE and {"羽生善治", "森内俊之"} <= {*one.names}
        and one.game.played >= date(2015, 1, 1).toordinal()
    ]  # fmt: skip
    assert expected and sorted(matching_ids(PUBLIC, both)) == sorted(expected)


@pytest.mark.parametrize("order", ORDERS)
def test_pages_of_a_query_follow_each_other_without_gaps(archive, order, monkeypatch):
    monkeypatch.setattr("archive.queries.games.listing.PAGE_GAMES", 7)
    for text in ("NOT 羽生", "player:羽生善治 plies:3..", "date:2014.. 戦"):
        filters = GameFilters(q=text)
        assert matching_ids(PUBLIC, filters, order, 3) == matching_ids(PUBLIC, filters, order)


def test_a_rare_position_is_found_without_looking_at_other_games(archive, monkeypatch):
    monkeypatch.setattr("archive.queries.games.listing.PAGE_GAMES", 2)
    public = [one for one in archive if one.game.space == PUBLIC_SPACE]
    reached: dict[tuple[str, str], set[int]] = {}
    for one in public:
        for code, _ply in one.codes["exact"]:
            reached.setdefault((one.game.kind, code), set()).add(one.game.pk)
    (kind, code), (pk,) = next(item for item in reached.items() if len(item[1]) == 1)
    text = text_of(ReachesPosition(kind, code))
    for order in ORDERS:
        assert matching_ids(PUBLIC, GameFilters(q=text), order, 3) == [pk]
        page = find_games(PUBLIC, GameFilters(q=text), order)
        # In shards a position's games are not in the order of a list: they are one condition among others.
        assert engine().REMOTE_INDEX or ([row.id for row in page.items] == [pk] and page.next is None)
    for (_kind, code), pks in [*reached.items()][:40]:
        for order in ORDERS:
            for scope in (PUBLIC, BOTH):
                listed = matching_ids(scope, GameFilters(q=f'reaches:"{code}" NOT has:forks'), order, 3)
                assert len(listed) == len({*listed})
                if scope == PUBLIC:
                    assert {*listed} <= pks


def test_nothing_tells_of_another_space(archive):
    """Also not what is asked of its names, its uploads and its editions, nor the opposite."""
    private = [one for one in archive if one.game.space == OTHER_SPACE]
    upload = private[0].came[0][0].pk
    public = {one.game.pk for one in archive if one.game.space == PUBLIC_SPACE}
    assert matching_ids(PUBLIC, GameFilters(q=f"upload:{upload}")) == []
    assert {*matching_ids(PUBLIC, GameFilters(q=f"NOT upload:{upload}"))} == public
    assert {*matching_ids(PUBLIC, GameFilters(q="a OR NOT a"))} == public
    Player.objects.create(name="秘密", space=OTHER_SPACE)
    Event.objects.create(name="秘密戦", space=OTHER_SPACE)
    for text in ("秘密", "player:秘密", "event:秘密戦", "black:秘密"):
        assert matching_ids(PUBLIC, GameFilters(q=text)) == []
        assert {*matching_ids(PUBLIC, GameFilters(q=f"NOT {text}"))} == public
        assert total(PUBLIC, GameFilters(q=text), facets(PUBLIC, GameFilters(q=text)), 0).number == 0


def test_an_edition_that_is_hidden_or_being_deleted_finds_nothing(archive):
    one = next(one for one in archive if one.game.space == PUBLIC_SPACE and len(one.came) == 1)
    upload, entry = one.came[0]
    Entry.objects.filter(pk=entry.pk).update(format="piyo", program="Piyo", hidden=False)
    assert matching_ids(PUBLIC, GameFilters(q="format:piyo program:piyo")) == [one.game.pk]
    Entry.objects.filter(pk=entry.pk).update(hidden=True)
    assert matching_ids(PUBLIC, GameFilters(q="format:piyo OR program:piyo")) == []
    Entry.objects.filter(pk=entry.pk).update(hidden=False)
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.DELETING)
    assert matching_ids(PUBLIC, GameFilters(q="format:piyo OR program:piyo")) == []
    assert matching_ids(PUBLIC, GameFilters(q=f"upload:{upload.pk}")) == []


def test_plans_of_queries_are_not_kept(archive):
    """They would drive out those of statements that everybody asks."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite's driver keeps statements by itself")
    for order in ORDERS:
        matching_ids(PUBLIC, GameFilters(q="羽生 NOT has:forks"), order)
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        remaining = [statement for (statement,) in cursor.fetchall()]
    assert remaining and not [statement for statement in remaining if "CASE WHEN" in statement]


# --- time ------------------------------------------------------------------------------------------------

FOREVER = {
    "sqlite": "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(60)",
}


def test_a_statement_that_takes_too_long_is_ended(archive):
    with pytest.raises(TimeoutError), engine().time_limit(0.05), connection.cursor() as cursor:
        cursor.execute(FOREVER[connection.vendor])
    assert matching_ids(PUBLIC, GameFilters(q="羽生"))
    with connection.cursor() as cursor:  # afterwards there is no limit
        cursor.execute("SELECT count(*) FROM archive_game")
        if connection.vendor == "postgresql":
            cursor.execute("SHOW statement_timeout")
            assert cursor.fetchone()[0] == "0"


SHORT = {
    "sqlite": """WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 20000)
        SELECT count(*) FROM n""",
    "postgresql": "SELECT 1",
}


def test_many_statements_have_one_limit_together(archive):
    with pytest.raises(TimeoutError), engine().time_limit(0.05), connection.cursor() as cursor:
        while True:
            cursor.execute(SHORT[connection.vendor])


def test_a_query_that_takes_too_long_says_so(archive, monkeypatch):
    def slow(*_arguments: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute(FOREVER[connection.vendor])

    monkeypatch.setattr("archive.queries.games.listing._fetch", slow)
    monkeypatch.setattr("django.conf.settings.ARCHIVE_SEARCH_SECONDS", 0.05)
    with pytest.raises(QueryError) as error:
        find_games(PUBLIC, GameFilters(q="羽生"))
    assert error.value.slow and error.value.expected == ("narrower",)


def test_without_a_query_there_is_no_limit(archive, monkeypatch):
    monkeypatch.setattr(engine(), "time_limit", None)
    assert find_games(PUBLIC, GameFilters(player="羽生善治")).items
    assert replace(GameFilters(), q=None) == GameFilters()
