# Meta classes hold plain lists, as Django reads them.
# ruff: noqa: RUF012
"""The tables; docs/position-index.md says why those of the index are as they are.

Rows of games, entries and the index are written by `archive.store` only; foreign keys PROTECT, so
that nothing else can delete them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.conf import settings
from django.contrib.auth import models as auth
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from archive import codec
from archive.character_forms import folded
from archive.kana_readings import reading
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    from kifu_core.jkf import Record

    _TextField = models.TextField[str, str]
    _UserManager = auth.UserManager["User"]
else:
    _TextField = models.TextField
    _UserManager = auth.UserManager

LARGEST_ID: Final = 2**63 - 1
"""The largest number that a database takes for an id."""

PIECE_BYTES: Final = 1024 * 1024
"""Largest piece in which an upload's bytes are stored."""


class UserManager(_UserManager):
    """Makes accounts; who may do everything has the role that says so."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **more: Any
    ) -> User:
        return super().create_superuser(username, email, password, **{"role": User.Role.ADMINISTRATOR} | more)


class User(AbstractUser):
    """Somebody with an account, in the table that archives had before there was a model of our own."""

    class Role(models.TextChoices):
        READER = "reader", _("reader")
        CONTRIBUTOR = "contributor", _("contributor")
        CURATOR = "curator", _("curator")
        ADMINISTRATOR = "administrator", _("administrator")

    id = models.AutoField(primary_key=True)
    role = models.CharField(
        _("role"), max_length=13, choices=Role.choices, default=Role.CONTRIBUTOR, db_default=Role.CONTRIBUTOR
    )
    """What somebody may do (`archive.accounts.roles`), which also keeps `is_staff` and `is_superuser`."""

    objects: ClassVar[UserManager] = UserManager()

    limited_to: Collection[str] | None = None
    """The rights that are left to who acts through a token; None for who has signed in."""

    class Meta(AbstractUser.Meta):
        db_table = "auth_user"

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return whether somebody has a right, and not only without the token that they use."""
        return (self.limited_to is None or perm in self.limited_to) and super().has_perm(perm, obj)


class Token(models.Model):
    """A key with which a program acts for somebody. It is shown once; what is kept is its SHA-256."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField()
    """Names of `archive.accounts.roles.SCOPES`."""
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(null=True)
    last_used = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name

    @property
    def reads_private(self) -> bool:
        """Return whether its owner reads by it what is not public."""
        return not {"read-private", "admin"}.isdisjoint(self.scopes)


class AccountInvitation(models.Model):
    """A link with which somebody makes an account, once. What is kept of it is its SHA-256."""

    digest = models.CharField(max_length=64, unique=True)
    role = models.CharField(max_length=13, choices=User.Role.choices)
    note = models.CharField(max_length=80, blank=True)
    """For whom it was made, as its maker calls them."""
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="invitations_made"
    )
    """NULL is who starts the archive."""
    made = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="invitations_used"
    )

    def __str__(self) -> str:
        return f"{self.role} {self.note}".strip()


class Space(models.Model):
    """A library of games that only its members read: a person's own, or a group's. The public one, which
    everybody reads, has no row."""

    class Kind(models.TextChoices):
        PERSON = "person", _("own library")
        GROUP = "group", _("group")

    kind = models.CharField(max_length=6, choices=Kind.choices)
    name = models.TextField(blank=True)
    """What a group is called; empty for a person's own."""
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.pk}"


class Membership(models.Model):
    """Somebody who reads a space. Owners of a group ask others in and send members away."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    owner = models.BooleanField(default=False)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "user"], name="member_of_space")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.space_id}"


class Invitation(models.Model):
    """A link by which one person becomes a member of a group, once. Only a hash of its key is kept."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="invitations")
    key = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    owner = models.BooleanField(default=False)
    """Whether it makes an owner."""
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return f"into {self.space_id} until {self.expires}"


class Upload(models.Model):
    """Bytes as received, and how far the work on them is. The bytes never change."""

    class State(models.TextChoices):
        RECEIVED = "received", _("received")
        PROCESSING = "processing", _("in progress")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        WAITING = "waiting", _("waits for a curator")
        DELETING = "deleting", _("being deleted")

    sha256 = models.CharField(max_length=64)
    name = models.TextField(blank=True)
    size = models.BigIntegerField()
    uploader = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="uploads"
    )
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    """Where its games go, and who reads it."""
    payer = models.CharField(max_length=64, blank=True, db_default="")
    """The counter that its games are charged to (`archive.limits.throttling.payer`)."""
    moving_to = models.BigIntegerField(null=True)
    """The space that its games are being moved to, one by one."""
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
            models.UniqueConstraint(fields=["uploader", "space", "sha256"], name="upload_of_user"),
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
    """Something that records of one space call by name. `name` is normalized (`archive.derive.headers`).

    Each space has names of its own: what is said in a private one is neither listed nor told elsewhere.
    """

    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    name = models.TextField()

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
        constraints = [
            models.UniqueConstraint(fields=["space", "key"], name="player_key"),
            models.UniqueConstraint(fields=["space", "name"], name="player_name"),
        ]
        indexes = [models.Index(fields=["space", "reading", "name"], name="player_reading")]


class Event(Name):
    """A tournament, a match, a series."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="event_name")]


class PlayerAlias(Name):
    """A further normalized name of a player."""

    key = KeyField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="aliases")
    former = models.BigIntegerField(null=True, unique=True)
    """The id of the player that this was the name of, until it turned out to be the same as another's."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="player_alias_name")]
        indexes = [models.Index(fields=["space", "key"], name="player_alias_key")]


class EventAlias(Name):
    """A further normalized name of an event."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="aliases")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="event_alias_name")]


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
    space = models.BigIntegerField(default=PUBLIC)
    """What keeps its identity and its keys apart from those of other spaces."""
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


class Share(models.Model):
    """A game that somebody may read who does not read its space: a person, or whoever has a link.

    It gives the game itself, its record and its pictures, and no place in lists and counts. Of a link's key
    only a hash is kept.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="shares")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="shared_games"
    )
    key = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - NULL is "no link"
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "user"], name="share_with_user")]

    def __str__(self) -> str:
        return f"game {self.game_id} for {self.user_id or 'whoever has the link'}"


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
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    """Where the game was that had it: whoever cannot read that space is not told of it."""
    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="aliases")

    def __str__(self) -> str:
        return f"{self.pk} -> {self.game_id}"


class GoneGame(models.Model):
    """The id of a game that was deleted, or of an alias of one: its addresses answer 410."""

    id = models.BigIntegerField(primary_key=True)
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    """Where it was: for whoever cannot read that space there was never anything."""

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
    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)

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


class SiteText(models.Model):
    """A page in the words of who keeps the archive, in one language: plain text, paragraphs between empty
    lines."""

    class Page(models.TextChoices):
        TERMS = "terms", _("Terms of use")
        PRIVACY = "privacy", _("Privacy")
        CONTACT = "contact", _("Contact")

    page = models.CharField(_("page"), max_length=10, choices=Page.choices)
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    text = models.TextField(_("text"), max_length=100_000)
    changed = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        verbose_name = _("page of the archive's owner")
        verbose_name_plural = _("pages of the archive's owner")
        constraints = [models.UniqueConstraint(fields=["page", "language"], name="site_text_of_language")]

    def __str__(self) -> str:
        return f"{self.get_page_display()} ({self.get_language_display()})"


class Report(models.Model):
    """What somebody finds wrong with a game, until the staff has settled it."""

    class Reason(models.TextChoices):
        WRONG = "wrong", _("The record or its names are wrong")
        PERSONAL = "personal", _("It tells of a person who does not want it")
        RIGHTS = "rights", _("It may not be published")
        ABUSE = "abuse", _("It is offensive, or no game at all")
        OTHER = "other", _("Something else")

    game = models.BigIntegerField(_("game"))
    """Its id when it was reported; it may be gone, or another's alias, since then."""
    reason = models.CharField(_("reason"), max_length=10, choices=Reason.choices)
    text = models.TextField(_("what they write"), blank=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("reported by"),
    )
    made = models.DateTimeField(_("reported"), auto_now_add=True)
    settled = models.DateTimeField(_("settled"), null=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("settled by"),
    )

    class Meta:
        verbose_name = _("report of a game")
        verbose_name_plural = _("reports of games")
        indexes = [models.Index(fields=["game"], condition=Q(settled=None), name="report_open")]

    def __str__(self) -> str:
        return f"{self.game}: {self.get_reason_display()}"


class _Lines(models.QuerySet["AuditLine"]):
    """Lines are written and read, and nothing else."""

    def update(self, **_values: Any) -> int:
        raise PermissionError("lines of the audit log are never changed")

    def delete(self) -> tuple[int, dict[str, int]]:
        raise PermissionError("lines of the audit log are never deleted")


class AuditLine(models.Model):
    """Something that somebody did (`archive.audit`). Accounts are named by id and name, to outlive them."""

    class Deed(models.TextChoices):
        SIGN_IN = "sign-in", _("signed in")
        SIGN_IN_FAILED = "sign-in-failed", _("failed to sign in")
        SIGN_OUT = "sign-out", _("signed out")
        RIGHTS = "rights", _("changed rights")
        MEMBERS = "members", _("changed members")
        SHARE = "share", _("shared")
        PUBLISH = "publish", _("published")
        TAKE_BACK = "take-back", _("took back")
        DELETE = "delete", _("deleted")

    at = models.DateTimeField(_("when"), auto_now_add=True, db_index=True)
    deed = models.CharField(_("what was done"), max_length=20, choices=Deed.choices)
    account = models.BigIntegerField(_("account"), null=True)
    name = models.CharField(_("who"), max_length=150, blank=True)
    what = models.TextField(_("to what"), blank=True)
    address = models.CharField(_("from where"), max_length=64, blank=True)

    objects = _Lines.as_manager()
    forgetting = models.Manager["AuditLine"]()
    """For `archive.audit.forget_addresses` alone."""

    class Meta:
        default_permissions = ("view",)
        verbose_name = _("line of the audit log")
        verbose_name_plural = _("audit log")

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.name or '-'} {self.deed} {self.what}"

    def save(self, *args: Any, **values: Any) -> None:
        if not self._state.adding:
            raise PermissionError("lines of the audit log are never changed")
        super().save(*args, **values)

    def delete(self, *_args: Any, **_values: Any) -> tuple[int, dict[str, int]]:
        raise PermissionError("lines of the audit log are never deleted")
