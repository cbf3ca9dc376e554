"""Publish games of a library, and take public games back into libraries. `archive.store` moves the games."""

from collections.abc import Collection

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from archive import store
from archive.accounts.audit import note
from archive.accounts.roles import may_curate, may_upload
from archive.libraries.errors import LibraryError
from archive.libraries.sharing import manages, sent_uploads
from archive.libraries.spaces import own_library, owns, upload_targets
from archive.models import AuditEvent, Game, Upload, User
from kifu_core.classes import PUBLIC


def may_publish(user: User | AnonymousUser, game: Game) -> bool:
    """Return whether a user may publish a game: an owner of its library or a member who sent it, whose
    account may also send games to the public archive."""
    return may_upload(user) and manages(user, game)


def may_take_back(user: User | AnonymousUser, game: Game) -> bool:
    """Return whether a user sent a public game, and so may move it into the own library."""
    return game.space == PUBLIC and user.is_authenticated and bool(sent_uploads(user, game))


def may_give_back(user: User | AnonymousUser, game: Game) -> bool:
    """Return whether a user may move a public game into the libraries of its senders: a curator, if a sender
    has an account."""
    return game.space == PUBLIC and may_curate(user) and _senders(game).exists()


def publish(user: User, game: Game) -> int:
    """Make a game of a library public. Return its new id, which may be that of an equal public game.

    Owners publish the complete game, other members only the editions from their own uploads. A public game
    that this user sent stays unchanged, so a client may repeat a request whose answer was lost. Raises
    LibraryError.
    """
    if may_upload(user) and may_take_back(user, game):
        return game.pk
    if not may_publish(user, game):
        raise LibraryError("not-yours")
    new_id = _move(game, PUBLIC, None if owns(user, game.space) else sent_uploads(user, game))
    note(AuditEvent.PUBLISH, user, f"game {game.pk}, now {new_id}")
    return new_id


def take_back(user: User, game: Game) -> int:
    """Move a user's editions of a public game into the user's own library; return its id there. Editions from
    other senders stay public. Raises LibraryError."""
    if not may_take_back(user, game):
        raise LibraryError("not-yours")
    new_id = _move(game, own_library(user).pk, sent_uploads(user, game))
    note(AuditEvent.TAKE_BACK, user, f"game {game.pk}, now {new_id}")
    return new_id


def give_back(user: User, game: Game) -> int:
    """Move a public game into the libraries of its senders, as a curator; return the number of senders.
    Editions that came without an account stay public. Raises LibraryError."""
    if not may_give_back(user, game):
        raise LibraryError("not-yours")
    senders = list(_senders(game).order_by("pk"))
    for sender in senders:
        _move(game, own_library(sender).pk, sent_uploads(sender, game))
    note(AuditEvent.TAKE_BACK, user, f"game {game.pk}, to {len(senders)} who sent it")
    return len(senders)


def _move(game: Game, space: int, uploads: Collection[int] | None) -> int:
    """Move a game, or its editions from some uploads; return the id in the new space."""
    try:
        moved = store.move_game(game.pk, space, uploads)
    except store.TakenDownError:
        raise LibraryError("taken-down") from None
    return game.pk if moved is None else moved


def move_upload(user: User, upload: Upload, to: int) -> bool:
    """Begin to move all games of a user's upload to another space that the user may send games to; return
    whether there are any to move. Raises LibraryError."""
    if upload.uploader_id != user.pk or to not in {space for space, _name, _title in upload_targets(user)}:
        raise LibraryError("not-yours")
    if to == PUBLIC and not may_upload(user):
        raise LibraryError("not-yours")
    if upload.state != Upload.State.DONE or upload.moving_to is not None:
        raise LibraryError("still-working")
    begun = store.begin_move(upload.pk, to)
    if begun:
        event = AuditEvent.PUBLISH if to == PUBLIC else AuditEvent.TAKE_BACK
        note(event, user, f"upload {upload.pk}: from space {upload.space} to {to}")
    return begun


def _senders(game: Game) -> QuerySet[User]:
    """Return the active accounts that sent a game."""
    uploads = Upload.objects.filter(entries__game=game).values("uploader")
    return User.objects.filter(pk__in=uploads, is_active=True)
