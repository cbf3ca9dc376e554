"""Cards: a move in a position that an account learns, scheduled by FSRS."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone
from fsrs import Card, Rating, Scheduler, State

from archive.models import RepertoireMove, TrainingCard, User
from archive.training.errors import MOST_CARDS, TrainingError
from archive.training.moves import Played, spot_of
from kifu_core.errors import KifuError
from kifu_core.games import SHOGI
from kifu_core.shogi.moves import from_usi, orient, to_usi
from kifu_core.shogi.replay import can_play
from kifu_core.shogi.rules import is_legal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from django.db.models import QuerySet

    from kifu_core.shogi.position import Position

Grade = Literal["again", "hard", "good", "easy"]
GRADES: Final[dict[str, Rating]] = {
    "again": Rating.Again,
    "hard": Rating.Hard,
    "good": Rating.Good,
    "easy": Rating.Easy,
}
MOST_ACCEPTED: Final = 600
"""Further moves of a card: no position has more legal ones."""
AHEAD: Final = timedelta(minutes=20)
"""Cards that are being learned come so much too early, if there are no others."""
_SCHEDULER: Final = Scheduler()
_NEW_ROWS: Final = 1_000


class Counts(NamedTuple):
    """Numbers of cards: due, new ones of today, learned, and all that are not suspended."""

    due: int
    new: int
    learned: int
    total: int


def own_cards(user: User) -> QuerySet[TrainingCard]:
    """Return the cards of an account that are not suspended."""
    return TrainingCard.objects.filter(user=user, suspended=False)


# --- new cards ---------------------------------------------------------------------------------------------


def add(
    user: User,
    kind: TrainingCard.Kind,
    code: str,
    move: str,
    accepted: Collection[str] = (),
    game: int | None = None,
    ply: int | None = None,
) -> TrainingCard:
    """Add the card of a move (USI) in a position, or return the one of that class of positions and move,
    with the same progress. Raises TrainingError."""
    position, packed = _read(code, move)
    further = " ".join(one for one in dict.fromkeys(accepted) if one != move and _is_move(position, one))
    spot = spot_of(position)
    values = {"code": code, "accepted": further, "game": game, "ply": ply}
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        same = {"user": user, "kind": kind, "key": spot.key, "move": spot.of_class(packed)}
        if (card := TrainingCard.objects.filter(**same).first()) is None:
            _check_room(user, 1)
            return TrainingCard.objects.create(**same, **values)
        if card.suspended:
            card.suspended = False
            card.save(update_fields=["suspended"])
    return card


def _read(code: str, move: str) -> tuple[Position, int]:
    try:
        position = SHOGI.codec.decode(code)
    except KifuError as error:
        raise TrainingError("wrong-card") from error
    if not _is_move(position, move):
        raise TrainingError("wrong-card")
    return position, from_usi(move)


def _is_move(position: Position, name: str) -> bool:
    try:
        move = from_usi(name)
    except KifuError:
        return False
    return can_play(position, move) and is_legal(position, move)


def _check_room(user: User, number: int) -> None:
    if TrainingCard.objects.filter(user=user).count() + number > MOST_CARDS:
        raise TrainingError("too-many-cards")


def add_moves(user: User, moves: Sequence[Played]) -> int:
    """Add the cards of moves of repertoires, and return how many are new; suspended ones go on. The account
    is locked. Raises TrainingError."""
    ours = TrainingCard.objects.filter(user=user, kind=TrainingCard.Kind.MOVE)
    present = {
        (key, move): (pk, idle) for pk, key, move, idle in ours.values_list("pk", "key", "move", "suspended")
    }
    wanted = {(one.key, one.move): one for one in moves}
    new = [one for place, one in wanted.items() if place not in present]
    _check_room(user, len(new))
    idle = [present[place][0] for place in wanted if place in present and present[place][1]]
    for first in range(0, len(idle), _NEW_ROWS):
        ours.filter(pk__in=idle[first : first + _NEW_ROWS]).update(suspended=False)
    TrainingCard.objects.bulk_create(
        [
            TrainingCard(user=user, kind=TrainingCard.Kind.MOVE, key=one.key, move=one.move, code=one.code)
            for one in new
        ],
        batch_size=_NEW_ROWS,
    )
    return len(new)


def leave_out(user: User, moves: Iterable[tuple[int, int]]) -> None:
    """Suspend the cards of moves, by key and move, that no repertoire of the account has any more; new ones,
    which have no progress, are removed. The account is locked."""
    rows = RepertoireMove.objects.filter(repertoire__user=user, own=True)
    left = set(moves) - set(rows.values_list("key", "move"))
    ours = TrainingCard.objects.filter(user=user, kind=TrainingCard.Kind.MOVE)
    idle = [pk for pk, *place in ours.values_list("pk", "key", "move") if tuple(place) in left]
    for first in range(0, len(idle), _NEW_ROWS):
        chosen = ours.filter(pk__in=idle[first : first + _NEW_ROWS])
        chosen.filter(introduced=None).delete()
        chosen.update(suspended=True)


def remove(user: User, pk: int) -> bool:
    """Remove a card with its progress; return whether the account had it."""
    return bool(TrainingCard.objects.filter(pk=pk, user=user).delete()[0])


# --- reviews -----------------------------------------------------------------------------------------------


def review(user: User, pk: int, grade: str, now: datetime | None = None) -> TrainingCard | None:
    """Review a card with a key of `GRADES`; return it with its next day, None if the account has no such
    card."""
    with transaction.atomic():
        card = TrainingCard.objects.select_for_update().filter(pk=pk, user=user).first()
        if card is not None:
            _schedule(card, GRADES[grade], (now or timezone.now()).astimezone(UTC))
            card.save()
    return card


def _schedule(card: TrainingCard, rating: Rating, now: datetime) -> None:
    scheduled = Card(
        card_id=card.pk,
        state=State(card.state),
        step=card.step,
        stability=card.stability,
        difficulty=card.difficulty,
        due=card.due or now,
        last_review=card.last_review,
    )
    after, _log = _SCHEDULER.review_card(scheduled, rating, now)
    card.lapses += rating == Rating.Again and card.state == TrainingCard.State.REVIEW
    card.reviews += 1
    card.introduced = card.introduced or now
    card.state, card.step, card.due = after.state.value, after.step, after.due
    card.stability, card.difficulty, card.last_review = after.stability, after.difficulty, now


def due_cards(user: User, limit: int, now: datetime | None = None) -> list[TrainingCard]:
    """Return the next cards: those that are due, the longest due first; then new ones, up to the limit of a
    day; if there are neither, those that are being learned and are due soon. Reads as many rows as it
    returns."""
    now = now or timezone.now()
    cards = own_cards(user)
    found = list(cards.filter(due__lte=now).order_by("due", "pk")[:limit])
    if new := min(limit - len(found), new_today(user, now)):
        found += cards.filter(due=None).order_by("pk")[:new]
    if not found:
        soon = cards.filter(due__lte=now + AHEAD).exclude(state=TrainingCard.State.REVIEW)
        found += soon.order_by("due", "pk")[:limit]
    return found


def new_today(user: User, now: datetime) -> int:
    """Return how many new cards the account may still see on this day."""
    local = timezone.localtime(now)
    today = local.replace(hour=0, minute=0, second=0, microsecond=0)
    seen = TrainingCard.objects.filter(user=user, introduced__gte=today).count()
    return max(user.new_cards - seen, 0)


def counts(user: User, now: datetime | None = None) -> Counts:
    """Return the numbers of an account's cards."""
    now = now or timezone.now()
    cards = own_cards(user)
    new = cards.filter(due=None).count()
    seen = cards.filter(due__gte=_EARLIEST).aggregate(
        number_due=Count("pk", filter=Q(due__lte=now)),
        number_learned=Count("pk", filter=Q(state=TrainingCard.State.REVIEW)),
        number=Count("pk"),
    )
    due, learned, reviewed = seen.values()
    return Counts(due, min(new, new_today(user, now)), learned, new + reviewed)


# SQLite takes the index of due cards for a range only.
_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)


def next_due(user: User) -> datetime | None:
    """Return when the next card is due; None if all are new."""
    return own_cards(user).exclude(due=None).order_by("due").values_list("due", flat=True).first()


def next_card(
    user: User, before: TrainingCard | None = None, now: datetime | None = None
) -> TrainingCard | None:
    """Return the next card: one after the last one and a reply in a repertoire, else the first of
    `due_cards`."""
    now = now or timezone.now()
    if before is not None and before.kind == TrainingCard.Kind.MOVE:
        ready = Q(due__lte=now) | (Q(due=None) if new_today(user, now) else Q(pk=None))
        along = own_cards(user).filter(ready, kind=TrainingCard.Kind.MOVE, key__in=_replied(user, before))
        if (card := along.order_by(F("due").asc(nulls_last=True), "pk").first()) is not None:
            return card
    return next(iter(due_cards(user, 1, now)), None)


_MOST_REPLIES: Final = 200


def _replied(user: User, card: TrainingCard) -> list[int]:
    """Return the keys of the positions after the card's move and a reply."""
    rows = RepertoireMove.objects.filter(repertoire__user=user)
    played = rows.filter(key=card.key, own=True, move=card.move).values_list("after", flat=True)
    replies = rows.filter(key__in=list(played[:_MOST_REPLIES]), own=False)
    return list(replies.values_list("after", flat=True)[:_MOST_REPLIES])


class Lead(NamedTuple):
    """The position before a card's, and the opponent's move to it."""

    position: Position
    move: str


class CardDetails(NamedTuple):
    """A card with its position, the moves that are right (USI), its own first, further moves that the
    account's repertoires have there, and the opponent's move of a repertoire that leads there."""

    card: TrainingCard
    position: Position
    answers: list[str]
    others: list[str]
    lead: Lead | None


def details_of(user: User, cards: Sequence[TrainingCard]) -> list[CardDetails]:
    """Return cards with what is shown of them. Two statements."""
    rows = RepertoireMove.objects.filter(repertoire__user=user).order_by("pk")
    keys = {card.key for card in cards}
    played: dict[int, list[int]] = {}
    for key, move in rows.filter(key__in=keys, own=True).values_list("key", "move")[:_MOST_ROWS]:
        played.setdefault(key, []).append(move)
    leading: dict[int, list[RepertoireMove]] = {}
    for row in rows.filter(after__in=keys, own=False)[:_MOST_ROWS]:
        leading.setdefault(row.after, []).append(row)
    return [_details(card, played.get(card.key, []), leading.get(card.key, [])) for card in cards]


_MOST_ROWS: Final = 2_000


def _details(card: TrainingCard, played: Iterable[int], leading: Iterable[RepertoireMove]) -> CardDetails:
    position = SHOGI.codec.decode(card.code)
    spot = spot_of(position)
    mirrored = [spot.of_position(orient(card.move, 1))] if spot.symmetric else []
    names = [to_usi(move) for move in (spot.of_position(card.move), *mirrored)]
    answers = list(dict.fromkeys([*names, *card.accepted.split()]))
    of_kind = card.kind == TrainingCard.Kind.MOVE
    others = dict.fromkeys(to_usi(spot.of_position(move)) for move in played) if of_kind else {}
    lead = next(filter(None, (_lead(card, row) for row in leading)), None)
    return CardDetails(card, position, answers, [name for name in others if name not in answers], lead)


def _lead(card: TrainingCard, row: RepertoireMove) -> Lead | None:
    """Return the move of a row if it leads to a card's position as it is shown."""
    position = SHOGI.codec.decode(row.code)
    move = spot_of(position).of_position(row.move)
    after = position.copy()
    after.do_move(move)
    return Lead(position, to_usi(move)) if SHOGI.codec.encode(after) == card.code else None
