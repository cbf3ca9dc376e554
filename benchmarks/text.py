"""Words in comments: what they cost when games come in, their bytes, and how fast they are found.

    python -m benchmarks.text [--engine sqlite|postgresql] [--games 5000] [--ingest 400] [--json]

`ingest` takes in files of games with comments of about 200 kanji each, turn by turn with their texts and
without (nothing of them is derived, stored or indexed): the ratio of the seconds is what texts cost.
`bytes` are those of texts and of their index, a game. `lists` are first pages of 50 games, newest first, in
an archive of so many games that are only rows: names, days and texts, no positions. Words are drawn with
falling frequency, each group of queries from those that so many games have; every query is another one.
`page` is what a page asks: the list, its facets and its total.

How to read it: the targets are 1.15 for the ratio and 200 ms for 95 of 100 lists at 200,000 games. Seconds of
an import are the processor's on SQLite and the clock's on PostgreSQL, whose server is another process.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from benchmarks import generate
from benchmarks.serve import percentile
from benchmarks.support import interpreter
from benchmarks.support.importing import ENGINES, empty_archive, run_on_each_engine, take_in
from benchmarks.support.targets import Target, verdict

KANJI: Final = [chr(code) for code in range(0x4E00, 0x4E00 + 2200)]
WORDS: Final = 6_000
KANJI_A_GAME: Final = 200
COMMENTS: Final = 10
FILE: Final = 50
BATCH: Final = 2_000
PLAYERS: Final = 2_000
EVENTS: Final = 100
DAYS: Final = 12_000
FIRST_DAY: Final = 726_468
IMPORT_RATIO_TARGET: Final = 1.15
LIST_TARGET_MS: Final = 200.0
FEW: Final = 40
"""Queries of a group."""


def vocabulary() -> tuple[list[str], list[float]]:
    """Words of two and three kanji, and the weights of all up to each: the tenth is a tenth as frequent as
    the first. Frequent ones are of frequent kanji."""
    dice = random.Random(1)
    weights = [*accumulate(1 / rank for rank in range(1, len(KANJI) + 1))]
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(dice.choices(KANJI, cum_weights=weights, k=dice.choice([2, 2, 3])))] = None
    return [*words], [*accumulate(1 / rank for rank in range(1, WORDS + 1))]


class Comments:
    """Comments of games by their numbers, always the same for a number."""

    def __init__(self) -> None:
        self.words, self.weights = vocabulary()

    def of(self, number: int) -> list[str]:
        """Return the comments of a game: sentences of words, with particles between them."""
        dice = random.Random(number)
        found, size = [], 0
        for _ in range(COMMENTS):
            line = ""
            while len(line) * COMMENTS < KANJI_A_GAME * 1.2:
                word = self.words[bisect(self.weights, dice.random() * self.weights[-1])]
                line += word + dice.choice(["の", "を", "は", "、", "ので", "と"])
                size += len(word)
            found.append(f"{line}。")
        return found


# --- what comes in ---------------------------------------------------------------------------------------


def measure_ingest(folder: Path, games: int) -> dict[str, Any]:
    """Take in files, every other one without texts."""
    from django.db import connection

    clock = time.process_time if connection.vendor == "sqlite" else time.perf_counter
    comments = Comments()
    seconds = {True: 0.0, False: 0.0}
    for turn, path in enumerate(_files(folder, comments, 2 * games)):
        with_texts = turn % 2 == 0
        with _import_texts(enabled=with_texts):
            began = clock()
            take_in([path], 1)
            if turn > 1:  # the first of each fill caches
                seconds[with_texts] += clock() - began
    return {
        "games": games,
        "with_texts": round((games - FILE) / seconds[True]),
        "without": round((games - FILE) / seconds[False]),
        "ratio": round(seconds[True] / seconds[False], 3),
    }


def _files(folder: Path, comments: Comments, games: int) -> Iterator[str]:
    from kifu_core import dump

    for first in range(0, games, FILE):
        made = []
        for number in range(first, first + FILE):
            record = generate.record(number)
            spoken = comments.of(number)
            for entry, comment in zip(record["moves"][5 : 5 + 2 * COMMENTS : 2], spoken, strict=False):
                entry["comments"] = [comment]
            made.append(dump(record, "kif"))
        path = folder / f"{first}.kif"
        path.write_text("\n".join(made))
        yield str(path)


class _import_texts:
    """Import games with their texts, or without, in the meantime."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled

    def __enter__(self) -> None:
        from archive.derive import text
        from archive.index.texts import text_index

        self.before = text.text, text_index().write
        if not self.enabled:
            self._become(lambda *_: "", lambda *_: None)

    def __exit__(self, *_: object) -> None:
        self._become(*self.before)

    def _become(self, derived: Callable[..., object], written: Callable[..., object]) -> None:
        from archive.derive import text
        from archive.index.texts import text_index

        setattr(text, "text", derived)  # noqa: B010
        setattr(text_index(), "write", written)  # noqa: B010


# --- what is found ---------------------------------------------------------------------------------------


def fill(games: int) -> Counter[str]:
    """Store the rows of games with their texts; the number of games that each word is in."""
    from django.db import connection, transaction

    from archive.index.texts import text_index
    from archive.models import Event, Game, GameEvent, GamePlayer, Player
    from archive.search_text import together

    comments, dice = Comments(), random.Random(2)
    last = 2 * (Game.objects.order_by("-pk").values_list("pk", flat=True).first() or 0)
    players = Player.objects.bulk_create(Player(name=f"名人{number}") for number in range(PLAYERS))
    events = Event.objects.bulk_create(Event(name=f"第{number}期") for number in range(EVENTS))
    counted: Counter[str] = Counter()
    for first in range(last + 1, last + games + 1, BATCH):
        rows, seats, of_events, texts = [], [], [], {}
        for pk in range(first, min(first + BATCH, last + games + 1)):
            two, event = dice.sample(players, 2), dice.choice(events)
            played = FIRST_DAY + dice.randrange(DAYS)
            rows.append(_game(pk, played, [one.pk for one in two], event.pk))
            seats += [
                GamePlayer(player_id=one.pk, played=played, slot=pk, colour=colour)
                for colour, one in enumerate(two)
            ]
            of_events.append(GameEvent(event_id=event.pk, played=played, slot=pk))
            texts[pk] = together(comments.of(pk))
            counted.update(word for word in comments.words if word in texts[pk]) if pk % 50 == 0 else None
        with transaction.atomic(), connection.cursor() as cursor:
            Game.objects.bulk_create(rows)
            GamePlayer.objects.bulk_create(seats)
            GameEvent.objects.bulk_create(of_events)
            text_index().write(cursor, texts)
        print(f"  {min(first + BATCH - 1, last + games) - last} games", file=sys.stderr, flush=True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return counted


def _game(pk: int, played: int, players: Sequence[int], event: int) -> Any:
    from archive.models import Game

    return Game(
        pk=pk, slot=pk, kind="shogi", record_kind="game", digest=pk.to_bytes(16, "big"), digest_version=1,
        player0_id=players[0], player1_id=players[1], event_id=event, played=played, handicap="HIRATE",
        result=pk % 4, plies=100, index_version=1, index_rows=0, features=1,
    )  # fmt: skip


def measure_bytes(games: int) -> dict[str, int]:
    """Bytes a game of the texts and of their index."""
    from django.db import connection

    asked = {
        "sqlite": (
            "SELECT sum(pgsize) FROM dbstat WHERE name = 'archive_gametext'",
            "SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'archive_textindex%'",
        ),
        "postgresql": (
            "SELECT pg_table_size('archive_gametext') + pg_relation_size('archive_gametext_pkey')",
            "SELECT pg_relation_size('archive_textindex')",
        ),
    }[connection.vendor]
    sizes = []
    with connection.cursor() as cursor:
        for sql in asked:
            cursor.execute(sql)
            sizes.append(int(cursor.fetchone()[0]) // games)
    return {"texts": sizes[0], "index": sizes[1]}


def groups(counted: Counter[str], games: int) -> dict[str, list[str]]:
    """The queries of each group. `counted` is of one game in 50."""
    dice = random.Random(3)
    known = {word: 50 * n for word, n in counted.items()}
    by = sorted(known, key=lambda word: -known[word])

    def some(least: float, most: float) -> list[str]:
        found = [word for word in by if least * games <= known[word] <= most * games]
        return dice.sample(found, min(FEW, len(found)))

    unseen = [word for word in Comments().words if word not in known]
    two = [word for word in by if len(word) == 2]

    def player() -> str:
        return f"player:名人{dice.randrange(PLAYERS)}"

    return {
        "frequent": some(0.1, 1),
        "middling": some(0.005, 0.02),
        "rare": [*dice.sample(unseen, min(FEW, len(unseen)))],
        "two characters": dice.sample(two, min(FEW, len(two))),
        "one kanji": [KANJI[round(1.2**n)] for n in range(FEW)],
        "rare kanji": dice.sample(KANJI[1500:], FEW),
        "two words": [f"{dice.choice(by[:200])} {dice.choice(by[200:])}" for _ in range(FEW)],
        "word and player": [f"{dice.choice(by)} {player()}" for _ in range(FEW)],
        "a player's, without a word": [f"{player()} NOT {dice.choice(by)}" for _ in range(FEW)],
        "either of two": [f"{dice.choice(by)} OR {dice.choice(by)}" for _ in range(FEW)],
        "nobody's": [f"{dice.choice(by)}{dice.choice(by)}" for _ in range(FEW)],
        "a name": [f"名人{dice.randrange(PLAYERS)}" for _ in range(FEW)],
        "with comments": ["has:comments"],
    }


def measure_lists(counted: Counter[str], games: int) -> list[dict[str, Any]]:
    """Milliseconds of lists, by group."""
    found = []
    for name, queries in groups(counted, games).items():
        lists = [_timed(_list, query) for query in queries]
        pages = [_timed(_page, query) for query in queries[: FEW // 4]]
        if not lists:
            continue
        found.append(
            {
                "group": name, "queries": len(queries),
                "p50": round(percentile(lists, 0.5), 1), "p95": round(percentile(lists, 0.95), 1),
                "page_p50": round(percentile(pages, 0.5), 1), "page_p95": round(percentile(pages, 0.95), 1),
            }
        )  # fmt: skip
    return found


def _timed(ask: Callable[[str], object], query: str) -> float:
    began = time.perf_counter()
    ask(query)
    return 1000 * (time.perf_counter() - began)


def _list(query: str) -> object:
    from archive.queries.filters import GameFilters
    from archive.queries.games import find_games
    from archive.queries.scope import PUBLIC

    return find_games(PUBLIC, GameFilters(q=query))


def _page(query: str) -> object:
    from archive.queries.facets import facets
    from archive.queries.filters import GameFilters
    from archive.queries.games import find_games
    from archive.queries.scope import PUBLIC
    from archive.queries.totals import total

    filters = GameFilters(q=query)
    page, found = find_games(PUBLIC, filters), facets(PUBLIC, filters)
    return total(PUBLIC, filters, found, len(page.items))


def measure(engine: str, games: int, ingest: int) -> dict[str, Any]:
    """One engine's tables."""
    with empty_archive(engine) as folder:
        (folder / "files").mkdir()
        found: dict[str, Any] = {"engine": engine, "ingest": measure_ingest(folder / "files", ingest)}
        if games:
            counted = fill(games)
            found |= {"games": games, "bytes": measure_bytes(games), "lists": measure_lists(counted, games)}
    return found


def targets_of(figures: dict[str, Any]) -> Iterator[Target]:
    """The targets of an engine's figures."""
    yield Target("games that come in with texts", figures["ingest"]["ratio"], IMPORT_RATIO_TARGET, " times")
    for row in figures.get("lists", ()):
        yield Target(f"list, {row['group']}: p95", row["p95"], LIST_TARGET_MS, " ms")


def show(found: dict[str, Any]) -> None:
    print(f"{found['engine']}: {found['ingest']}")
    if "lists" not in found:
        return
    print(f"  {found['games']} games, bytes a game {found['bytes']}")
    for row in found["lists"]:
        print(
            f"    {row['group']:<28}{row['queries']:>4}  list {row['p50']:>7} {row['p95']:>7}"
            f"   page {row['page_p50']:>7} {row['page_p95']:>7}"
        )


def main() -> None:
    """Print tables, or JSON; exit with 1 if a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--games", type=int, default=5_000, help="of the lists; 0 leaves these out")
    parser.add_argument("--ingest", type=int, default=400, help="games that come in with texts")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.engine is None:
        sys.exit(run_on_each_engine("benchmarks.text"))
    interpreter.announce(only_json=options.json)
    found = measure(options.engine, options.games, options.ingest)
    print(interpreter.as_json(found)) if options.json else show(found)
    sys.exit(verdict(targets_of(found)))


if __name__ == "__main__":
    main()
