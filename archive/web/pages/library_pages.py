"""The pages of libraries and groups: members, invitations, sharing, publishing, and the selected scope."""

from collections.abc import Iterable
from typing import Any, Final

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
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
from archive.models import Collection, Game, Share, Space, Upload, User
from archive.project.site_address import public_address
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
from archive.web.forms import parse_number
from archive.web.pages import joining
from archive.web.pages.way_back import way_back
from kifu_core.classes import PUBLIC

_LATEST: Final = 20
"""Games on a group's page."""
_LINKS: Final = 50
"""Links to shared games and collections that a session remembers."""


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # login_required
    return request.user


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def own(request: HttpRequest) -> HttpResponse:
    """Show the visitor's library and groups; POST creates a group."""
    user = _user(request)
    if request.method == "POST":
        try:
            group = libraries.create_group(user, request.POST.get("name", ""))
        except LibraryError as error:
            messages.error(request, error.text)
            return redirect("libraries")
        return redirect("library", group.pk)
    shown = [
        {"space": space, "name": title, "scope": name, "games": _games(space)}
        for space, name, title in libraries.upload_targets(user)[1:]
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
    """Show a group to its members; POST changes invitations, members or its name."""
    user = _user(request)
    if f"group-{space}" not in readable_spaces(request):
        raise Http404
    group = Space.objects.get(pk=space)
    if request.method == "POST":
        return _change_group(request, user, group)
    context = {
        "group": group,
        "members": libraries.members(group),
        "owns": libraries.owns(user, space),
        "games": _games(space),
        "latest": latest_games(Scope((space,)), GameFilters(), _LATEST),
        "invitations": libraries.open_invitations(group),
        "most": libraries.GROUP_NAME_LENGTH,
        "scope": f"group-{space}",
        "section": "libraries",
    }
    return render(request, "archive/library.html", context)


def _change_group(request: HttpRequest, user: User, group: Space) -> HttpResponse:
    number = parse_number(request.POST.get("member", "")) or 0
    try:
        match request.POST.get("action"):
            case "invite" | "invite-several" as action:
                people = 1 if action == "invite" else libraries.MEMBERS
                key = libraries.invite(user, group, people=people)
                address = public_address(request.build_absolute_uri(reverse("join", args=[key])))
                messages.success(request, address, extra_tags=action)
            case "end-invitations":
                libraries.end_invitations(user, group)
                messages.success(request, _("The open links lead nowhere any more."))
            case "rename":
                libraries.rename(user, group, request.POST.get("name", ""))
                messages.success(request, _("The group has its new name."))
            case "promote":
                libraries.promote(user, group, number)
                messages.success(request, _("The group has one more owner."))
            case "demote":
                libraries.demote(user, group, number)
                messages.success(request, _("That person is an ordinary member now."))
            case "dismiss":
                libraries.dismiss(user, group, number)
                if number == user.pk:
                    text = _("You have left the group %(name)s.") % {"name": group.name}
                    messages.success(request, text)
                    return redirect("libraries")
                messages.success(request, _("That person is no longer a member."))
    except LibraryError as error:
        messages.error(request, error.text)
    return redirect("library", group.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, key: str) -> HttpResponse:
    """Ask whether to join a group; POST joins, after signing in if necessary."""
    try:
        invitation = libraries.invitation_of(key)
        if request.method == "POST" and not request.user.is_authenticated:
            joining.remember(request, key)
            return redirect("account_signup" if request.POST.get("action") == "sign-up" else "sign-in")
        if request.method == "POST":
            group = libraries.join(_user(request), key)
            messages.success(request, _("You are a member of this group now."))
            return redirect("library", group.pk)
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
    """Redirect to the game or the collection of a link, which the session remembers as a permission to read
    it."""
    hashed = hash_of(key)
    if share := Share.objects.filter(key=hashed).first():
        target = redirect("game", share.game_id)
    else:
        target = redirect("collection", get_object_or_404(Collection, key=hashed).pk)
    followed = [one for one in request.session.get(FOLLOWED, []) if one != hashed]
    request.session[FOLLOWED] = [*followed, hashed][-_LINKS:]
    return target


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Store in the session the scope of lists and counts."""
    name = request.POST.get(CHOSEN, "")
    try:
        scope_by_names(name, readable_spaces(request))
    except UnknownScopeError:
        raise Http404 from None
    request.session[CHOSEN] = name
    return redirect(way_back(request))


def scopes_of(request: HttpRequest) -> list[tuple[str, str, bool]]:
    """Return parameter and title of each scope that the visitor can select, and whether it is selected; empty
    if they can read the public space only."""
    readable = readable_spaces(request)
    if len(readable) == 1:
        return []
    titles = libraries.space_names(readable.values())
    chosen = chosen_name(request)
    chosen = chosen if chosen in readable else "all"
    ordered = sorted(readable.items(), key=lambda one: (one[0].startswith("group-"), titles[one[1]]))
    return [
        ("all", _("Everything"), chosen == "all"),
        *((name, titles[space], name == chosen) for name, space in ordered),
    ]


def selected_scope_of(request: HttpRequest) -> dict[str, str]:
    """Return the title of the selected scope, and the address of the page without a scope; empty if
    everything is selected."""
    readable = readable_spaces(request)
    if len(readable) == 1:
        return {}
    names = request.GET.get(CHOSEN, chosen_name(request)).split(",")
    if not set(names) <= readable.keys():
        return {}
    titles = libraries.space_names(readable[name] for name in names)
    query = request.GET.copy()
    query.pop(CHOSEN, None)
    address = f"{request.path}?{query.urlencode()}" if query else request.path
    return {"name": " + ".join(titles[readable[name]] for name in names), "next": address}


def private_names(request: HttpRequest, spaces: Iterable[int]) -> dict[int, str]:
    """Return the names of the non-public ones among spaces, by id; cached in the request."""
    private = {*spaces} - {PUBLIC}
    if not private:
        return {}
    names: dict[int, str] = request.__dict__.setdefault("_private_names", {})
    if private - names.keys():
        titles = libraries.space_names(space for space in private if reads(request, space))
        names |= {space: titles.get(space, _("Shared with you")) for space in private}
    return {space: names[space] for space in private}


# --- games -----------------------------------------------------------------------------------------------


def library_of(request: HttpRequest, game: Game) -> dict[str, Any] | None:
    """Return the library of a game with the actions that the visitor may perform; None if there is
    neither."""
    user = request.user
    if not isinstance(user, User):
        return None if game.space == PUBLIC else _shared()
    if game.space == PUBLIC:
        take_back, give_back = libraries.may_take_back(user, game), libraries.may_give_back(user, game)
        return {"take_back": take_back, "give_back": give_back} if take_back or give_back else None
    if not reads(request, game.space):
        return _shared()
    context: dict[str, Any] = {"name": libraries.space_names([game.space])[game.space]}
    if libraries.may_publish(user, game) or libraries.may_share(user, game):
        context["publish"] = libraries.may_publish(user, game)
        context["share"] = libraries.may_share(user, game)
        context["shares"] = list(game.shares.select_related("user").order_by("user__username"))
        context["linked"] = any(share.user_id is None for share in context["shares"])
    return context


def _shared() -> dict[str, Any]:
    return {"name": _("Shared with you"), "shared": True}


@require_POST
def of_game(request: HttpRequest, game_id: int) -> HttpResponse:
    """Publish a game, take it back, share it, or stop sharing it."""
    game = game_shown(request, game_id, record=False)
    if game is None or not reads_game(request, game):
        raise Http404
    action = request.POST.get("action", "")
    if action not in ACTIONS:
        raise Http404
    name, share = request.POST.get("name", "").strip(), parse_number(request.POST.get("share", "")) or 0
    try:
        result = libraries.perform(action, _user(request), game, name=name, share=share)
    except LibraryError as error:
        messages.error(request, error.text)
        return redirect("game", game_id)
    _confirm(request, action, name, result)
    return redirect("games") if result.game_id is None else redirect("game", result.game_id)


_CONFIRMATIONS: Final[dict[str, str | Promise]] = {
    "publish": gettext_lazy("The game is public now."),
    "take-back": gettext_lazy("The game is in your own library now. Copies that others added stay public."),
    "give-back": gettext_lazy("The game was moved to the libraries of those who added it."),
    "share": gettext_lazy("%(name)s can read this game now."),
    "unshare": gettext_lazy("This is no longer shared."),
}
"""Messages after actions, except `link`, whose message is the link."""


def _confirm(request: HttpRequest, action: str, name: str, result: ActionResult) -> None:
    if result.key:
        address = public_address(request.build_absolute_uri(reverse("shared", args=[result.key])))
        messages.success(request, address, extra_tags="game-link")
        return
    messages.success(request, str(_CONFIRMATIONS[action]) % {"name": name})


# --- uploads ---------------------------------------------------------------------------------------------


def targets_of(request: HttpRequest) -> list[tuple[int, str, str]]:
    """Return the spaces to which an account can upload (`archive.libraries.upload_targets`)."""
    return libraries.upload_targets(request.user) if isinstance(request.user, User) else []


def moves_of(request: HttpRequest, upload: Upload, targets: Iterable[tuple[int, str, str]]) -> dict[str, Any]:
    """Return whether an upload's games are being moved, and the targets to which they can be moved."""
    mine = request.user.is_authenticated and upload.uploader_id == request.user.pk
    movable = mine and upload.state == Upload.State.DONE
    left_out = {upload.space} if may_upload(request.user) else {upload.space, PUBLIC}
    return {
        "moving": upload.moving_to is not None,
        "move_to": [one for one in targets if one[0] not in left_out] if movable else [],
    }


@require_POST
def move_upload(request: HttpRequest, upload_id: int) -> HttpResponse:
    """Start moving all games of an upload to another space."""
    upload = upload_shown(request, upload_id)
    try:
        to = libraries.target_space(_user(request), request.POST.get("space", ""))
        if libraries.move_upload(_user(request), upload, to):
            tasks.send_move(upload.pk)
            messages.success(request, _("The games are being moved."))
        else:
            messages.info(request, _("The games are there already."))
    except LibraryError as error:
        messages.error(request, error.text)
    return redirect(way_back(request)) if "next" in request.POST else redirect("upload-detail", upload_id)
