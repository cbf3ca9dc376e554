"""Two sets of games compared for preparation, against plain counting by replay."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import fmean, median

import pytest

from archive.derive import series
from archive.derive.game import DerivedGame
from archive.derive.game_analysis import StoredAnalysis
from archive.following import own_names
from archive.models import Game, GameAnalysis, GameRecord, Player, User
from archive.queries.games.filters import GameFilters
from archive.queries.positions.explorer import wilson
from archive.queries.preparation import comparing, trees
from archive.queries.preparation.comparing import Preparation, prepare
from archive.queries.scope import PUBLIC
from kifu_core.games import SHOGI
from kifu_core.shogi.clock import Tick
from kifu_core.shogi.moves import from_usi
from kifu_core.shogi.position import Position
from tests.archive.analysed import analyse
from tests.archive.builders import ROOKS, ingest, random_forks, random_line, rated, ready
from tests.archive.replaying import nodes

pytestmark = pytest.mark.django_db

HIM, ME = "甲", "乙"
SHUFFLE = ["5i6i", "5a4a", "6i5i", "4a5a"]


def drawn(random: Random, number: int) -> DerivedGame:
    start = Position.from_sfen(ROOKS)
    played = [
        *(SHUFFLE if random.random() < 0.2 else ()),
        *random_line(start, random, random.randrange(12), 3),
    ]
    names = [HIM, ME, "丙"] if number % 2 else [ME, HIM, "丙"]
    game = ready(
        played,
        random_forks(start, played, random, 3) if random.random() < 0.3 else None,
        winner=random.choice([0, 1, None]),
        start=ROOKS,
        black=names[0],
        white=random.choice(names[1:]),
        day=f"{2000 + number // 28}/02/{number % 28 + 1:02}",
        event=f"第{number}回",
    )
    clock = tuple(
        Tick(ply, (ply - 1) % 2, float(random.choice([1, 2, 30, 90])), 0.0)
        for ply in range(1, len(played) + 1)
    )
    return rated(
        replace(game, series=series.pack(series.Series((), clock if number % 3 else ()))),
        *(random.choice([None, 1500, 2000]) for _ in range(2)),
    )


@pytest.fixture(scope="module")
def pool(module_db: None) -> list[DerivedGame]:
    """Stored games of two players and a third one, half of them analysed."""
    random = Random(11)
    games = [drawn(random, number) for number in range(160)]
    ingest(*games)
    for number, game in enumerate(Game.objects.order_by("pk")):
        if number % 2:
            analyse(game, [20 * number, -700, 300, 10 * number, -900, 400, 30, -60, 500])
    return games


@pytest.fixture(autouse=True)
def complete(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(comparing, "LISTED", 10_000)
    monkeypatch.setattr(comparing, "LINES", 10_000)
    monkeypatch.setattr(comparing, "OFTEN", 3)
    monkeypatch.setattr(trees, "_folder", lambda: tmp_path)


Visit = tuple[str, int, int]
"""The first visit of a position in plain words, its ply, the move played."""


def visits(game: DerivedGame) -> list[Visit]:
    first: dict[str, Visit] = {}
    for text, ply, fork, move in nodes(game):
        if not fork:
            first.setdefault(text, (text, ply, move))
    return [*first.values()]


def code(text: str) -> str:
    return SHOGI.codec.encode(Position.from_sfen(text))


def points(game: DerivedGame, colour: int) -> int | None:
    return None if game.result == 3 else 1 if game.result == 2 else 2 * (game.result == colour)


class Plain:
    """A set of games of a colour from a position on."""

    def __init__(self, games: list[DerivedGame], colour: int, start: str) -> None:
        self.colour, self.everywhere = colour, {text for game in games for text, *_ in visits(game)}
        self.all = games
        self.games: list[tuple[DerivedGame, list[Visit]]] = []
        for game in games:
            line = visits(game)
            at = next((number for number, one in enumerate(line) if one[0] == start), None)
            if at is not None:
                self.games.append((game, line[at:]))
        self.counts = Counter(text for _game, line in self.games for text, *_ in line)

    def steps(self) -> Iterator[tuple[DerivedGame, Visit, Visit | None]]:
        """Every visit with the next one, if the move leads to it."""
        for game, line in self.games:
            for one, after in zip(line, [*line[1:], None], strict=True):
                yield game, one, after if after and after[1] == one[1] + 1 else None

    def seconds(self, game: DerivedGame, ply: int) -> float | None:
        clock = {tick.ply: tick.used for tick in series.unpack(game.series).clock}
        return clock.get(ply + 1)


START = ROOKS.removesuffix(" 1")
CASES = [(0, START, 1), (1, START, 2), (0, "", 2)]
"""The own colour, the position ("": the one that both reach most often after the start), `min_games`."""


def both(pool: list[DerivedGame], colour: int, start: str) -> tuple[Plain, Plain]:
    theirs = [game for game in pool if game.players[1 - colour] == HIM]
    own = [game for game in pool if game.players[colour] == ME]
    return Plain(theirs, 1 - colour, start), Plain(own, colour, start)


def prepared(pool: list[DerivedGame], case: tuple[int, str, int]) -> tuple[Preparation, Plain, Plain]:
    colour, start, min_games = case
    if not start:
        theirs, own = both(pool, colour, START)
        start = max(
            theirs.counts.keys() - {START},
            key=lambda text: (min(theirs.counts[text], own.counts[text]), text),
        )
    sides = "black", "white"
    filters = GameFilters(**{sides[1 - colour]: HIM}), GameFilters(**{sides[colour]: ME})
    answer = prepare(PUBLIC, *filters, "shogi", code(start), colour, min_games)
    return answer, *both(pool, colour, start)


@pytest.mark.parametrize("case", CASES)
def test_the_moves_of_both_are_those_of_plain_counting(pool, case):
    answer, *plain = prepared(pool, case)
    for part, side in zip((answer.theirs, answer.own), plain, strict=True):
        assert (part.all, part.games, part.more) == (len(side.all), len(side.games), False)
        by_move = defaultdict(list)
        for game, line in side.games:
            if line[0][2]:
                by_move[line[0][2]].append((game, line[0][1]))
        assert {one.move for one in part.moves} == {*by_move} and by_move
        for one in part.moves:
            games = by_move[one.move]
            assert one.games == len(games) and one.share == len(games) / len(side.games)
            decided = [n for game, _ply in games if (n := points(game, side.colour)) is not None]
            assert one.score == (sum(decided) / 2 / len(decided) if decided else None)
            assert one.interval == (wilson(sum(decided) / 2, len(decided)) if decided else None)
            times = [n for game, ply in games if (n := side.seconds(game, ply)) is not None]
            assert (one.timed, one.seconds) == (len(times), median(times) if times else None)


@pytest.mark.parametrize("case", CASES)
def test_the_trees_meet_where_plain_counting_says(pool, case):
    answer, theirs, own = prepared(pool, case)
    min_games, start = case[2], answer.code
    shared = {
        text for text in theirs.counts
        if theirs.counts[text] >= min_games and own.counts[text] >= min_games and code(text) != start
    }  # fmt: skip
    followed = {
        one[0] for side in (theirs, own) for _game, one, after in side.steps() if after and after[0] in shared
    }
    numbers = {code(text): (theirs.counts[text], own.counts[text]) for text in shared}
    assert {one.place.code: (one.theirs, one.own) for one in answer.deepest} == numbers and numbers
    last = {code(text) for text in shared - followed}
    assert [one.place.code for one in answer.parting] and {one.place.code for one in answer.parting} == last
    fewer = [min(one.theirs, one.own) for one in answer.parting]
    plies = [one.place.ply for one in answer.deepest]
    assert fewer == sorted(fewer, reverse=True) and plies == sorted(plies, reverse=True)
    for one in answer.deepest:
        line = SHOGI.replay.main_line(Game.objects.get(pk=one.place.game).jkf)
        codes = [SHOGI.codec.encode(position) for _ply, position, _move, _entry in line]
        assert codes[one.place.ply] == one.place.code


@pytest.mark.parametrize("case", CASES)
def test_unmet_moves_lead_to_positions_of_none_of_his_games(pool, case):
    answer, theirs, own = prepared(pool, case)
    expected = Counter(
        (code(one[0]), one[2])
        for _game, one, after in own.steps()
        if after and after[0] not in theirs.everywhere and theirs.counts[one[0]] >= case[2]
        and Position.from_sfen(one[0]).turn == own.colour
    )  # fmt: skip
    found = {(one.place.code, from_usi(one.name)): one.own for one in answer.unmet if one.source == "own"}
    assert found == expected and (expected or case[2] > 1)
    reached = {code(text): n for text, n in theirs.counts.items()}
    assert all(one.theirs == reached[one.place.code] for one in answer.unmet)


@pytest.mark.parametrize("case", CASES)
def test_weak_positions_are_those_of_plain_counting(pool, case):
    losses = plain_losses()
    answer, theirs, _own = prepared(pool, case)
    pace, timed, lost, scores, n = (
        defaultdict(list),
        defaultdict(list),
        defaultdict(list),
        defaultdict(list),
        Counter(),
    )
    for game in theirs.all:
        for text, ply, _move in visits(game):
            if (
                Position.from_sfen(text).turn == theirs.colour
                and (used := theirs.seconds(game, ply)) is not None
            ):
                pace[ply].append(used)
    for game, (text, ply, _move), _after in theirs.steps():
        if Position.from_sfen(text).turn == theirs.colour:
            n[text] += 1
            if (used := theirs.seconds(game, ply)) is not None:
                timed[text].append((used, ply))
            if (game.digest, ply + 1) in losses:
                lost[text].append(losses[game.digest, ply + 1])
            if (score := points(game, theirs.colour)) is not None:
                scores[text].append(score)
    often = {text for text in n if n[text] >= 3}
    decided = [score for game in theirs.all if (score := points(game, theirs.colour)) is not None]
    expected = sum(decided) / 2 / len(decided)
    losing = {
        code(text) for text in often
        if scores[text] and wilson(sum(scores[text]) / 2, len(scores[text])).high < expected
    }  # fmt: skip
    assert {one.place.code for one in answer.losing} == losing
    costly = {
        code(text): fmean(lost[text]) for text in often if len(lost[text]) >= 3 and fmean(lost[text]) >= 0.1
    }
    assert {one.place.code: one.loss for one in answer.costly} == pytest.approx(costly)
    for one in answer.slow:
        (text,) = [text for text in often if code(text) == one.place.code]
        assert one.seconds == median(used for used, _ply in timed[text])
        assert one.usual == median(pace[one.place.ply]) and one.seconds >= max(2 * one.usual, one.usual + 5)
    alike = {text: {ply for _used, ply in timed[text]} for text in often if len(timed[text]) >= 3}
    slow = {
        code(text) for text, plies in alike.items()
        if len(plies) == 1
        and (middle := median(used for used, _ply in timed[text])) >= 2 * (usual := median(pace[min(plies)]))
        and middle >= usual + 5
    }  # fmt: skip
    assert slow <= {one.place.code for one in answer.slow}


def plain_losses() -> dict[tuple[bytes, int], float]:
    return {
        (bytes(one.game.digest), cost.ply): cost.loss
        for one in GameAnalysis.objects.select_related("game")
        for cost in StoredAnalysis(one.content).analysis.costs
    }


@pytest.mark.parametrize("case", CASES)
def test_main_lines_end_where_no_move_is_frequent(pool, case):
    answer, *plain = prepared(pool, case)
    for lines, side in zip((answer.their_lines, answer.own_lines), plain, strict=True):
        least = max(case[2], len(side.games) * comparing.LINE_SHARE)
        frequent = {text for text in side.counts if side.counts[text] >= least and code(text) != answer.code}
        followed = {one[0] for _game, one, after in side.steps() if after and after[0] in frequent}
        assert {one.place.code: one.games for one in lines} == {
            code(text): side.counts[text] for text in frequent - followed
        }
        assert lines and all(one.moves for one in lines)


def test_games_without_stored_keys_are_compared_too(pool):
    GameRecord.objects.filter(game_id__lte=Game.objects.order_by("pk")[30].pk).update(keys=None)
    before = prepared(pool, CASES[0])[0]
    for folder in trees._folder().iterdir():
        trees.shutil.rmtree(folder)
    assert prepared(pool, CASES[0])[0] == before


def test_the_second_answer_is_made_from_the_cached_trees(pool, monkeypatch):
    before = prepared(pool, CASES[0])[0]
    monkeypatch.setattr(trees, "build", None)
    assert prepared(pool, CASES[0])[0] == before


def test_the_api_tells_the_comparison(pool, client):
    answer, *_plain = prepared(pool, CASES[0])
    query = {"theirs": HIM, "own": ME, "code": code(START), "min_games": 1}
    data = client.get("/api/v1/preparation", query).json()
    assert data["theirs"]["side"] == "white" and data["own"]["side"] == "black"
    assert [one["games"] for one in data["theirs"]["moves"]] == [one.games for one in answer.theirs.moves]
    for name in ("parting", "deepest", "unmet", "slow", "losing", "costly", "their_lines", "own_lines"):
        assert [one["code"] for one in data[name]] == [one.place.code for one in getattr(answer, name)]
    narrow = client.get("/api/v1/preparation", query | {"result": "black", "from": "2002-01-01"}).json()
    expected = [
        game for game in pool
        if game.players[1] == HIM and game.result == 0 and game.played_from.year >= 2002
    ]  # fmt: skip
    assert narrow["theirs"]["all"] == len(expected) and narrow["own"]["all"] == data["own"]["all"]
    searched = client.get(
        "/api/v1/preparation", {"q": f"white:{HIM}", "own_q": f"black:{ME}", "code": code(START)}
    )
    assert [searched.json()[name]["all"] for name in ("theirs", "own")] == [
        data[name]["all"] for name in ("theirs", "own")
    ]
    assert client.get("/api/v1/preparation", {"code": "x"}).status_code == 400


def test_the_page_shows_both_trees(pool, client):
    pk = Player.objects.get(name=HIM).pk
    query = {"own": ME, "code": code(START), "min_games": 1}
    page = client.get(f"/players/{pk}/preparation/", query)
    assert page.status_code == 200
    text = page.content.decode()
    answer, *_plain = prepared(pool, CASES[0])
    for one in (*answer.parting[:1], *answer.unmet[:1]):
        assert f"/games/{one.place.game}/?ply={one.place.ply}" in text
    assert client.get("/preparation/", {"theirs": HIM} | query).status_code == 200
    assert client.get("/preparation/", {"code": "x"}).status_code == 400
    assert client.get("/players/999999/preparation/").status_code == 404


def test_own_games_are_the_other_side_unless_a_name_is_given(pool, client):
    anna = User.objects.create_user("anna")
    own_names.add_own_name(anna, Player.objects.get(name=ME))
    client.force_login(anna)
    named = client.get("/api/v1/preparation", {"theirs": HIM, "own": ME, "code": code(START)}).json()
    assert client.get("/api/v1/preparation", {"theirs": HIM, "code": code(START)}).json() == named
    client.logout()
    everybody = client.get("/api/v1/preparation", {"theirs": HIM, "code": code(START)}).json()
    assert everybody["own"]["all"] == len(pool)
