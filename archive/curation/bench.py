"""The curators' bench: what in the public games waits for a decision, by kind, with its possible answers.

Each kind is an entry of `KINDS`. Pages are read newest first from a number on. A kind without an index of its
own examines a limited number of rows for a page, which may then be empty and still have a next one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from archive.curation import bench_answers as answers
from archive.curation import marks
from archive.curation.bench_answers import Answer
from archive.derive.game import SHORT_PLIES
from archive.models import Correction, Entry, Game, GamePlayer, Player, Report, User
from archive.queries.games.twins import Twin, twins_of
from archive.queries.names.same_person import Described, same_person
from archive.queries.paging import page_before
from archive.queries.scope import Scope
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

PAGE: Final = 30
EXAMINED: Final = 1_000
"""Rows that one page examines at most."""
COMPARED: Final = 60
"""Games of the same moves or the same meeting whose records one page compares at most."""
MOST_COUNTED: Final = 1_000

State = Correction.State


@dataclass(frozen=True, slots=True)
class BenchPage:
    """Rows of a kind, and the number before which there may be more; None if there are none."""

    rows: list[Any]
    next: int | None


@dataclass(frozen=True, slots=True)
class BenchKind:
    """A kind of open questions. `undo` has the opposites of those answers that have one."""

    title: _StrOrPromise
    page: Callable[[int | None], BenchPage]
    count: Callable[[], int] | None = None
    """Returns the number of rows, at most `MOST_COUNTED` + 1; None if they cannot be counted quickly."""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    undo: Mapping[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TwinRow:
    """A game, and older ones that may be the same."""

    game: Game
    twins: tuple[Twin, ...]


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two players who may be one person, the one with fewer games first, and their numbers of games."""

    one: Described
    other: Described
    reasons: tuple[str, ...]
    games: tuple[int, int]


def perform(kind: str, answer: str, user: User, *key: int) -> None:
    """Give an answer of a kind to the row with these numbers. Raises CurationError, KeyError for an unknown
    answer."""
    KINDS[kind].answers[answer](user, *key)


def undo(kind: str, answer: str, user: User, *key: int) -> None:
    """Undo an answer, or one of `DEEDS`. Raises CurationError, KeyError for one that cannot be undone."""
    (KINDS[kind].undo if kind in KINDS else DEEDS)[answer](user, *key)


def key_of(row: Any) -> tuple[int, ...]:
    """Return the numbers by which a row is answered."""
    if isinstance(row, PairRow):
        return row.one.id, row.other.id
    return (row.game.pk if isinstance(row, TwinRow) else row.pk,)


def key_length(kind: str) -> int:
    """Return how many numbers the rows of a kind have."""
    return 2 if kind == "people" else 1


def answers_of(kind: str, row: Any) -> list[str]:
    """Return the answers of a kind that a row can have."""
    lacks: set[str] = set()
    if isinstance(row, Report) and row.game is None:
        lacks = {"hide"}
    elif isinstance(row, Correction) and row.subject == Correction.Subject.GAME and row.state == State.FAILED:
        # Corrections of games apply again by themselves.
        lacks = {"accept"}
    elif isinstance(row, Entry) and row.game_id is None and (row.taken_from or row.hidden):
        lacks = {"hide" if row.hidden else "show", *(() if row.taken_from else ("accept",))}
    return [answer for answer in KINDS[kind].answers if answer not in lacks]


DEEDS: Final[Mapping[str, Answer]] = {
    "correct": answers.act("undo"),
    "edit": answers.undo_batch,
    "take-down": answers.restore,
}
"""The opposites of what curators do on other pages."""


def _listed(rows: QuerySet[Any]) -> tuple[Callable[[int | None], BenchPage], Callable[[], int]]:
    """Return page and count of the rows of an indexed query."""

    def page(before: int | None) -> BenchPage:
        return BenchPage(*page_before(rows, before, PAGE))

    return page, lambda: len(rows.order_by().values_list("pk")[: MOST_COUNTED + 1])


def _examined(
    rows: QuerySet[Any], chosen: Callable[[Sequence[Any]], list[Any]]
) -> Callable[[int | None], BenchPage]:
    """Return the pages of those among the next `EXAMINED` rows that `chosen` returns."""

    def page(before: int | None) -> BenchPage:
        window, following = page_before(rows, before, EXAMINED)
        matches = chosen(window)
        if len(matches) > PAGE:
            return BenchPage(matches[:PAGE], matches[PAGE - 1].pk)
        return BenchPage(matches, following)

    return page


# --- games and names -------------------------------------------------------------------------------------

_ODD: Final = re.compile(r"[0-9０-９?？!！@＠=＝<>＜＞…〜～、。:：;；/／()（）\[\]「」]|.{16}")
_PUBLIC: Final = Scope((PUBLIC,))


def _odd(rows: Sequence[Player]) -> list[Player]:
    return [row for row in rows if _ODD.search(row.name)]


def _twins(before: int | None) -> BenchPage:
    """Return the games that have an older twin. Those of many meetings, as programs have them, are compared
    in several pages."""
    window, following = page_before(_GAMES, before, EXAMINED)
    rows: list[TwinRow] = []
    for compared, game in enumerate(_with_likeness(window)):
        if len(rows) == PAGE or compared == COMPARED:
            return BenchPage(rows, game.pk + 1)
        older = tuple(twin for twin in twins_of(_PUBLIC, game) if twin.id < game.pk)
        if older:
            rows.append(TwinRow(game, older))
    return BenchPage(rows, following)


def _with_likeness(rows: Sequence[Game]) -> list[Game]:
    """Return the games that have the moves, or the players and the day, of another one."""
    # Neither only older nor only played ones: SQLite would search these instead of the games of the day.
    others = Game.objects.filter(space=PUBLIC).exclude(pk=OuterRef("pk"))
    moves = Q(Exists(others.filter(stem=OuterRef("stem"))), plies__gte=SHORT_PLIES)
    same = {name: OuterRef(name) for name in ("played", "player0", "player1", "kind", "handicap")}
    meeting = Q(Exists(others.filter(precision="day", **same)), precision="day", plies__gt=0)
    unmarked = marks.unmarked_games(Game.objects.filter(pk__in=[row.pk for row in rows]), "twins")
    pks = set(unmarked.filter(moves | meeting).values_list("pk", flat=True))
    return [row for row in rows if row.pk in pks]


def _pairs(before: int | None) -> BenchPage:
    """Return pairs of players from a place in their list on."""
    first, marked = before or 0, {frozenset(pair) for pair in marks.marked_pairs("people")}
    pairs = [pair for pair in same_person(_PUBLIC) if frozenset((pair.one.id, pair.other.id)) not in marked]
    part = pairs[first : first + PAGE]
    games = _games_of({one.id for pair in part for one in (pair.one, pair.other)})
    rows = []
    for pair in part:
        one, other = sorted((pair.one, pair.other), key=lambda player: (games.get(player.id, 0), -player.id))
        numbers = games.get(one.id, 0), games.get(other.id, 0)
        rows.append(PairRow(one, other, pair.reasons, numbers))
    return BenchPage(rows, first + PAGE if len(pairs) > first + PAGE else None)


def _games_of(players: set[int]) -> dict[int, int]:
    seats = GamePlayer.objects.filter(player__in=players).order_by().values("player")
    return dict(seats.annotate(n=Count("slot")).values_list("player", "n"))


_OF_DELETED: Final = Q(subject=Correction.Subject.GAME) & ~Exists(
    Game.objects.filter(pk=OuterRef("subject_id"))
)
_CORRECTIONS: Final = Correction.objects.filter(space=PUBLIC).exclude(_OF_DELETED)
_PROPOSED: Final = _CORRECTIONS.filter(state=State.PROPOSED)
_FAILED: Final = _CORRECTIONS.filter(state=State.FAILED)
_GAMES: Final = Game.objects.filter(space=PUBLIC).select_related("player0", "player1", "event")
_UNDATED: Final = marks.unmarked_games(_GAMES.filter(played=0, record_kind=Game.RecordKind.GAME), "days")
_ENTRIES: Final = (
    Entry.objects.filter(upload__space=PUBLIC)
    .select_related("upload")
    .defer("record", "parsed_facts", "beyond_jkf")
)
_NAMES: Final = marks.unmarked_names(
    Player.objects.filter(Exists(GamePlayer.objects.filter(player=OuterRef("pk"))), space=PUBLIC, home=None),
    "names",
)
_WITHDRAWN: Final = Entry.objects.filter(
    ~Q(taken_from=None) | Q(hidden=True), game=None, upload__space=PUBLIC
).select_related("upload")


def _of_state(state: str) -> Callable[[Sequence[Entry]], list[Entry]]:
    return lambda rows: [row for row in rows if row.state == state and not row.hidden]


def _with_issues(rows: Sequence[Entry]) -> list[Entry]:
    return [row for row in rows if row.issues and row.state in (Entry.State.STORED, Entry.State.DUPLICATE)]


def _kind(
    title: _StrOrPromise,
    listed: tuple[Callable[[int | None], BenchPage], Callable[[], int] | None],
    pairs: Mapping[str, tuple[Answer, Answer | None]],
) -> BenchKind:
    """Return a kind with its answers, each with its opposite or None."""
    given = {name: pair[0] for name, pair in pairs.items()}
    undo = {name: opposite for name, (_answer, opposite) in pairs.items() if opposite is not None}
    return BenchKind(title, *listed, given, undo)


def _marking(kind: str) -> dict[str, tuple[Answer, Answer | None]]:
    """Return the answers that a row is fine as it is, and that it waits."""
    return {"fine": answers.fine(kind), "later": answers.fine(kind, later=True)}


KINDS: Final[Mapping[str, BenchKind]] = {
    "reports": _kind(
        _("Reports of visitors"),
        _listed(Report.objects.filter(settled=None)),
        {
            "accept": (answers.settle, answers.open_again),
            "hide": (answers.take_reported_down, answers.restore_reported),
        },
    ),
    "proposals": _kind(
        _("Proposed corrections"),
        _listed(_PROPOSED),
        {
            "accept": (answers.act("accept"), answers.act("undo")),
            "reject": (answers.act("reject"), answers.reopen),
        },
    ),
    "failed": _kind(
        _("Failed prerequisites"),
        _listed(_FAILED),
        {
            "accept": (answers.try_again, answers.act("undo")),
            "reject": (answers.leave_out, answers.take_in),
        },
    ),
    "people": _kind(
        _("The same person?"),
        (_pairs, None),
        {
            "accept": (answers.merge_players, answers.undo_merge),
            "reject": (answers.reject_merge, answers.undo_rejection),
            "later": answers.fine("people", later=True),
        },
    ),
    "days": _kind(_("Games without a day"), _listed(_UNDATED), _marking("days")),
    "names": _kind(_("Odd names"), (_examined(_NAMES, _odd), None), _marking("names")),
    "twins": _kind(
        _("Likely twins"),
        (_twins, None),
        {**_marking("twins"), "hide": (answers.take_twin_down, answers.restore)},
    ),
    "held": _kind(
        _("Games held for the staff"),
        (_examined(_ENTRIES, _of_state(Entry.State.HELD)), None),
        {"accept": (answers.let_in, answers.hold_again)},
    ),
    "entries": _kind(
        _("Records that could not be read"),
        (_examined(marks.unmarked_entries(_ENTRIES, "entries"), _of_state(Entry.State.FAILED)), None),
        {
            "accept": (answers.read_again, None),
            **_marking("entries"),
            "hide": (answers.hide_bytes, answers.show_bytes),
        },
    ),
    "warnings": _kind(
        _("Records with findings"),
        (_examined(marks.unmarked_entries(_ENTRIES, "warnings"), _with_issues), None),
        _marking("warnings"),
    ),
    "taken": _kind(
        _("Taken down or hidden"),
        _listed(_WITHDRAWN),
        {
            "accept": (answers.restore_entry, answers.take_entry_down),
            "hide": (answers.hide_bytes, answers.show_bytes),
            "show": (answers.show_bytes, answers.hide_bytes),
        },
    ),
}
