"""Share single games of a library, by a link or with a user."""

import secrets
from collections.abc import Collection
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from archive.accounts.audit import note
from archive.accounts.names import account_of
from archive.libraries.errors import LibraryError
from archive.libraries.spaces import owns
from archive.models import AuditEvent, Entry, Game, Membership, Share, User
from archive.queries.scope import hash_of
from kifu_core.classes import PUBLIC

SHARES: Final = 100
"""Shares of one game."""


def may_share(user: User | AnonymousUser, game: Game) -> bool:
    """Return whether a user may share a game: an owner of its library, or a member who is its only sender. A
    share shows the complete game, with notes of other members."""
    return manages(user, game) and (owns(user, game.space) or not _sent_by_others(user, game))


def manages(user: User | AnonymousUser, game: Game) -> bool:
    """Return whether a user owns the library of a game, or is a member who sent it."""
    if game.space == PUBLIC or not user.is_authenticated:
        return False
    member = Membership.objects.filter(space=game.space, user=user.pk).first()
    return member is not None and (member.owner or bool(sent_uploads(user, game)))


def sent_uploads(user: User | AnonymousUser, game: Game) -> Collection[int]:
    """Return the ids of the user's uploads that contain a game."""
    entries = Entry.objects.filter(game=game, upload__uploader=user.pk)
    return set(entries.values_list("upload", flat=True))


def _sent_by_others(user: User | AnonymousUser, game: Game) -> bool:
    return Entry.objects.filter(game=game).exclude(upload__uploader=user.pk).exists()


def share_by_link(user: User, game: Game) -> str:
    """Return the key of a new link to a game; the earlier link ends. Raises LibraryError."""
    _check_sharer(user, game)
    key = secrets.token_urlsafe(24)
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=game.pk)  # Two at once would leave two links.
        game.shares.filter(user=None).delete()
        Share.objects.create(game=game, key=hash_of(key), by=user)
        note(AuditEvent.SHARE, user, f"game {game.pk}: by a link")
    return key


def share_with(user: User, game: Game, name: str) -> None:
    """Share a game with the account of a user name or confirmed mail address. Raises LibraryError."""
    _check_sharer(user, game)
    other = account_of(name.strip())
    if other is None or not other.is_active:
        raise LibraryError("nobody")
    if game.shares.count() >= SHARES:
        raise LibraryError("too-many-shares")
    Share.objects.get_or_create(game=game, user=other, defaults={"by": user})
    note(AuditEvent.SHARE, user, f"game {game.pk}: with account {other.pk}")


def unshare(user: User, game: Game, share: int) -> bool:
    """End a share; return whether the game had it. Raises LibraryError."""
    if not manages(user, game):
        raise LibraryError("not-yours")
    ended, _of_each = game.shares.filter(pk=share).delete()
    if ended:
        note(AuditEvent.SHARE, user, f"game {game.pk}: share {share} ended")
    return ended > 0


def _check_sharer(user: User, game: Game) -> None:
    if not may_share(user, game):
        raise LibraryError("not-yours" if not manages(user, game) else "others-sent-it")
