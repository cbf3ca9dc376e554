"""The pages of libraries: one's own and one's groups, joining, sharing, publishing, and what is asked of."""

from collections.abc import Collection, Iterable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from archive import libraries
from archive.accounts.roles import may_upload
from archive.intake import tasks
from archive.libraries import ACTIONS, ActionResult, LibraryError
from archive.models import Game, Share, Space, Upload, User
from archive.project.site_address import public
from archive.queries.games.filters import GameFilters
from archive.queries.games.listing import latest_games
from archive.queries.games.taken_down import game_shown, upload_shown
from archive.queries.scope import (
    CHOSEN,
    FOLLOWED,
    Scope,
    UnknownScopeError,
    chosen_name,
    hash_of,
    readable_spaces,
    reads,
    reads_game,
    scope_by_names,
)
from archive.web.accounts.invited import may_register
from archive.web.pages import joining
from archive.web.pages.way_back import way_back
from kifu_core.classes import PUBLIC

_LATEST: int = 20
"""Games that a group's page shows."""
_LINKS: int = 50
"""Links to shared games that a session keeps."""


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """Show one's own library and one's groups; POST makes a group."""
    user = _user(request)
    if request.method == "POST":
        try:
            made = libraries.make_group(user, request.POST.get("name", ""))
        except LibraryError as error:
            messages.error(request, error.text)
            return redirect("libraries")
        return redirect("library", made.pk)
    shown = [
        {"space": space, "name": called, "scope": name, "games": _games(space)}
        for space, name, called in libraries.targets(user)[1:]
    ]
    context = {
        "mine": shown[0],
        "groups": shown[1:],
        "section": "libraries",
        "most": libraries.GROUP_NAME_LENGTH,
    }
    return render(request, "archive/libraries.html", context)


def _games(space: int) -> int:
    return Game.objects.filter(space=space).count()


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def group(request: HttpRequest, space: int) -> HttpResponse:
    """Show a group to its members; POST asks somebody in, makes an owner, or lets a member go."""
    user = _user(request)
    if f"group-{space}" not in readable_spaces(request):
        raise Http404
    found = Space.objects.get(pk=space)
    if request.method == "POST":
        return _change_group(request, user, found)
    members = found.memberships.select_related("user").order_by("-owner", "user__username")
    context = {
        "group": found,
        "members": members,
        "owns": libraries.owns(user, space),
        "games": _games(space),
        "latest": latest_games(Scope((space,)), GameFilters(), _LATEST),
        "invitations": libraries.open_invitations(found),
        "most": libraries.GROUP_NAME_LENGTH,
        "scope": f"group-{space}",
        "section": "libraries",
    }
    return render(request, "archive/library.html", context)


def _change_group(request: HttpRequest, user: User, found: Space) -> HttpResponse:
    number = _number(request.POST.get("member", ""))
    try:
        match request.POST.get("action"):
            case "invite" | "invite-several" as action:
                people = 1 if action == "invite" else libraries.MEMBERS
                key = libraries.invite(user, found, people=people)
                address = public(request.build_absolute_uri(reverse("join", args=[key])))
                messages.success(request, address, extra_tags=action)
            case "end-invitations":
                libraries.end_invitations(user, found)
                messages.success(request, _("The open links lead nowhere any more."))
            case "rename":
                libraries.rename(user, found, request.POST.get("name", ""))
                messages.success(request, _("The group has its new name."))
            case "promote":
                libraries.promote(user, found, number)
                messages.success(request, _("The group has one more owner."))
            case "demote":
                libraries.demote(user, found, number)
                messages.success(request, _("That person is an ordinary member now."))
            case "dismiss":
                libraries.dismiss(user, found, number)
                if number == user.pk:
                    text = _("You have left the group %(name)s.") % {"name": found.name}
                    messages.success(request, text)
                    return redirect("libraries")
                messages.success(request, _("That person is no longer a member."))
    except LibraryError as error:
        messages.error(request, error.text)
    return redirect("library", found.pk)


def _number(text: str) -> int:
    """Return the id that a form names; 0, which nothing has, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, key: str) -> HttpResponse:
    """Ask whether one wants to be a member of a group; POST makes one, of a stranger after signing in."""
    try:
        invitation = libraries.invitation_of(key)
        if request.method == "POST" and not request.user.is_authenticated:
            joining.keep(request, key)
            return redirect("account_signup" if request.POST.get("action") == "sign-up" else "sign-in")
        if request.method == "POST":
            joined = libraries.join(_user(request), key)
            messages.success(request, _("You are a member of this group now."))
            return redirect("library", joined.pk)
    except LibraryError as error:
        messages.error(request, error.text)
        return redirect("libraries")
    if not invitation.owner and libraries.is_member(request.user, invitation.space):
        return redirect("library", invitation.space_id)
    context = {"invitation": invitation, "section": "libraries"}
    return render(request, "archive/join.html", context | {"may_register": may_register(request)})


@never_cache
@require_safe
def shared(request: HttpRequest, key: str) -> HttpResponse:
    """Lead to the game that a link shares; the session keeps that it followed the link."""
    share = Share.objects.filter(key=hash_of(key)).first()
    if share is None:
        raise Http404
    followed = [one for one in request.session.get(FOLLOWED, []) if one != share.key]
    request.session[FOLLOWED] = [*followed, share.key][-_LINKS:]
    return redirect("game", share.game_id)


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Keep in the session which spaces lists and counts are asked of."""
    name = request.POST.get(CHOSEN, "")
    try:
        scope_by_names(name, readable_spaces(request))
    except UnknownScopeError:
        raise Http404 from None
    request.session[CHOSEN] = name
    return redirect(way_back(request))


def scopes_of(request: HttpRequest) -> list[tuple[str, str, bool]]:
    """Return what one can choose to ask of: names as addresses have them, what they are called, and which is
    chosen. There is nothing to choose where one reads nothing but the public space."""
    readable = readable_spaces(request)
    if len(readable) == 1:
        return []
    called = libraries.space_names(readable.values())
    chosen = chosen_name(request)
    chosen = chosen if chosen in readable else "all"
    ordered = sorted(readable.items(), key=lambda one: (one[0].startswith("group-"), called[one[1]]))
    return [
        ("all", _("Everything"), chosen == "all"),
        *((name, called[space], name == chosen) for name, space in ordered),
    ]


def scope_told(request: HttpRequest) -> dict[str, str]:
    """Return what lists and counts are asked of where that is not all that one reads: what it is called, and
    the address of the same page without its own choice. Return nothing where all is asked."""
    readable = readable_spaces(request)
    if len(readable) == 1:
        return {}
    names = request.GET.get(CHOSEN, chosen_name(request)).split(",")
    if not set(names) <= readable.keys():
        return {}
    called = libraries.space_names(readable[name] for name in names)
    query = request.GET.copy()
    query.pop(CHOSEN, None)
    address = f"{request.path}?{query.urlencode()}" if query else request.path
    return {"name": " + ".join(called[readable[name]] for name in names), "next": address}


def private_names(request: HttpRequest, spaces: Collection[int]) -> dict[int, str]:
    """Return what those of the spaces are called that not everybody reads. The names are looked up only where
    there are any."""
    private = {*spaces} - {PUBLIC}
    if not private:
        return {}
    known: dict[int, str] = request.__dict__.setdefault("_private_names", {})
    if private - known.keys():
        called = libraries.space_names(space for space in private if reads(request, space))
        known |= {space: called.get(space, _("Shared with you")) for space in private}
    return {space: known[space] for space in private}


# --- games -----------------------------------------------------------------------------------------------


def library_of(request: HttpRequest, game: Game) -> dict[str, Any] | None:
    """Return what a game's page tells of the library that it lies in, and what one can do; None where that is
    nothing at all."""
    user = request.user
    if not isinstance(user, User):
        return None if game.space == PUBLIC else _shared()
    if game.space == PUBLIC:
        back, given = libraries.may_take_back(user, game), libraries.may_give_back(user, game)
        return {"take_back": back, "give_back": given} if back or given else None
    if not reads(request, game.space):
        return _shared()
    found: dict[str, Any] = {"name": libraries.space_names([game.space])[game.space]}
    if libraries.may_publish(user, game) or libraries.may_share(user, game):
        found["publish"] = libraries.may_publish(user, game)
        found["share"] = libraries.may_share(user, game)
        found["shares"] = list(game.shares.select_related("user").order_by("user__username"))
        found["linked"] = any(share.user_id is None for share in found["shares"])
    return found


def _shared() -> dict[str, Any]:
    return {"name": _("Shared with you"), "shared": True}


@require_POST
def of_game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Publish a game, take it back, share it, or end that."""
    game = game_shown(request, game_id, record=False)
    if game is None or not reads_game(request, game):
        raise Http404
    action = request.POST.get("action", "")
    if action not in ACTIONS:
        raise Http404
    name, share = request.POST.get("name", "").strip(), _number(request.POST.get("share", ""))
    try:
        result = libraries.perform(action, _user(request), game, name=name, share=share)
    except LibraryError as error:
        messages.error(request, error.text)
        return redirect("game", game_id)
    _confirm(request, action, name, result)
    return redirect("games") if result.game_id is None else redirect("game", result.game_id)


_CONFIRMATIONS: dict[str, str | Promise] = {
    "publish": gettext_lazy("The game is public now."),
    "take-back": gettext_lazy("The game is in your own library now. Copies that others added stay public."),
    "give-back": gettext_lazy("The game was moved to the libraries of those who added it."),
    "share": gettext_lazy("%(name)s can read this game now."),
    "unshare": gettext_lazy("This is no longer shared."),
}
"""Messages after an action; after `link` the message is the link itself."""


def _confirm(request: HttpRequest, action: str, name: str, result: ActionResult) -> None:
    if result.key:
        address = public(request.build_absolute_uri(reverse("shared", args=[result.key])))
        messages.success(request, address, extra_tags="game-link")
        return
    messages.success(request, str(_CONFIRMATIONS[action]) % {"name": name})


# --- uploads ---------------------------------------------------------------------------------------------


def targets_of(request: HttpRequest) -> list[tuple[int, str, str]]:
    """Return where an account can send games (`archive.libraries.targets`)."""
    return libraries.targets(request.user) if isinstance(request.user, User) else []


def moves_of(request: HttpRequest, upload: Upload, targets: Iterable[tuple[int, str, str]]) -> dict[str, Any]:
    """Return whether an upload's games are being moved, and to which of the targets they could be."""
    mine = request.user.is_authenticated and upload.uploader_id == request.user.pk
    movable = mine and upload.state == Upload.State.DONE
    left_out = {upload.space} if may_upload(request.user) else {upload.space, PUBLIC}
    return {
        "moving": upload.moving_to is not None,
        "move_to": [one for one in targets if one[0] not in left_out] if movable else [],
    }


@require_POST
def move_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Begin to move all games of an upload to another space."""
    upload = upload_shown(request, upload_id)
    try:
        to = libraries.target(_user(request), request.POST.get("space", ""))
        if libraries.move_upload(_user(request), upload, to):
            tasks.send_move(upload.pk)
            messages.success(request, _("The games are being moved."))
        else:
            messages.info(request, _("The games are there already."))
    except LibraryError as error:
        messages.error(request, error.text)
    return redirect(way_back(request)) if "next" in request.POST else redirect("upload-detail", upload_id)
