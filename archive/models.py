# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""The tables; docs/position-index.md says why those of the index are as they are.

Rows of games, entries and the index are written by `archive.store` only; foreign keys PROTECT, so
that nothing else can delete them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from archive import codec
from archive.character_forms import folded
from archive.kana_readings import reading

if TYPE_CHECKING:
    from kifu_core.jkf import Record

    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField

LARGEST_ID: Final = 2**63 - 1
"""The largest number that a database takes for an id."""

PIECE_BYTES: Final = 1024 * 1024
"""Largest piece in which an upload's bytes are stored."""


class User(AbstractUser):
    """Somebody with an account, in the table that archives had before there was a model of our own."""

    id = models.AutoField(primary_key=True)

    class Meta(AbstractUser.Meta):
        db_table = "auth_user"


class Upload(models.Model):
    """Bytes as received, and how far the work on them is. The bytes never change."""

    class State(models.TextChoices):
        RECEIVED = "received", _("received")
        PROCESSING = "processing", _("in progress")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        DELETING = "deleting", _("being deleted")

    sha256 = models.CharField(max_length=64)
    name = models.TextField(blank=True)
    size = models.BigIntegerField()
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="uploads"
    )
    source = models.CharField(max_length=20)
    """Which door it came through: web, api, admin, command, samples."""
    received = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    expected = models.IntegerField(null=True)
    """Entries the walk has found so far; what is done is counted from the entries themselves."""
    reason = models.JSONField(null=True)
    """Why it failed as a whole: `{"code", "params"}`."""
    claimed_by = models.CharField(max_length=64, null=True)  # noqa: DJ001 - NULL is "nobody"
    claimed_until = models.DateTimeField(null=True)
    tries = models.IntegerField(default=0)
    """Claims since the last committed batch."""
    paths = models.JSONField(null=True)
    """The paths within imports under which it came, where they say more than its name."""
    rereads = models.IntegerField(default=0)
    """How often it was decided to read all of it again."""
    finished = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["uploader", "sha256"], name="upload_of_user"),
            # NULLs are distinct to the constraint above on both engines.
            models.UniqueConstraint(
                fields=["sha256"], condition=Q(uploader__isnull=True), name="upload_of_nobody"
            ),
        ]
        indexes = [
            models.Index(
                fields=["received"],
                condition=Q(state__in=["received", "processing"]),
                name="upload_unfinished",
            ),
            models.Index(fields=["id"], condition=Q(state="deleting"), name="upload_deleting"),
        ]

    def __str__(self) -> str:
        return f"{self.name or self.sha256[:12]} ({self.pk})"

    def stream(self) -> Iterator[bytes]:
        """Yield the bytes as received, in pieces; one short query each, so no cursor stays open."""
        pieces = UploadChunk.objects.filter(upload=self).order_by("n")
        for n in range(-(-self.size // PIECE_BYTES)):
            yield bytes(pieces.values_list("bytes", flat=True).get(n=n))


class Sender(models.Model):
    """A session in which an upload of nobody's was sent, by a key that only it knows.

    The key is empty for whoever sent it again and keeps no session: an archivist's command, a program.
    """

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="senders", db_index=False)
    key = models.CharField(max_length=32, blank=True)
    first = models.BooleanField()
    """Whether it made the upload, and did not send again what was here."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["upload", "key"], name="sender_of_upload")]
        indexes = [models.Index(fields=["key", "upload"], name="sender_uploads")]

    def __str__(self) -> str:
        return f"sender of {self.upload_id}"


class UploadChunk(models.Model):
    """Piece `n` (from 0) of an upload: `PIECE_BYTES` long, the last one shorter."""

    pk = models.CompositePrimaryKey("upload_id", "n")
    upload = models.ForeignKey(Upload, on_delete=models.PROTECT, related_name="chunks", db_index=False)
    n = models.IntegerField()
    bytes = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.n}"


class Name(models.Model):
    """Something that records call by name. `name` is normalized (`archive.derive.headers`)."""

    name = models.TextField(unique=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


class _OfName(_TextField):
    """What follows from the `name` beside it, by the function `of`, whenever that is stored."""

    of: Callable[[str], str]

    def pre_save(self, model_instance: Any, add: bool) -> str:
        value = self.of(model_instance.name)
        setattr(model_instance, self.attname, value)
        return value

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Show migrations a plain text field."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.TextField", args, options


class KeyField(_OfName):
    """What a player is known by. Characters that are written in several ways make no difference in it
    (`archive.character_forms`)."""

    of = staticmethod(folded)


class ReadingField(_OfName):
    """What a player is sorted by, empty where no reading is known (`archive.kana_readings`)."""

    of = staticmethod(reading)


class Player(Name):
    """Someone or something that plays, called as the first record has it."""

    key = KeyField()
    reading = ReadingField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key"], name="player_key")]
        indexes = [models.Index(fields=["reading", "name"], name="player_reading")]


class Event(Name):
    """A tournament, a match, a series."""


class PlayerAlias(Name):
    """A further normalized name of a player."""

    key = KeyField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="aliases")
    former = models.BigIntegerField(null=True, unique=True)
    """The id of the player that this was the name of, until it turned out to be the same as another's."""

    class Meta:
        indexes = [models.Index(fields=["key"], name="player_alias_key")]


class EventAlias(Name):
    """A further normalized name of an event."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="aliases")


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
        BLACK = 0, _("colour 0 wins")
        WHITE = 1, _("colour 1 wins")
        DRAW = 2, _("draw")
        UNKNOWN = 3, _("unknown")

    class Precision(models.TextChoices):
        NONE = "", _("unknown")
        YEAR = "year", _("year")
        MONTH = "month", _("month")
        DAY = "day", _("day")

    kind = models.CharField(max_length=16)
    record_kind = models.CharField(max_length=10, choices=RecordKind.choices)
    space = models.BigIntegerField(default=0)
    """0 is public; anything else keeps a private game's identity and keys apart."""
    digest = models.BinaryField(max_length=16)
    digest_version = models.SmallIntegerField()
    stem = models.BinaryField(max_length=16, null=True)
    """Hash of kind, start and main line: what editions share whose headers say more or less."""
    slot = models.IntegerField(unique=True)
    player0 = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    player1 = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    event = models.ForeignKey(Event, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    site = models.TextField(blank=True)
    played_from = models.DateField(null=True)
    played_to = models.DateField(null=True)
    precision = models.CharField(max_length=5, blank=True, choices=Precision.choices)
    played = models.IntegerField()
    """`played_from` as a proleptic ordinal, 0 when unknown: what lists and the index are ordered by."""
    handicap = models.CharField(max_length=10)
    result = models.SmallIntegerField(choices=Result.choices)
    special = models.TextField(blank=True)
    plies = models.IntegerField()
    index_version = models.SmallIntegerField()
    index_rows = models.IntegerField()
    calendar = models.CharField(max_length=9, blank=True, default="")
    """Of the days: gregorian, lunisolar (before 1873, with the source's numbers), empty without a day."""
    round = models.TextField(blank=True, default="")
    """The event's round: `七番勝負 第1局`."""
    opening = models.TextField(blank=True, default="")
    """The opening as the record names it (戦型), in one spelling."""
    header_data = models.JSONField(default=dict)
    """What else the headers tell (`archive.derive.headers.header_data`)."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "digest"], name="game_identity"),
        ]
        indexes = [
            models.Index(fields=["played", "slot"], name="game_played"),
            # Lists by length.
            models.Index(fields=["plies", "slot"], name="game_plies"),
            models.Index(fields=["stem"], name="game_stem"),
            models.Index(fields=["site"], condition=~models.Q(site=""), name="game_site"),
            # Lists of the rarer kinds of games: without it they would be looked for among all of shogi's.
            models.Index(
                fields=["kind", "played", "slot"], name="game_rarer", condition=~models.Q(kind="shogi")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def jkf(self) -> Record:
        """Return the stored record, parsed."""
        return codec.unpack(self.stored.record)


class GameRecord(models.Model):
    """A game's normalized record, packed by `archive.codec`."""

    game = models.OneToOneField(Game, on_delete=models.PROTECT, primary_key=True, related_name="stored")
    record = models.BinaryField()
    parsed_facts = models.JSONField(default=dict)
    """What the game is made of beside its record (`archive.derive.game.derive_stored`)."""
    keys = models.BinaryField(null=True)
    """The keys of the game's rows in the index (`archive.index.schema.pack_keys`), so that they are found
    without replaying the record; NULL where it was stored before these were kept."""

    def __str__(self) -> str:
        return str(self.game_id)


class GameSeries(models.Model):
    """Evaluations and clocks of a game, packed by `archive.derive.series`; only games with any have a row."""

    game = models.OneToOneField(Game, on_delete=models.PROTECT, primary_key=True, related_name="series")
    series = models.BinaryField()

    def __str__(self) -> str:
        return str(self.game_id)


class GameAlias(models.Model):
    """A former id of a game that turned out to be another one's edition."""

    id = models.BigIntegerField(primary_key=True)
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="aliases")

    def __str__(self) -> str:
        return f"{self.pk} -> {self.game_id}"


class GoneGame(models.Model):
    """The id of a game that was deleted, or of an alias of one: its addresses answer 410."""

    id = models.BigIntegerField(primary_key=True)

    def __str__(self) -> str:
        return str(self.pk)


class TakenDown(models.Model):
    """The identity of an edition of a game that was taken down: an entry that brings it again is held."""

    space = models.BigIntegerField()
    digest = models.BinaryField(max_length=16)
    game = models.BigIntegerField(null=True)
    """The id that the game had, where that is known."""
    hidden = models.BooleanField()
    """Whether the bytes were hidden too."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "digest"], name="taken_down_identity")]

    def __str__(self) -> str:
        return f"edition of {self.game}"


class GoneUpload(models.Model):
    """An upload that was deleted: its addresses answer 410. Inserted when its games are out of all lists;
    so the last of these rows tells whether what was counted before still holds."""

    upload_id = models.BigIntegerField(unique=True)

    def __str__(self) -> str:
        return str(self.upload_id)


class GamePlayer(models.Model):
    """Who played which colour, for lists of a player's games in the order of the index."""

    pk = models.CompositePrimaryKey("player_id", "played", "slot", "colour")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="+", db_index=False)
    played = models.IntegerField()
    slot = models.IntegerField()
    colour = models.SmallIntegerField()
    rating = models.SmallIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["slot", "colour"], name="gameplayer_of_slot")]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.slot}"


class GameEvent(models.Model):
    """The games of an event in the order of the index."""

    pk = models.CompositePrimaryKey("event_id", "played", "slot")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="+", db_index=False)
    played = models.IntegerField()
    slot = models.IntegerField(unique=True)

    def __str__(self) -> str:
        return f"{self.event_id}: {self.slot}"


class Entry(models.Model):
    """One record of an upload, in the deterministic walk through its files and containers.

    Every entry has a row: nothing is skipped in silence.
    """

    class State(models.TextChoices):
        STORED = "stored", _("stored")
        DUPLICATE = "duplicate", _("known game")
        FAILED = "failed", _("failed")
        DELETED = "deleted", _("game deleted")
        HELD = "held", _("held for the staff")

    upload = models.ForeignKey(Upload, on_delete=models.PROTECT, related_name="entries", db_index=False)
    seq = models.IntegerField()
    path = models.TextField(blank=True)
    """Path inside a container; empty for the upload itself."""
    index = models.IntegerField(default=0)
    """Place in a file of several games, from 0."""
    part = models.IntegerField(default=0)
    """Which part of the walk (`archive.intake.walk.entries`) it is from: where its bytes are found again."""
    state = models.CharField(max_length=10, choices=State.choices)
    hidden = models.BooleanField(default=False, db_default=False)
    """Whether only the staff gets its bytes, and the file that it came in (`archive.queries.taken_down`)."""
    game = models.ForeignKey(Game, on_delete=models.PROTECT, null=True, related_name="entries")
    record = models.BinaryField(null=True)
    """This edition's own record where it differs from the game's."""
    parsed_facts = models.JSONField(default=dict)
    """What this edition says beside its record (`archive.derive.game.derive_stored`)."""
    rereads = models.IntegerField(default=0)
    """The upload's reading that this row is of; an older one is still to be read again."""
    issues = models.JSONField(default=list)
    """`[{"code", "severity", "line", "column", "ply", "params", "source_line"}]`."""
    beyond_jkf = models.JSONField(default=dict)
    """Headers as written, bookmarks, unread text."""
    encoding = models.CharField(max_length=20, blank=True)
    format = models.CharField(max_length=20, blank=True)
    program = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["upload", "seq"], name="entry_of_upload")]
        indexes = [
            models.Index(fields=["upload", "part"], condition=Q(hidden=True), name="entry_hidden"),
            # For counts and pages by state: an upload has up to hundreds of thousands, perhaps of one.
            models.Index(fields=["upload", "state", "seq"], name="entry_state"),
        ]

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.seq}"

    @property
    def jkf(self) -> Record | None:
        """Return this edition's record, parsed; None where nothing could be read."""
        if self.record is not None:
            return codec.unpack(self.record)
        return self.game.jkf if self.game else None


class Occurrence(models.Model):
    """The position index (`archive.index.schema`). Its table is made and changed by SQL per engine."""

    pk = models.CompositePrimaryKey("key", "played", "slot", "ply", "move")
    key = models.BigIntegerField()
    played = models.IntegerField()
    slot = models.IntegerField()
    ply = models.SmallIntegerField()
    move = models.SmallIntegerField()
    flags = models.SmallIntegerField()
    result = models.SmallIntegerField()

    def __str__(self) -> str:
        return f"{self.key} in {self.slot} at {self.ply}"


class HotPosition(models.Model):
    """A key whose statistics are kept in counters, with its canonical code."""

    key = models.BigIntegerField(primary_key=True)
    code = models.TextField()

    def __str__(self) -> str:
        return self.code


class HotMove(models.Model):
    """Counters of a hot key: exactly the GROUP BY of its occurrences.

    `rated` rows have a rating of the side to move; `rating_sum` adds these up. `last_played` is an ordinal.
    """

    pk = models.CompositePrimaryKey("key", "flags", "move", "result")
    key = models.BigIntegerField()
    flags = models.SmallIntegerField()
    move = models.SmallIntegerField()
    result = models.SmallIntegerField()
    n = models.BigIntegerField()
    rated = models.BigIntegerField()
    rating_sum = models.BigIntegerField()
    last_played = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.key} {self.move}: {self.n}"


class IndexState(models.Model):
    """Which versions of the index games are in; queries ask every version that is not retired."""

    class State(models.TextChoices):
        FILLING = "filling", _("filling")
        LIVE = "live", _("live")
        RETIRED = "retired", _("retired")

    version = models.SmallIntegerField(primary_key=True)
    state = models.CharField(max_length=10, choices=State.choices)

    def __str__(self) -> str:
        return f"{self.version}: {self.state}"
