"""Libraries: who reads which games. Makes them, lets people in and out, shares, publishes and takes back.

What is read is decided by `archive.queries.scope`; games are moved by `archive.store`. Each function is one
transaction.
"""

import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive import store
from archive.accounts.audit import Deed, note
from archive.accounts.names import account_of
from archive.accounts.roles import may_curate, may_upload
from archive.http.limits.names import naming
from archive.models import AccountInvitation, Entry, Game, Invitation, Membership, Share, Space, Upload, User
from archive.names.plain_text import JOINERS, plain
from archive.queries.scope import NOWHERE, hash_of
from kifu_core.classes import PUBLIC

GROUPS: Final = 50
"""Groups that one person can make."""
MEMBERS: Final = 500
NAME: Final = 100
"""Characters of a group's name."""
INVITATION_DAYS: Final = 14
OPEN_INVITATIONS: Final = 100
"""Of one group at a time."""
SHARES: Final = 100
"""Persons that one game is shared with."""

TEXTS: Final[dict[str, str | Promise]] = {
    "group-name": _("A group's name has 1 to %(most)s characters."),
    "too-many-groups": _("You cannot create more groups."),
    "too-many-members": _("The group cannot have more members."),
    "too-many-invitations": _("There are too many open invitations into this group."),
    "not-an-owner": _("Only owners of the group can do this."),
    "last-owner": _("Make somebody else an owner first: a group with members needs one."),
    "group-has-games": _("There are still games in this library: publish or delete them first."),
    "no-invitation": _("This invitation was used or has expired. Ask for another one."),
    "nobody": _("There is no user of this name."),
    "too-many-shares": _("The game cannot be shared with more people."),
    "not-yours": _("You can share and move only what is yours."),
    "others-sent-it": _("Others added this game, too: an owner of the group can share it."),
    "taken-down": _("This game was taken down where it would go."),
    "unknown-space": _("You cannot add games there."),
    "still-working": _("The upload is still being read or moved: try again when that is done."),
}


class LibraryError(Exception):
    """Something cannot be done; `code` is one of `TEXTS`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code

    @property
    def text(self) -> str:
        """Return what is told to the person, in the language of the page."""
        return str(TEXTS[self.code]) % {"most": NAME}


# --- people ----------------------------------------------------------------------------------------------


def own_library(user: User) -> Space:
    """Return a person's own library; it is made when it is asked for first."""
    mine = Space.objects.filter(kind=Space.Kind.PERSON, memberships__user=user)
    found = mine.first()
    if found is not None:
        return found
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        found = mine.first()
        if found is None:
            found = Space.objects.create(kind=Space.Kind.PERSON)
            Membership.objects.create(space=found, user=user, owner=True)
    return found


def make_group(user: User, name: str) -> Space:
    """Make a group, whose owner the user is. Raises LibraryError."""
    name = _group_name(name)
    mine = Membership.objects.filter(user=user, owner=True, space__kind=Space.Kind.GROUP)
    if mine.count() >= GROUPS:
        raise LibraryError("too-many-groups")
    with transaction.atomic():
        group = Space.objects.create(kind=Space.Kind.GROUP, name=name)
        Membership.objects.create(space=group, user=user, owner=True)
        note(Deed.MEMBERS, user, f"group {group.pk}: made")
    return group


def own_groups(user: User) -> QuerySet[Space]:
    """Return the groups that a person is an owner of."""
    mine = Space.objects.filter(kind=Space.Kind.GROUP, memberships__user=user, memberships__owner=True)
    return mine.order_by("name", "pk")


def rename(user: User, group: Space, name: str) -> None:
    """Call a group something else, as an owner. Raises LibraryError."""
    _check_owner(user, group)
    Space.objects.filter(pk=group.pk).update(name=_group_name(name))
    note(Deed.MEMBERS, user, f"group {group.pk}: renamed")


def _group_name(text: str) -> str:
    """Return a group's name as it is kept: others read it, so it has nothing that hides or turns text around.
    Raises LibraryError."""
    name = " ".join(plain(text).split())
    if len(name) > NAME or not name.strip(JOINERS + " "):
        raise LibraryError("group-name")
    return name


def invite(user: User, group: Space, *, owner: bool = False, people: int = 1) -> str:
    """Return the key of an invitation for so many people. Raises LibraryError."""
    _check_owner(user, group)
    now = timezone.now()
    Invitation.objects.filter(space=group, expires__lt=now).delete()
    if group.invitations.count() >= OPEN_INVITATIONS:
        raise LibraryError("too-many-invitations")
    key = secrets.token_urlsafe(24)
    until = now + timedelta(days=INVITATION_DAYS)
    Invitation.objects.create(space=group, key=hash_of(key), by=user, owner=owner, expires=until, left=people)
    whom = "an owner" if owner else "a member" if people == 1 else f"up to {people} members"
    note(Deed.MEMBERS, user, f"group {group.pk}: invited {whom}")
    return key


def open_invitations(group: Space) -> int:
    """Return how many invitations into a group nobody has used yet, those for new accounts too."""
    of_both = (group.invitations, _for_new_accounts(group))
    return sum(one.filter(expires__gte=timezone.now()).count() for one in of_both)


def _for_new_accounts(group: Space) -> QuerySet[AccountInvitation]:
    """Return the links with which people make an account and come into a group."""
    return AccountInvitation.objects.filter(group=group, used=None)


def end_invitations(user: User, group: Space) -> None:
    """End all invitations into a group that nobody has used, as an owner; links for new accounts lead into
    no group then. Raises LibraryError."""
    _check_owner(user, group)
    without_group = _for_new_accounts(group).update(group=None)
    if group.invitations.all().delete()[0] or without_group:
        note(Deed.MEMBERS, user, f"group {group.pk}: invitations ended")


def invited(key: str) -> Invitation:
    """Return the invitation of a key. Raises LibraryError where it was used or is too old."""
    found = Invitation.objects.filter(key=hash_of(key), expires__gte=timezone.now())
    invitation = found.select_related("space", "by").first()
    if invitation is None:
        raise LibraryError("no-invitation")
    return invitation


def join(user: User, key: str) -> Space:
    """Make the user a member of the group that the key invites into; the invitation is for one person fewer
    then. Who is a member already may become an owner by it. Raises LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=invited(key).space_id)
        invitation = invited(key)
        if not admit(user, group, owner=invitation.owner):
            return group
        if invitation.left > 1:
            Invitation.objects.filter(pk=invitation.pk).update(left=invitation.left - 1)
        else:
            invitation.delete()
    return group


def admit(user: User, group: Space, *, owner: bool = False) -> bool:
    """Make the user a member, or an owner, of a group; return False where they are that already. Raises
    LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=group.pk)
        member = group.memberships.filter(user=user).first()
        if member is not None and (member.owner or not owner):
            return False
        if member is None and group.memberships.count() >= MEMBERS:
            raise LibraryError("too-many-members")
        Membership.objects.update_or_create(space=group, user=user, defaults={"owner": owner})
        note(Deed.MEMBERS, user, f"group {group.pk}: joined{' as owner' if owner else ''}")
    return True


def is_member(user: User | AnonymousUser, group: Space) -> bool:
    """Tell whether a person is a member of a group."""
    return Membership.objects.filter(space=group, user=user.pk).exists()


def dismiss(user: User, group: Space, member: int) -> None:
    """Take a member, by the id of the account, out of a group: owners anybody, anybody oneself. An empty
    group is deleted. What somebody sent to the group stays there; the invitations and shares that they made
    end, and so do links for several people. Raises LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=group.pk, kind=Space.Kind.GROUP)
        if member != user.pk:
            _check_owner(user, group)
        others = group.memberships.exclude(user=member)
        if others.exists():
            if not others.filter(owner=True).exists():
                raise LibraryError("last-owner")
            group.memberships.filter(user=member).delete()
            # Who has left may know a link that is for several.
            group.invitations.filter(Q(by=member) | Q(left__gt=1)).delete()
            for_several = Q(left__gt=1) | Q(used_by__isnull=False)
            _for_new_accounts(group).filter(for_several).update(group=None)
            Share.objects.filter(game__space=group.pk, by=member).delete()
            note(Deed.MEMBERS, user, f"group {group.pk}: account {member} went")
        elif holds_anything(group):
            raise LibraryError("group-has-games")
        else:
            note(Deed.MEMBERS, user, f"group {group.pk}: deleted")
            group.delete()


def leave_all(user: User) -> None:
    """Take a person who leaves the archive out of all libraries. A group that would have no owner gets the
    member of longest standing as one; what nobody is a member of any more ends (`store.end_abandoned`)."""
    spaces = Space.objects.filter(memberships__user=user).order_by("pk")
    with transaction.atomic():
        for space in Space.objects.select_for_update().filter(pk__in=[*spaces.values_list("pk", flat=True)]):
            space.memberships.filter(user=user).delete()
            first = space.memberships.order_by("since", "pk").first()
            if first is not None and not space.memberships.filter(owner=True).exists():
                space.memberships.filter(pk=first.pk).update(owner=True)
                note(Deed.MEMBERS, user, f"group {space.pk}: account {first.user_id} is an owner")
        Invitation.objects.filter(by=user).delete()
        Share.objects.filter(Q(user=user) | Q(by=user)).delete()


def promote(user: User, group: Space, member: int) -> None:
    """Make a member an owner too. Raises LibraryError."""
    _check_owner(user, group)
    if group.memberships.filter(user=member).update(owner=True):
        note(Deed.MEMBERS, user, f"group {group.pk}: account {member} is an owner")


def demote(user: User, group: Space, member: int) -> None:
    """Make an owner a member like others, as an owner; one stays. Raises LibraryError."""
    with transaction.atomic():
        group = Space.objects.select_for_update().get(pk=group.pk)
        _check_owner(user, group)
        if not group.memberships.filter(owner=True).exclude(user=member).exists():
            raise LibraryError("last-owner")
        if group.memberships.filter(user=member, owner=True).update(owner=False):
            group.invitations.filter(by=member).delete()
            note(Deed.MEMBERS, user, f"group {group.pk}: account {member} is no owner any more")


def holds_anything(space: Space) -> bool:
    """Tell whether there are games or uploads in a library."""
    return Game.objects.filter(space=space.pk).exists() or Upload.objects.filter(space=space.pk).exists()


def owns(user: User | AnonymousUser, space: int) -> bool:
    """Tell whether a person is an owner of a space; nobody is of the public one."""
    return Membership.objects.filter(space=space, user=user.pk, owner=True).exists()


def _check_owner(user: User, group: Space) -> None:
    if group.kind != Space.Kind.GROUP or not owns(user, group.pk):
        raise LibraryError("not-an-owner")


# --- single games ----------------------------------------------------------------------------------------


def share_by_link(user: User, game: Game) -> str:
    """Return the key of a new link to a game that lies in a library of the user's. Links from before end.
    Raises LibraryError."""
    _check_sharer(user, game)
    key = secrets.token_urlsafe(24)
    with transaction.atomic():
        Game.objects.select_for_update().get(pk=game.pk)  # Two at once would leave two links.
        game.shares.filter(user=None).delete()
        Share.objects.create(game=game, key=hash_of(key), by=user)
        note(Deed.SHARE, user, f"game {game.pk}: by a link")
    return key


def share_with(user: User, game: Game, name: str) -> None:
    """Share a game of a library of the user's with the person of a user name, or of a confirmed address.
    Raises LibraryError."""
    _check_sharer(user, game)
    other = account_of(name.strip())
    if other is None or not other.is_active:
        raise LibraryError("nobody")
    if game.shares.count() >= SHARES:
        raise LibraryError("too-many-shares")
    Share.objects.get_or_create(game=game, user=other, defaults={"by": user})
    note(Deed.SHARE, user, f"game {game.pk}: with account {other.pk}")


def unshare(user: User, game: Game, share: int) -> bool:
    """End the sharing of this id; return whether there was one. Raises LibraryError."""
    if not _has_say(user, game):
        raise LibraryError("not-yours")
    ended, _of_each = game.shares.filter(pk=share).delete()
    if ended:
        note(Deed.SHARE, user, f"game {game.pk}: share {share} ended")
    return ended > 0


# --- publishing ------------------------------------------------------------------------------------------


def may_publish(user: User | AnonymousUser, game: Game) -> bool:
    """Tell whether a person may publish a game: an owner of its library, or a member who sent it; neither
    where the account may not send games to the public archive."""
    return may_upload(user) and _has_say(user, game)


def may_share(user: User | AnonymousUser, game: Game) -> bool:
    """Tell whether a person may share a game: an owner of its library, or a member who alone sent it. What is
    shared is all that the library has of it, notes of others too."""
    return _has_say(user, game) and (owns(user, game.space) or not _sent_by_others(user, game))


def _has_say(user: User | AnonymousUser, game: Game) -> bool:
    """Tell whether a person owns the library of a game, or is a member who sent it."""
    if game.space == PUBLIC or not user.is_authenticated:
        return False
    member = Membership.objects.filter(space=game.space, user=user.pk).first()
    return member is not None and (member.owner or bool(_sent(user, game)))


def may_take_back(user: User | AnonymousUser, game: Game) -> bool:
    """Tell whether a person may take a public game back into the own library: one that he sent."""
    return game.space == PUBLIC and user.is_authenticated and bool(_sent(user, game))


def publish(user: User, game: Game) -> int:
    """Make a game of a library public; return its id then, which may be that of a game that was there.

    A member who is no owner publishes what came with the own uploads; what others sent of the game stays.
    What is public already and came from this person stays as it is: so a program whose answer was lost may
    ask again. Raises LibraryError.
    """
    if may_upload(user) and may_take_back(user, game):
        return game.pk
    _check_mover(user, game)
    try:
        found = store.move_game(game.pk, PUBLIC, None if owns(user, game.space) else _sent(user, game))
    except store.TakenDownError:
        raise LibraryError("taken-down") from None
    now = game.pk if found is None else found
    note(Deed.PUBLISH, user, f"game {game.pk}, now {now}")
    return now


def take_back(user: User, game: Game) -> int:
    """Take what a person sent of a public game back into the own library; return its id there. What others
    sent of it stays. Raises LibraryError."""
    sent = _sent(user, game) if may_take_back(user, game) else set()
    if not sent:
        raise LibraryError("not-yours")
    try:
        found = store.move_game(game.pk, own_library(user).pk, sent)
    except store.TakenDownError:
        raise LibraryError("taken-down") from None
    now = game.pk if found is None else found
    note(Deed.TAKE_BACK, user, f"game {game.pk}, now {now}")
    return now


def may_give_back(user: User | AnonymousUser, game: Game) -> bool:
    """Tell whether a person may give a public game back to those who sent it: a curator, where anybody did
    who has a library."""
    return game.space == PUBLIC and may_curate(user) and _senders(game).exists()


def give_back(user: User, game: Game) -> int:
    """Take a public game back into the libraries of those who sent it, as a curator; return how many they
    are. What came without an account stays public. Raises LibraryError."""
    if not may_give_back(user, game):
        raise LibraryError("not-yours")
    senders = list(_senders(game).order_by("pk"))
    for sender in senders:
        try:
            store.move_game(game.pk, own_library(sender).pk, _sent(sender, game))
        except store.TakenDownError:
            raise LibraryError("taken-down") from None
    note(Deed.TAKE_BACK, user, f"game {game.pk}, to {len(senders)} who sent it")
    return len(senders)


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a deed: the id that the game has then, None where it is not where it was any more; the
    key of a link that was made; and whether there was what should end."""

    game: int | None
    key: str = ""
    found: bool = True


@dataclass(frozen=True, slots=True)
class Asked:
    """What a deed is done with: whom to share with, by the user name, and the number of a share."""

    name: str = ""
    share: int = 0


def _give_back(user: User, game: Game, _asked: Asked) -> Done:
    give_back(user, game)
    return Done(game.pk if Game.objects.filter(pk=game.pk, space=PUBLIC).exists() else None)


def _share(user: User, game: Game, asked: Asked) -> Done:
    with naming(user, asked.name):
        share_with(user, game, asked.name)
    return Done(game.pk)


DEEDS: Final[dict[str, Callable[[User, Game, Asked], Done]]] = {
    "publish": lambda user, game, _asked: Done(publish(user, game)),
    "take-back": lambda user, game, _asked: Done(take_back(user, game)),
    "give-back": _give_back,
    "link": lambda user, game, _asked: Done(game.pk, key=share_by_link(user, game)),
    "share": _share,
    "unshare": lambda user, game, asked: Done(game.pk, found=unshare(user, game, asked.share)),
}
"""What can be done with one game, by its name for forms and programs. Each raises LibraryError, and sharing
LimitReachedError after too many names of nobody's."""


def move_upload(user: User, upload: Upload, to: int) -> bool:
    """Begin to move all that came in an upload of the user's to another space that he may send to; return
    whether there is something to do. Raises LibraryError."""
    if upload.uploader_id != user.pk or to not in {space for space, _name, _called in targets(user)}:
        raise LibraryError("not-yours")
    if to == PUBLIC and not may_upload(user):
        raise LibraryError("not-yours")
    if upload.state != Upload.State.DONE or upload.moving_to is not None:
        raise LibraryError("still-working")
    begun = store.begin_move(upload.pk, to)
    if begun:
        deed = Deed.PUBLISH if to == PUBLIC else Deed.TAKE_BACK
        note(deed, user, f"upload {upload.pk}: from space {upload.space} to {to}")
    return begun


def targets(user: User) -> list[tuple[int, str, str]]:
    """Return the spaces that a person can send games to: the public one, the own library, groups; each with
    its name in addresses and what it is called."""
    groups = Space.objects.filter(kind=Space.Kind.GROUP, memberships__user=user).order_by("name", "pk")
    own = own_library(user)
    return [
        (PUBLIC, "public", str(_("Public"))),
        (own.pk, "mine", str(_("My library"))),
        *((group.pk, f"group-{group.pk}", group.name) for group in groups),
    ]


def target(user: User | AnonymousUser, name: str) -> int:
    """Return the space that somebody means to send games to: `public`, `mine` or `group-` and its number.

    Raises LibraryError.
    """
    if name in ("", "public"):
        return PUBLIC
    if isinstance(user, User):
        if name == "mine":
            return own_library(user).pk
        for space, known, _called in targets(user)[2:]:
            if name == known:
                return space
    raise LibraryError("unknown-space")


def called(spaces: Iterable[int]) -> dict[int, str]:
    """Return what spaces are called on pages of somebody who reads them."""
    found = Space.objects.filter(pk__in=set(spaces))
    names = {one.pk: one.name or str(_("My library")) for one in found}
    return {PUBLIC: str(_("Public")), NOWHERE: str(_("My library"))} | names


def _sent(user: User | AnonymousUser, game: Game) -> Collection[int]:
    """Return the uploads of a person's in which a game came."""
    entries = Entry.objects.filter(game=game, upload__uploader=user.pk)
    return set(entries.values_list("upload", flat=True))


def _sent_by_others(user: User | AnonymousUser, game: Game) -> bool:
    return Entry.objects.filter(game=game).exclude(upload__uploader=user.pk).exists()


def _senders(game: Game) -> QuerySet[User]:
    """Return those with an account, still, who sent a game."""
    uploads = Upload.objects.filter(entries__game=game).values("uploader")
    return User.objects.filter(pk__in=uploads, is_active=True)


def _check_mover(user: User, game: Game) -> None:
    if not may_publish(user, game):
        raise LibraryError("not-yours")


def _check_sharer(user: User, game: Game) -> None:
    if not may_share(user, game):
        raise LibraryError("not-yours" if not _has_say(user, game) else "others-sent-it")
