"""Standings: points, ties, rounds, and the kind of a tournament."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, Literal

from archive.tournaments.rounds import THIRD_PLACE, Round, round_of

Kind = Literal["cross", "swiss", "knockout"]
"""A cross table (round robins, matches), a table by rounds (Swiss system), or rounds whose losers are out."""

KINDS: Final[tuple[Kind, ...]] = ("cross", "swiss", "knockout")
DRAW: Final = 2
UNKNOWN: Final = 3
_MOST_MET: Final = 0.6
"""The share of pairs that met from which a tournament counts as a round robin."""
_MOST_OUT: Final = 0.8
"""The share of players who lost at most once from which finals make a knockout."""


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A game of two different players; `result` is the winner (0 or 1), `DRAW` or `UNKNOWN`."""

    id: int
    players: tuple[str, str]
    result: int
    round: str = ""
    day: int = 0
    """An ordinal, 0 if unknown."""


@dataclass(slots=True)
class Score:
    """A player's game: the round by number, the opponent by rank from 1, and the points, None if unknown."""

    round: int | None
    opponent: int
    points: float | None
    game: int
    colour: int


@dataclass(slots=True)
class Player:
    """A player with rank and points. `sos` is the sum of the opponents' points (Buchholz), `sodos` that of
    the opponents who lost, and half of those who drew (Sonneborn-Berger)."""

    name: str
    rank: int = 0
    points: float = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    sos: float = 0
    sodos: float = 0
    scores: list[Score] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Match:
    """The games of two players in a round, by ranks, and the rank of the winner, None if undecided."""

    players: tuple[int, int]
    games: tuple[int, ...]
    wins: tuple[float, float]
    winner: int | None


@dataclass(frozen=True, slots=True)
class Standings:
    """The players by rank, the names of the rounds with their matches, and the kind of the tournament."""

    kind: Kind
    players: tuple[Player, ...]
    rounds: tuple[tuple[str, tuple[Match, ...]], ...]


def standings_of(games: Iterable[TournamentGame]) -> Standings:
    """Return the standings of a tournament. A draw that was replayed in its round does not count. Sorts by
    points, then by `sos`, `sodos`, wins and name; linear in the number of games, apart from sorting."""
    rounds, by_game = _rounds(list(games))
    counted = _without_replayed(by_game)
    players = _ranked(counted)
    rank = {player.name: player.rank for player in players}
    for number, game in counted:
        _add_scores(players, rank, number, game)
    matches: dict[int, list[TournamentGame]] = defaultdict(list)
    for number, game in counted:
        if number is not None:
            matches[number].append(game)
    shown = tuple((one.name, _matches(matches[number], rank)) for number, one in enumerate(rounds))
    return Standings(_kind(players, rounds, shown), tuple(players), shown)


# --- rounds ------------------------------------------------------------------------------------------------


def _rounds(games: list[TournamentGame]) -> tuple[list[Round], list[tuple[int | None, TournamentGame]]]:
    """Return the rounds in order, and the games by day, each with the number of its round."""
    named = {game.id: round_of(game.round) for game in games}
    games.sort(key=lambda game: (game.day, game.id))
    if any(named.values()):
        rounds = sorted({one for one in named.values() if one})
        unique = [next(same) for _order, same in groupby(rounds, key=lambda one: one.order)]
        number = {one.order: at for at, one in enumerate(unique)}
        return unique, [(number[one.order] if (one := named[game.id]) else None, game) for game in games]
    return [], [(None, game) for game in games]


def _without_replayed(
    games: Sequence[tuple[int | None, TournamentGame]],
) -> list[tuple[int | None, TournamentGame]]:
    """Leave out draws that are followed by another game of the same players in the same round."""
    last = {(number, frozenset(game.players)): game.id for number, game in games if number is not None}
    return [
        (number, game)
        for number, game in games
        if game.result != DRAW or number is None or last[number, frozenset(game.players)] == game.id
    ]


def _matches(games: Iterable[TournamentGame], rank: Mapping[str, int]) -> tuple[Match, ...]:
    of_pair: dict[tuple[int, int], list[TournamentGame]] = defaultdict(list)
    for game in games:
        first, second = sorted(rank[name] for name in game.players)
        of_pair[first, second].append(game)
    return tuple(_match(pair, played, rank) for pair, played in sorted(of_pair.items()))


def _match(pair: tuple[int, int], games: Sequence[TournamentGame], rank: Mapping[str, int]) -> Match:
    wins = [0.0, 0.0]
    for game in games:
        for colour, points in enumerate(points_of(game.result) or ()):
            wins[pair.index(rank[game.players[colour]])] += points
    winner = None if wins[0] == wins[1] else pair[wins.index(max(wins))]
    return Match(pair, tuple(game.id for game in games), (wins[0], wins[1]), winner)


# --- points ------------------------------------------------------------------------------------------------


def points_of(result: int) -> tuple[float, float] | None:
    """Return the points of both colours; None for an unknown result."""
    if result == UNKNOWN:
        return None
    return (0.5, 0.5) if result == DRAW else (float(result == 0), float(result == 1))


def _ranked(games: Iterable[tuple[int | None, TournamentGame]]) -> list[Player]:
    """Return the players with their points, by rank."""
    players: dict[str, Player] = {}
    met: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for _number, game in games:
        both = [players.setdefault(name, Player(name)) for name in game.players]
        for player, other, points in zip(both, reversed(both), points_of(game.result) or (), strict=False):
            player.points += points
            player.wins += points == 1
            player.draws += points == 0.5
            player.losses += points == 0
            met[player.name].append((other.name, points))
    for player in players.values():
        player.sos = sum(players[name].points for name, _points in met[player.name])
        player.sodos = sum(points * players[name].points for name, points in met[player.name])
    ranked = sorted(
        players.values(), key=lambda one: (-one.points, -one.sos, -one.sodos, -one.wins, one.name)
    )
    for rank, player in enumerate(ranked, start=1):
        player.rank = rank
    return ranked


def _add_scores(
    players: Sequence[Player], rank: Mapping[str, int], number: int | None, game: TournamentGame
) -> None:
    points = points_of(game.result)
    for colour, name in enumerate(game.players):
        other = rank[game.players[1 - colour]]
        own = None if points is None else points[colour]
        players[rank[name] - 1].scores.append(Score(number, other, own, game.id, colour))


# --- the kind ----------------------------------------------------------------------------------------------


def _kind(
    players: Sequence[Player], rounds: Sequence[Round], matches: Sequence[tuple[str, Sequence[Match]]]
) -> Kind:
    """Return the likely kind. In a knockout nobody goes on after a lost match; in a round robin most pairs
    met; in a Swiss system everybody has at most one game a round."""
    if len(players) <= 2:
        return "cross"
    pairs = {frozenset((player.rank, score.opponent)) for player in players for score in player.scores}
    if _is_knockout(players, rounds, matches, len(pairs)):
        return "knockout"
    if len(pairs) >= _MOST_MET * len(players) * (len(players) - 1) / 2:
        return "cross"
    return "swiss" if len(rounds) > 1 and _plays_once_a_round(players) else "cross"


def _is_knockout(
    players: Sequence[Player],
    rounds: Sequence[Round],
    matches: Sequence[tuple[str, Sequence[Match]]],
    pairs: int,
) -> bool:
    if len(rounds) < 2 or pairs > len(players):
        return False
    decisive = (
        played for one, (_name, played) in zip(rounds, matches, strict=True) if one.order != THIRD_PLACE
    )
    lost = Counter(
        rank for played in decisive for match in played if match.winner is not None
        for rank in match.players if rank != match.winner
    )  # fmt: skip
    out_at_once = sum(lost[player.rank] <= 1 for player in players)
    if any(one.last for one in rounds):
        return out_at_once >= _MOST_OUT * len(players)
    return out_at_once == len(players)


def _plays_once_a_round(players: Iterable[Player]) -> bool:
    numbers = ([score.round for score in player.scores] for player in players)
    return all(len(played) == len({*played}) for played in numbers)
