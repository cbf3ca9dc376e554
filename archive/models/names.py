"""Players and events by name, separate for each space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.translation import pgettext_lazy

from archive.names.character_forms import folded
from archive.names.kana_readings import reading
from archive.names.search_text import search_form
from kifu_core.classes import PUBLIC

if TYPE_CHECKING:
    _TextField = models.TextField[str, str]
else:
    _TextField = models.TextField


class Name(models.Model):
    """A player or event of one space; `name` is normalized (`archive.derive.headers`). Names of private
    spaces are not shown elsewhere."""

    space = models.BigIntegerField(default=PUBLIC, db_default=PUBLIC)
    name = models.TextField(pgettext_lazy("of a player or an event", "name"))

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


class OfName(_TextField):
    """A text that is computed from the row's `name` by the function `of` whenever the row is saved."""

    of: Callable[[str], str]

    def pre_save(self, model_instance: Any, add: bool) -> str:
        value = self.of(model_instance.name)
        setattr(model_instance, self.attname, value)
        return value

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Show migrations a plain text field."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.TextField", args, options


class KeyField(OfName):
    """The key that identifies a player, equal for all variants of characters
    (`archive.names.character_forms`)."""

    of = staticmethod(folded)


class ReadingField(OfName):
    """The reading by which players are sorted; empty if unknown (`archive.names.kana_readings`)."""

    of = staticmethod(reading)


class SearchedField(OfName):
    """The form in which names are searched (`archive.names.search_text`)."""

    of = staticmethod(search_form)


class Player(Name):
    """A person or program, with the name of the first record."""

    key = KeyField()
    reading = ReadingField(blank=True)
    searched = SearchedField(default="", db_default="")

    class Meta:
        verbose_name = pgettext_lazy("list", "player")
        verbose_name_plural = pgettext_lazy("list", "players")
        constraints = [
            models.UniqueConstraint(fields=["space", "key"], name="player_key"),
            models.UniqueConstraint(fields=["space", "name"], name="player_name"),
        ]
        indexes = [models.Index(fields=["space", "reading", "name"], name="player_reading")]


class Event(Name):
    """A tournament, a match, a series."""

    searched = SearchedField(default="", db_default="")

    class Meta:
        verbose_name = pgettext_lazy("list", "event")
        verbose_name_plural = pgettext_lazy("list", "events")
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="event_name")]


class PlayerAlias(Name):
    """A further normalized name of a player."""

    key = KeyField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="aliases")
    former = models.BigIntegerField(null=True, unique=True)
    """The former id of a player that was merged into this one."""
    searched = SearchedField(default="", db_default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="player_alias_name")]
        indexes = [models.Index(fields=["space", "key"], name="player_alias_key")]


class EventAlias(Name):
    """A further normalized name of an event."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="aliases")
    searched = SearchedField(default="", db_default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="event_alias_name")]
