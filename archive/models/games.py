"""Games with their records, players, events, places and former ids, and traces of deleted games.

Tables without a database constraint to the game (`db_constraint=False`) may be distributed over servers: the
store writes and deletes both rows in one transaction, and `verify_archive` reports rows without a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from archive.models import codec
from archive.models.names import Event, NameKind, Place, Player
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from kifu_core.jkf import Record


WITHOUT_OPINION: Final = models.Q(kind="shogi", network_version=0)
"""The condition of games that wait for their first opinion (`archive.analysis.opinions`)."""


class Game(models.Model):
    """One game, however many editions of it were uploaded. `id` is public and permanent.

    Colours are 0 and 1 (shogi: 0 Black 先手, 1 White 後手).
    """

    class RecordKind(models.TextChoices):
        GAME = "game", _("game")
        PROBLEM = "problem", _("problem")
        TREE = "tree", _("opening tree")
        POSITION = "position", _("position")

    class Result(models.IntegerChoices):
        BLACK = 0, _("first player wins")
        WHITE = 1, _("second player wins")
        DRAW = 2, _("draw")
        UNKNOWN = 3, _("unknown")

    class Precision(models.TextChoices):
        NONE = "", _("unknown")
        YEAR = "year", _("year")
        MONTH = "month", _("month")
        DAY = "day", _("day")

    kind = models.CharField(max_length=16)
    record_kind = models.CharField(_("kind of record"), max_length=10, choices=RecordKind.choices)
    space = models.BigIntegerField(default=PUBLIC)
    """Part of the game's identity and of its index keys."""
    digest = models.BinaryField(max_length=16)
    digest_version = models.SmallIntegerField()
    stem = models.BinaryField(max_length=16, null=True)
    """Hash of kind, start and main line, which editions share even if their headers differ."""
    slot = models.IntegerField(unique=True)
    player0 = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    player1 = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    event = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    place = models.ForeignKey(Place, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    site = models.TextField(blank=True)
    """The place as the record has it, which may be the game's address on a server."""
    played_from = models.DateField(null=True)
    played_to = models.DateField(null=True)
    precision = models.CharField(max_length=5, blank=True, choices=Precision.choices)
    played = models.IntegerField()
    """`played_from` as a proleptic ordinal, 0 if unknown: the order of lists and of the index."""
    handicap = models.CharField(max_length=10)
    result = models.SmallIntegerField(choices=Result.choices)
    special = models.TextField(blank=True)
    plies = models.IntegerField()
    index_version = models.SmallIntegerField()
    index_rows = models.IntegerField()
    calendar = models.CharField(max_length=9, blank=True, default="")
    """The calendar of the days: gregorian, lunisolar (before 1873, with the source's numbers), or empty."""
    round = models.TextField(blank=True, default="")
    """The event's round: `七番勝負 第1局`."""
    opening = models.TextField(blank=True, default="")
    """The opening as the record names it (戦型), in one spelling."""
    header_data = models.JSONField(default=dict)
    """Other facts from the headers (`archive.derive.headers.header_data`)."""
    features = models.SmallIntegerField(default=0, db_default=0)
    """Contents of the record besides moves, as bits (`archive.derive.text`)."""
    formations_version = models.SmallIntegerField(default=0, db_default=0)
    """The version of the library that found its castles and openings; 0 if none did."""
    network_version = models.SmallIntegerField(default=0, db_default=0)
    """The version of the first opinion on its positions (`archive.analysis.opinions`); 0 if there is none."""
    changed = models.DateTimeField(null=True)
    """When an edition, a new reading or a correction last changed it; NULL if never."""
    corrected = models.BooleanField(default=False, db_default=False)
    """Whether corrections apply to it, or it is masked; its `GameRecord` has a `base` then."""
    masked = models.SmallIntegerField(default=0, db_default=0)
    """The sides whose players' names were taken down (`archive.derive.masking`): 1 Black, 2 White, 3 both."""

    class Meta:
        verbose_name = _("game")
        verbose_name_plural = pgettext_lazy("list", "games")
        constraints = [
            models.UniqueConstraint(fields=["space", "digest"], name="game_identity"),
        ]
        indexes = [
            # Lists are of one space.
            models.Index(fields=["space", "played", "slot"], name="game_of_space"),
            # Lists by length, and in the order in which games came.
            models.Index(fields=["space", "plies", "slot"], name="game_plies_of_space"),
            models.Index(fields=["space", "id"], name="game_came_of_space"),
            models.Index(fields=["stem"], name="game_stem"),
            models.Index(fields=["site"], condition=~models.Q(site=""), name="game_site"),
            models.Index(
                fields=["space", "plies", "id"],
                name="game_problems",
                condition=models.Q(record_kind="problem"),
            ),
            models.Index(fields=["id"], name="game_without_opinion", condition=WITHOUT_OPINION),
            # Lists of rare kinds of games, which would otherwise read all of shogi's.
            models.Index(
                fields=["kind", "played", "slot"], name="game_rarer", condition=~models.Q(kind="shogi")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player0 or '?'} – {self.player1 or '?'} ({self.pk})"

    @property
    def jkf(self) -> Record:
        """Return the stored record."""
        return codec.unpack(self.stored.record)


class GameRecord(models.Model):
    """A game's normalized record, packed by `archive.models.codec`."""

    game = models.OneToOneField(
        Game, on_delete=models.PROTECT, primary_key=True, related_name="stored", db_constraint=False
    )
    record = models.BinaryField()
    parsed_facts = models.JSONField(default=dict)
    """Facts that the record lacks (`archive.derive.game.derive_stored`)."""
    base = models.BinaryField(null=True)
    """The union of the editions before corrections, packed; NULL for a game that is neither corrected nor
    masked."""
    base_facts = models.JSONField(null=True)
    """The parsed facts of `base`."""
    keys = models.BinaryField(null=True)
    """The keys of the game's index rows, and its main line (`archive.index.packed_keys`); if NULL they are
    found by replaying the record."""

    def __str__(self) -> str:
        return str(self.game_id)


class GameSeries(models.Model):
    """Evaluations and clocks of a game, packed by `archive.derive.series`; only games with any have a row."""

    game = models.OneToOneField(
        Game, on_delete=models.PROTECT, primary_key=True, related_name="series", db_constraint=False
    )
    series = models.BinaryField()

    def __str__(self) -> str:
        return str(self.game_id)


class GameText(models.Model):
    """The searchable text of a game, in the form of `archive.names.search_text`; every game has a row.

    Its index is the table `archive_textindex` on SQLite, an index of this table on PostgreSQL
    (`archive.index.texts`).
    """

    game = models.OneToOneField(Game, on_delete=models.PROTECT, primary_key=True, related_name="text")
    text = models.TextField(blank=True)

    def __str__(self) -> str:
        return str(self.game_id)


class GameAlias(models.Model):
    """A former id of a game that turned out to be another one's edition."""

    id = models.BigIntegerField(primary_key=True)
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    """The space of the former game; only its readers may use the alias."""
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="aliases")

    def __str__(self) -> str:
        return f"{self.pk} -> {self.game_id}"


class GoneGame(models.Model):
    """The id of a deleted game, or of its alias: its URLs answer 410."""

    id = models.BigIntegerField(primary_key=True)
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    """The space of the game; URLs answer 404 to others than its readers."""

    def __str__(self) -> str:
        return str(self.pk)


class GameChange(models.Model):
    """A game that came into a space, changed there or left it; written in the same transaction.

    `number` is as in `Arrival` (`archive.store.changes`). Of several changes of a game in a space, only the
    last one stays.
    """

    COUNT_BITS = 40
    """The lower bits of a number count changes. Those above are random and differ after a restoration, so
    that places in an earlier order are recognized."""

    game = models.BigIntegerField(db_index=True)
    space = models.BigIntegerField()
    number = models.BigIntegerField(null=True, unique=True)

    class Meta:
        indexes = [
            models.Index(fields=["id"], name="gamechange_unnumbered", condition=models.Q(number=None)),
            models.Index(fields=["space", "number"], name="gamechange_of_space"),
        ]

    def __str__(self) -> str:
        return f"game {self.game} in {self.space}"


class TakenDown(models.Model):
    """The identity of an edition of a game that was taken down: an entry that brings it again is held."""

    space = models.BigIntegerField()
    digest = models.BinaryField(max_length=16)
    game = models.BigIntegerField(null=True)
    """The former id of the game, if known."""
    hidden = models.BooleanField()
    """Whether the bytes were hidden too."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "digest"], name="taken_down_identity")]

    def __str__(self) -> str:
        return f"edition of {self.game}"


class GamePlayer(models.Model):
    """The player of one side of a game, for lists of a player's games in the order of the index."""

    pk = models.CompositePrimaryKey("player_id", "played", "slot", "colour")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The root of the tree of merged names."""
    played = models.IntegerField()
    slot = models.IntegerField()
    colour = models.SmallIntegerField()
    rating = models.SmallIntegerField(null=True)
    named = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    """The row of the name in the header, or of the player whom a correction names; NULL if that is
    `player`."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slot", "colour"], name="gameplayer_of_slot")]
        indexes = [
            models.Index(fields=["named"], name="gameplayer_named", condition=models.Q(named__isnull=False))
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.slot}"


class GameEvent(models.Model):
    """The games of an event in the order of the index."""

    pk = models.CompositePrimaryKey("event_id", "played", "slot")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The root of the tree of merged names."""
    played = models.IntegerField()
    slot = models.IntegerField(unique=True)
    named = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    """The row of the name in the header; NULL if that is `event`."""

    class Meta:
        indexes = [
            models.Index(fields=["named"], name="gameevent_named", condition=models.Q(named__isnull=False))
        ]

    def __str__(self) -> str:
        return f"{self.event_id}: {self.slot}"


class GamePlace(models.Model):
    """The games of a place in the order of the index."""

    pk = models.CompositePrimaryKey("place_id", "played", "slot")
    place = models.ForeignKey(Place, on_delete=models.PROTECT, related_name="+", db_index=False)
    """The root of the tree of merged names."""
    played = models.IntegerField()
    slot = models.IntegerField(unique=True)
    named = models.ForeignKey(Place, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    """The row of the name in the header; NULL if that is `place`."""

    class Meta:
        indexes = [
            models.Index(fields=["named"], name="gameplace_named", condition=models.Q(named__isnull=False))
        ]

    def __str__(self) -> str:
        return f"{self.place_id}: {self.slot}"


GAMES_OF: Final[Mapping[NameKind, type[models.Model]]] = {
    "player": GamePlayer, "event": GameEvent, "place": GamePlace,
}  # fmt: skip
"""The tables of games by name."""


class GameFormation(models.Model):
    """A castle or an opening of a side of a game, and its first ply.

    `formation` is its number in `kifu_core.shogi.formations`. More general formations have rows too.
    """

    pk = models.CompositePrimaryKey("formation", "slot", "colour")
    formation = models.SmallIntegerField()
    slot = models.IntegerField()
    colour = models.SmallIntegerField()
    ply = models.SmallIntegerField()

    class Meta:
        indexes = [models.Index(fields=["slot"], name="gameformation_of_slot")]

    def __str__(self) -> str:
        return f"{self.formation} in {self.slot}"
