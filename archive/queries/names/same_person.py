"""Pairs of players who may be the same person, by likely misspellings and other spellings.

Curators decide: nothing is ever merged by a program. Pairs about which somebody has decided, and players
who met each other, are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Final, NamedTuple

from django.db.models import Max, Min
from rapidfuzz.distance import OSA

from archive.caching.values import cached_until_commit
from archive.index.schema import UNKNOWN_DAY
from archive.models import Correction, Game, GamePlayer, Player
from archive.names.search_text import search_form
from archive.queries.scope import Scope

MOST_PLAYERS: Final = 30_000
"""Players that are compared, those with the smallest numbers: about a second."""
MOST_PAIRS: Final = 1_000
_SHORTEST: Final = 3
"""Characters of names that are compared by likeness: with fewer, one character is another family."""
_MOST_ALIKE: Final = 30
"""Players with one spelling less a character, at most: of more it says nothing."""
_LIFE: Final = 70
"""Years between the first and the last game of one person, at most."""


class Described(NamedTuple):
    """What is compared of a player."""

    id: int
    name: str
    kana: str
    latin: str
    titles: frozenset[str]


class Career(NamedTuple):
    """The years of the first and the last game with a day; 0 if there is none."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class SamePerson:
    """Two players who may be the same, the older row second, with a score up to 100 and the reasons."""

    one: Described
    other: Described
    score: int
    reasons: tuple[str, ...]


def same_person(scope: Scope) -> Sequence[SamePerson]:
    """Return pairs of players of each space who may be the same person, the likeliest first. Computed once
    after each commit."""
    return cached_until_commit(f"same person {scope}", lambda: _pairs(scope))


def _pairs(scope: Scope) -> list[SamePerson]:
    pairs: list[SamePerson] = []
    for space in scope.spaces:
        roots = Player.objects.filter(space=space, home=None).order_by("pk")
        rows = roots.values_list("pk", "name", "kana", "latin", "titles")[:MOST_PLAYERS]
        players = [
            Described(pk, name, kana, latin, frozenset(filter(None, (one.get("title") for one in titles))))
            for pk, name, kana, latin, titles in rows
        ]
        candidates = list(_candidates(players))
        ids = {one.id for pair in candidates for one in pair}
        careers, met, decided = _careers(ids), _met(ids), _decided(ids)
        for one, other in candidates:
            ends = careers.get(one.id), careers.get(other.id)
            if frozenset((one.id, other.id)) in met | decided or ends[0] is None or ends[1] is None:
                continue
            score, reasons = score_of(one, other, ends[0], ends[1])
            if score > 0:
                later, earlier = (one, other) if one.id > other.id else (other, one)
                pairs.append(SamePerson(later, earlier, score, reasons))
    return sorted(pairs, key=lambda pair: (-pair.score, pair.one.id, pair.other.id))[:MOST_PAIRS]


def score_of(one: Described, other: Described, career: Career, others: Career) -> tuple[int, tuple[str, ...]]:
    """Return a score from 0 to 100 and the reasons for it: equal readings, equal Latin spellings, names that
    differ in one character, common titles. Careers too far apart for one life exclude each other."""
    first, last = min(filter(None, (career.first, others.first)), default=0), max(career.last, others.last)
    if last - first > _LIFE:
        return 0, ()
    reasons = {
        "reading": bool(one.kana) and search_form(one.kana) == search_form(other.kana),
        "latin": bool(one.latin) and search_form(one.latin) == search_form(other.latin),
        "spelling": _is_near(one.name, other.name),
        "titles": bool(one.titles & other.titles),
        "years": career.first <= others.last and others.first <= career.last,
    }
    points = {"reading": 40, "latin": 30, "spelling": 30, "titles": 15, "years": 15}
    if not (reasons["reading"] or reasons["latin"] or reasons["spelling"]):
        return 0, ()
    score = sum(points[name] for name, holds in reasons.items() if holds)
    return min(100, score), tuple(name for name, holds in reasons.items() if holds)


def _is_near(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= _SHORTEST and OSA.distance(search_form(one), search_form(other)) <= 1


def _candidates(players: Iterable[Described]) -> Iterator[tuple[Described, Described]]:
    """Yield pairs with equal readings, equal Latin spellings, or names that are equal without one
    character."""
    groups: dict[tuple[str, str], list[Described]] = defaultdict(list)
    for player in players:
        for mark in _marks(player):
            groups[mark].append(player)
    seen: set[tuple[int, int]] = set()
    for alike in groups.values():
        for one, other in combinations(alike, 2) if len(alike) <= _MOST_ALIKE else ():
            if (one.id, other.id) not in seen:
                seen.add((one.id, other.id))
                yield one, other


def _marks(player: Described) -> set[tuple[str, str]]:
    name = search_form(player.name)
    marks = {
        (kind, search_form(text)) for kind, text in (("kana", player.kana), ("latin", player.latin)) if text
    }
    if len(name) >= _SHORTEST:
        marks.add(("name", name))
        marks |= {("name", name[:at] + name[at + 1 :]) for at in range(len(name))}
    return marks


def _careers(ids: Iterable[int]) -> Mapping[int, Career]:
    played = GamePlayer.objects.filter(player__in=ids).values_list("player")
    careers = {pk: Career(0, 0) for (pk,) in played.distinct()}
    days = played.filter(played__gt=UNKNOWN_DAY).annotate(first=Min("played"), last=Max("played"))
    careers |= {
        pk: Career(date.fromordinal(first).year, date.fromordinal(last).year) for pk, first, last in days
    }
    return careers


def _met(ids: Iterable[int]) -> set[frozenset[int]]:
    games = Game.objects.filter(player0__in=ids, player1__in=ids).values_list("player0", "player1")
    return {frozenset(pair) for pair in games.distinct() if None not in pair}


def _decided(ids: Iterable[int]) -> set[frozenset[int]]:
    """Return the pairs that somebody has proposed to merge, whatever was decided, and namesakes; not those
    whose decision was undone."""
    corrections = Correction.objects.filter(subject=Correction.Subject.PLAYER, subject_id__in=ids)
    corrections = corrections.exclude(state__in=(Correction.State.UNDONE, Correction.State.WITHDRAWN))
    decided = {
        frozenset((pk, operation["into"]))
        for pk, operations in corrections.values_list("subject_id", "operations")
        for operation in operations
        if operation["op"] == "merge"
    }
    namesakes = Player.objects.filter(pk__in=ids).exclude(namesake=None).values_list("pk", "namesake")
    return decided | {frozenset((pk, other)) for pk, other in namesakes if other is not None}
