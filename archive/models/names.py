"""Players, events and places by name, separate for each space.

A row is a name that headers of games have. Curators merge rows that name the same player, event or place:
each row points to the one that it was merged into (`merged_into`), which makes a tree, and to the root of its
tree (`home`), to which its games belong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from django.db import models
from django.db.models import Q, QuerySet
from django.utils.translation import pgettext_lazy

from archive.names.character_forms import folded
from archive.names.kana_readings import reading_of
from archive.names.search_text import search_forms
from kifu_core.classes import PUBLIC

NameKind = Literal["player", "event", "place"]
"""What a name is of."""
Label = Literal["event", "place"]
LABELS: Final[tuple[Label, ...]] = ("event", "place")
"""Names of which a game has at most one."""

if TYPE_CHECKING:
    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField


class _Computed(_TextField):
    of: Callable[[Any], str]

    def pre_save(self, model_instance: Any, add: bool) -> str:
        value = self.of(model_instance)
        setattr(model_instance, self.attname, value)
        return value

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Show migrations a plain text field."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.TextField", args, options


class OfName(_Computed):
    """A text that is computed from the row by the function `of` whenever the row is saved."""


class InitialField(_Computed):
    """A text that is computed from the row by the function `of` when the row is first saved."""


class WrittenField(InitialField):
    """The name in the headers that the row was made for; it never changes."""

    of = staticmethod(lambda row: row.written or row.name)


class KeyField(InitialField):
    """The key by which headers identify a row (`Name.key_of`); it never changes. No header has
    the key of a namesake."""

    of = staticmethod(lambda row: row.key or row.key_of(row.written))


class ReadingField(OfName):
    """The reading by which players are sorted; empty if unknown (`archive.names.kana_readings`)."""

    of = staticmethod(lambda row: reading_of(row.name, row.kana))


class SearchedField(OfName):
    """The forms in which a name is searched (`archive.names.search_text`), those of merged names included."""

    of = staticmethod(lambda row: search_forms(row.spellings()))


class Name(models.Model):
    """A player, an event or a place of one space. Names of private spaces are not shown elsewhere."""

    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    name = models.TextField(pgettext_lazy("of a player or an event", "name"))
    """The name that is shown; at first the normalized name of a record (`archive.derive.headers`)."""
    written = WrittenField(blank=True, default="")
    key = KeyField(default="")
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="merged", db_index=False
    )
    home = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    """The root of the tree of merged rows; NULL for a root."""
    kana = models.TextField(blank=True, default="", db_default="")
    """The reading in kana; a blank separates family name and given name."""
    latin = models.TextField(blank=True, default="", db_default="")
    """The name in Latin letters, as pages in English show it."""
    note = models.TextField(blank=True, default="", db_default="")
    source = models.TextField(blank=True, default="", db_default="")
    """Where the facts are from: an address, or an identifier of an authority file."""
    searched = SearchedField(default="", db_default="")
    set_by = models.JSONField(default=dict, db_default={})
    """Who set a field, by its name: "authority" or "curator". Others have the values of records."""
    unsettled = models.BooleanField(default=False, db_default=False)
    """Whether games of the row have not followed its latest merge or separation yet."""

    KIND: ClassVar[NameKind]
    FACTS: ClassVar[tuple[str, ...]] = ("name", "kana", "latin", "note", "source")
    """The fields that curators edit."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @classmethod
    def key_of(cls, name: str) -> str:
        """Return the key of a normalized name."""
        return name

    @property
    def root_id(self) -> int:
        """Return the id of the root of the row's tree."""
        home: int | None = getattr(self, "home_id", None)
        return home or self.pk

    def spellings(self) -> list[str]:
        """Return the names by which the row is searched."""
        latin = " ".join(reversed(self.latin.split()))
        return [self.name, self.written, self.kana, self.kana.replace(" ", ""), self.latin, latin]


class Player(Name):
    """A person or program."""

    reading = ReadingField(blank=True)
    namesake = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="namesakes", db_index=False
    )
    """Another player of the same name, with whom headers confuse this one. Only corrections of games say
    which games are this one's."""
    titles = models.JSONField(default=list, db_default=[])
    """Titles and grades as objects with `title` or `grade`, and `from` and `to` if known: years, months or
    days."""
    born = models.CharField(max_length=10, blank=True, default="", db_default="")
    """The year, month or day of birth: 1970, 1970-09, 1970-09-27."""
    died = models.CharField(max_length=10, blank=True, default="", db_default="")
    taken_down = models.JSONField(null=True)
    """The columns of a row whose name was taken down, as they were; NULL for others. Initials are its name
    then, its key is sealed, and other facts are empty."""

    KIND = "player"
    FACTS = (*Name.FACTS, "titles", "born", "died")

    class Meta:
        verbose_name = pgettext_lazy("list", "player")
        verbose_name_plural = pgettext_lazy("list", "players")
        constraints = [models.UniqueConstraint(fields=["space", "key"], name="player_key")]
        indexes = [
            models.Index(fields=["space", "reading", "name"], name="player_reading"),
            models.Index(fields=["space", "name"], name="player_name"),
            models.Index(fields=["home"], name="player_home", condition=Q(home__isnull=False)),
            models.Index(fields=["namesake"], name="player_namesake", condition=Q(namesake__isnull=False)),
            models.Index(fields=["id"], name="player_unsettled", condition=Q(unsettled=True)),
        ]

    @classmethod
    def key_of(cls, name: str) -> str:
        return folded(name)

    @classmethod
    def masked(cls, players: Collection[int]) -> QuerySet[Player]:
        """Return those rows of players that were taken down, with the rows that were merged into them."""
        rows = cls.objects.filter(Q(pk__in=players) | Q(home__in=players))
        return rows.exclude(taken_down=None) if players else cls.objects.none()

    @classmethod
    def sealed(cls, key: str) -> str:
        """Return the key of a row whose name was taken down. No name in a header has such a key."""
        return f"\x1e{blake2b(key.encode(), digest_size=16).hexdigest()}"


class Event(Name):
    """A tournament, a match, a series."""

    place = models.TextField(blank=True, default="", db_default="")
    parent = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    """The series that the event belongs to."""

    KIND = "event"
    FACTS = (*Name.FACTS, "place", "parent")

    class Meta:
        verbose_name = pgettext_lazy("list", "event")
        verbose_name_plural = pgettext_lazy("list", "events")
        constraints = [models.UniqueConstraint(fields=["space", "key"], name="event_key")]
        indexes = [
            models.Index(fields=["space", "name"], name="event_name"),
            models.Index(fields=["home"], name="event_home", condition=Q(home__isnull=False)),
            models.Index(fields=["id"], name="event_unsettled", condition=Q(unsettled=True)),
        ]


class Place(Name):
    """A place where games are played: a room, a house, a server."""

    KIND = "place"

    class Meta:
        verbose_name = pgettext_lazy("list", "place")
        verbose_name_plural = pgettext_lazy("list", "places")
        constraints = [models.UniqueConstraint(fields=["space", "key"], name="place_key")]
        indexes = [
            models.Index(fields=["space", "name"], name="place_name"),
            models.Index(fields=["home"], name="place_home", condition=Q(home__isnull=False)),
            models.Index(fields=["id"], name="place_unsettled", condition=Q(unsettled=True)),
        ]


AnyName = Player | Event | Place
NAMED: Final[Mapping[NameKind, type[AnyName]]] = {"player": Player, "event": Event, "place": Place}
"""The tables of names. A table of games by name (`archive.models.games`) belongs to each."""
