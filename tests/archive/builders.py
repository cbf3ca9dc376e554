"""Games for tests: records from USI moves, random games that meet each other often, and a store of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from uuid import uuid4

from archive import store
from archive.derive.game import DerivedEntry, DerivedGame, derive_game
from archive.models import Game, Upload
from archive.store import apply, existing
from archive.store.change import Change, run
from kifu_core.jkf import Move, MoveEntry, Record
from kifu_core.record import Ending, ParsedGame, RecordKind
from kifu_core.shogi import moves, rules
from kifu_core.shogi.pieces import CODES
from kifu_core.shogi.position import Position
from kifu_core.shogi.squares import FILES, RANKS
from kifu_core.shogi.start import initial_of

ROOKS = "4k4/4r4/9/9/9/9/9/4R4/4K4 b - 1"
"""Its own mirror image, and nearly its own colour turn: games from here meet in every orientation."""

HEADERS = {"black": "先手", "white": "後手", "event": "棋戦", "day": "開始日時", "site": "場所"}

Forks = Mapping[int, Sequence[Sequence[str]]]
"""Index of a move (from 1) -> lines that play something else instead."""


def jkf_move(position: Position, move: int) -> Move:
    """A packed move as normalized JKF, without relative words."""
    origin, to = moves.source(move), moves.target(move)
    piece = moves.dropped(move) or abs(position.board[origin])
    result: Move = {"color": position.turn, "to": {"x": FILES[to], "y": RANKS[to]}, "piece": CODES[piece]}
    if not moves.dropped(move):
        result["from"] = {"x": FILES[origin], "y": RANKS[origin]}
        result["promote"] = moves.promotes(move)
    if position.board[to]:
        result["capture"] = CODES[abs(position.board[to])]
    return result


def line(position: Position, played: Sequence[str], forks: Forks | None = None) -> list[MoveEntry]:
    """Entries of a line from a position, which is left as it was."""
    position, entries = position.copy(), []
    for index, usi in enumerate(played, start=1):
        entry: MoveEntry = {"move": jkf_move(position, moves.from_usi(usi))}
        if forks and index in forks:
            entry["forks"] = [line(position, fork) for fork in forks[index]]
        entries.append(entry)
        position.do_move(moves.from_usi(usi))
    return entries


def record(
    played: Sequence[str] | str,
    forks: Forks | None = None,
    header: Mapping[str, str] | None = None,
    start: str | None = None,
    special: str | None = "TORYO",
) -> Record:
    """A normalized record of USI moves."""
    played = played.split() if isinstance(played, str) else played
    position = Position.from_sfen(start) if start else Position.initial()
    entries: list[MoveEntry] = [{}, *line(position, played, forks)]
    if special:
        entries.append({"special": special})
    return {"header": dict(header or {}), "initial": initial_of(position), "moves": entries}


def parsed(made: Record, winner: int | None = 0, kind: RecordKind = "game", draw: bool = False) -> ParsedGame:
    """A record as a reading gives it."""
    plies = sum("move" in entry for entry in made["moves"])
    return ParsedGame(made, kind, Ending("投了", "TORYO", plies, winner, draw))


def ready(
    played: Sequence[str] | str,
    forks: Forks | None = None,
    winner: int | None = 0,
    kind: RecordKind = "game",
    start: str | None = None,
    **header: str,
) -> DerivedGame:
    """A game for the store; `black`, `white`, `event` and `day` name the usual headers."""
    made = record(played, forks, {HEADERS[name]: text for name, text in header.items()}, start)
    return derive_game(parsed(made, winner, kind))


def snapshot(
    played: str, special: str | None = "CHUDAN", forks: Forks | None = None, **header: str
) -> DerivedGame:
    """A record that stops, as a server shows a game that goes on; `header` as for `ready`."""
    made = record(played, forks, {HEADERS[name]: text for name, text in header.items()}, special=special)
    ending = Ending("中断", "CHUDAN", len(played.split()), None) if special else None
    return derive_game(ParsedGame(made, "game", ending))


def rated(game: DerivedGame, black: int | None, white: int | None) -> DerivedGame:
    """The game with ratings."""
    return replace(game, ratings=(black, white))


def random_line(position: Position, random: Random, plies: int, width: int) -> list[str]:
    """Legal moves, the first `width` by number preferred so that games meet."""
    position, played = position.copy(), []
    for _ in range(plies):
        legal = sorted(rules.legal_moves(position))
        if not legal:
            break
        move = random.choice(legal[:width])
        played.append(moves.to_usi(move))
        position.do_move(move)
    return played


def random_game(random: Random, plies: int = 8, width: int = 3) -> DerivedGame:
    """A short game with repeats, forks and a start in one of several orientations."""
    start = random.choice([ROOKS, ROOKS.replace(" b ", " w "), Position.initial().sfen(), HANDICAP])
    position = Position.from_sfen(start)
    played = random_line(position, random, random.randrange(plies + 1), width)
    if random.random() < 0.3:
        played = [*SHUFFLE.get(start, ()), *played] if start in SHUFFLE else played
    game = ready(
        played,
        random_forks(position, played, random, width),
        winner=random.choice([0, 1, None]),
        kind=random.choice(["game", "game", "game", "problem", "tree"]),
        start=start,
        **random_header(random),
    )
    return rated(game, *(random.choice([None, 1500, 2000]) for _ in range(2)))


HANDICAP = "1nsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
SHUFFLE = {ROOKS: ["5i6i", "5a4a", "6i5i", "4a5a"]}
"""Moves that lead back to where they began."""


def random_forks(position: Position, played: Sequence[str], random: Random, width: int) -> Forks:
    """Up to three forks, from anywhere on the line."""
    forks: dict[int, list[list[str]]] = {}
    for _ in range(random.randrange(4) if played else 0):
        at = random.randrange(len(played))
        board = position.copy()
        for usi in played[:at]:
            board.do_move(moves.from_usi(usi))
        if fork := random_line(board, random, random.randrange(1, 4), width + 1):
            forks.setdefault(at + 1, []).append(fork)
    return forks


def random_header(random: Random) -> dict[str, str]:
    """Few names and days, so that they come again."""
    header = {}
    if random.random() < 0.7:
        header = {"black": random.choice("甲乙丙"), "white": random.choice("甲乙丙")}
    if random.random() < 0.6:
        header["day"] = random.choice(["2020/01/01", "2021/05/05", "1743"])
    if random.random() < 0.4:
        header["event"] = random.choice(["名人戦", "王位戦"])
    return header


def upload(text: bytes | None = None) -> tuple[Upload, str]:
    """A claimed upload and its token."""
    made, _ = store.create_upload("test.kif", [text or uuid4().bytes], None, "web")
    token = uuid4().hex
    assert store.claim(made.pk, token)
    return made, token


def store_entries(upload_id: int, token: str, entries: Sequence[DerivedEntry]) -> store.StoredCounts:
    """Store a batch of entries of one upload."""
    return store.store_batches([store.ReadBatch(upload_id, entries)], token)


def replace_games(replacements: Mapping[int, DerivedGame]) -> dict[int, int]:
    """Make stored games what other readings of them say, all at once; the ids they are found under then."""

    def work(change: Change) -> dict[int, int]:
        existing.lock(replacements.values(), change.names)
        # One that was corrected meanwhile stays: only the store's own ways keep corrections.
        left = Game.objects.select_for_update().filter(pk__in=replacements, corrected=False)
        ids = sorted(left.values_list("pk", flat=True))
        for pk in ids:  # They get each other's identities in whatever order.
            Game.objects.filter(pk=pk).update(digest=b"replaced" + pk.to_bytes(8, "big"), stem=None)
        for pk in ids:
            # One that was merged into a game before it is that game's edition by now.
            if Game.objects.filter(pk=pk).exists():
                apply.plan_and_apply_one(
                    change, lambda plan, pk=pk: plan.replace_and_merge(pk, replacements[pk])
                )
        change.write_rows()
        change.write_counters()
        return {pk: change.home(pk) for pk in ids}

    return run(replacements.values(), work)


def ingest(*games: DerivedGame) -> store.StoredCounts:
    """Store games as one upload."""
    made, token = upload()
    result = store_entries(made.pk, token, [DerivedEntry(seq, game) for seq, game in enumerate(games)])
    store.finish(made.pk, token)
    return result
