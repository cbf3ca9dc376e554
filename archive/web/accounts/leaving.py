"""Export and deletion of an account."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.crypto import get_random_string
from django.utils.translation import gettext_lazy as _

from archive import libraries, store
from archive.accounts import invitations
from archive.accounts.audit import note
from archive.accounts.roles import is_administrator, role_of
from archive.intake.tasks import MOVED_GAMES
from archive.intake.uploads import withdraw_later
from archive.models import (
    AccountInvitation,
    AuditEvent,
    Collection,
    Draft,
    Follow,
    Hook,
    Membership,
    OwnName,
    PositionNote,
    Repertoire,
    Report,
    Share,
    Space,
    Token,
    TrainingCard,
    Upload,
    User,
    codec,
)
from archive.web.accounts.own import own
from archive.web.accounts.passkeys import passkeys_of
from kifu_core.classes import PUBLIC
from kifu_core.games import SHOGI

_ENDED: Final = "deleted:"
"""Prefix of the names of deleted accounts, which nobody can choose."""


_OF_CARDS: Final = (
    "kind", "code", "key", "move", "accepted", "game", "ply", "suspended", "due", "introduced", "state",
    "step", "stability", "difficulty", "last_review", "reviews", "lapses",
)  # fmt: skip


class DeleteForm(forms.Form):
    """Whether the uploaded games are deleted too, and the name as a confirmation."""

    games = forms.ChoiceField(
        label=_("Games you added to the public archive"),
        choices=[
            ("stay", _("keep them, without your name")),
            ("go", _("delete them, unless others added them, too")),
        ],
        widget=forms.RadioSelect,
        initial="stay",
    )
    name = forms.CharField(label=_("Your user name, to confirm"), max_length=150)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)
        self.user = user

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.user.get_username():
            raise ValidationError(_("This is not the name of this account."))
        return str(self.cleaned_data["name"])


@own("GET", "HEAD", proof="to see")
def export(request: HttpRequest, user: User) -> HttpResponse:
    """Send all data about an account as JSON."""
    answer = JsonResponse(account_data(user), json_dumps_params={"ensure_ascii": False, "indent": 2})
    answer.headers["Content-Disposition"] = 'attachment; filename="kifu-archive-account.json"'
    return answer


def account_data(user: User) -> dict[str, Any]:
    """Return all data about an account; of secrets only that they exist."""
    role, sent = role_of(user), Upload.objects.filter(uploader=user).order_by("pk")
    return {
        "name": user.get_username(),
        "first_name": user.first_name,
        "last_name": user.last_name,
        "role": role.value if role else None,
        "joined": user.date_joined,
        "last_sign_in": user.last_login,
        "email_addresses": [*EmailAddress.objects.filter(user=user).values("email", "verified", "primary")],
        "second_factor": is_mfa_enabled(user),
        "passkeys": [
            {"name": str(passkey), "made": passkey.created_at, "last_used": passkey.last_used_at}
            for passkey in passkeys_of(user)
        ],
        "sessions": [*UserSession.objects.filter(user=user).values("created_at", "ip", "user_agent")],
        "tokens": [
            *Token.objects.filter(user=user).values("name", "scopes", "created", "expires", "last_used")
        ],
        "hooks": [
            *Hook.objects.filter(user=user).values("id", "address", "query", "scope", "made", "disabled")
        ],
        "drafts": [
            {"id": draft.pk, "changed": draft.changed, "record": codec.unpack(draft.record)}
            for draft in Draft.objects.filter(user=user).order_by("pk")
        ],
        "follows": [
            *Follow.objects.filter(user=user).values(
                "kind", "target", "game", "code", "search", "title", "scope", "made"
            )
        ],
        "own_names": [*OwnName.objects.filter(user=user).values("player", "site", name=F("player__name"))],
        "position_notes": [
            *PositionNote.objects.filter(author=user).values(
                "game", "code", "text", "changed", library=F("space__name")
            )
        ],
        "new_cards": user.new_cards,
        "repertoires": [
            {
                "title": one.title,
                "side": SHOGI.rules.sides[one.color],
                "made": one.made,
                "moves": [*one.moves.order_by("pk").values("code", "key", "move")],
            }
            for one in Repertoire.objects.filter(user=user).order_by("pk")
        ],
        "training_cards": [*TrainingCard.objects.filter(user=user).order_by("pk").values(*_OF_CARDS)],
        "invitations": [
            *AccountInvitation.objects.filter(made_by=user).values("note", "role", "made", "expires", "used")
        ],
        "libraries": [
            *Membership.objects.filter(user=user).values(
                "owner", "since", kind=F("space__kind"), name=F("space__name")
            )
        ],
        "collections": [
            *Collection.objects.filter(space__memberships__user=user, space__kind=Space.Kind.PERSON).values(
                "id", "title", "description", "visibility", "created"
            )
        ],
        "shared_with_you": [*Share.objects.filter(user=user).values("game", "made")],
        "shared_by_you": [*Share.objects.filter(by=user).values("game", "made", name=F("user__username"))],
        "reports": [*Report.objects.filter(by=user).values("game", "collection", "reason", "text", "made")],
        "uploads": [*sent.values("id", "name", "size", "sha256", "received", "state", way=F("source"))],
    }


@own("GET", "HEAD", "POST", proof="to change")
def delete(request: HttpRequest, user: User) -> HttpResponse:
    """Show the form that deletes an account; a POST deletes it. The last administrator cannot be deleted."""
    last = is_administrator(user) and not others_administer(user)
    form = DeleteForm(user, request.POST if request.method == "POST" else None)
    if form.is_valid() and not last:
        end_account(user, games_go=form.cleaned_data["games"] == "go")
        logout(request)
        return render(request, "account/deleted.html")
    context = {"form": form, "last": last, "uploads": Upload.objects.filter(uploader=user).count()}
    return render(request, "account/delete.html", context)


def others_administer(user: User) -> bool:
    """Return whether the archive has an active administrator other than this user."""
    return User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists()


def end_account(user: User, by: User | None = None, *, games_go: bool = False) -> bool:
    """Delete an account and all personal data; with `games_go` also its uploads to the public archive.

    `by` is the acting administrator, if not the user. Return False for an account that is deleted already.
    Uploads that stay refer to an anonymized row; without uploads the row is deleted too.
    """
    if user.username.startswith(_ENDED):
        return False
    with transaction.atomic():
        note(AuditEvent.DELETE, by or user, f"account {user.pk}")
        sent = Upload.objects.filter(uploader=user).order_by("pk")
        ids = [*sent.filter(space__in=_readable(user)).values_list("pk", flat=True)] if games_go else []
        libraries.leave_all(user)
        invitations.withdraw_all_of(user)
        transaction.on_commit(partial(store.end_abandoned, MOVED_GAMES), robust=True)
        if not sent.exists():
            user.delete()
            return True
        for model in (
            EmailAddress,
            UserSession,
            Token,
            Hook,
            Draft,
            Follow,
            OwnName,
            Repertoire,
            TrainingCard,
        ):
            model.objects.filter(user=user).delete()
        PositionNote.objects.filter(author=user).delete()
        Report.objects.filter(by=user).update(by=None)
        user.authenticator_set.all().delete()  # type: ignore[attr-defined]  # of allauth.mfa
        _erase(user)
        withdraw_later(ids)
    return True


def _readable(user: User) -> list[int]:
    """Return the public space and the user's own: uploads to groups stay there."""
    personal = Membership.objects.filter(user=user, space__kind=Space.Kind.PERSON)
    return [PUBLIC, *personal.values_list("space", flat=True)]


def _erase(user: User) -> None:
    """Anonymize the row of an account and make signing in impossible."""
    fresh = User(username=f"{_ENDED}{get_random_string(20)}", is_active=False, role=User.Role.READER)
    fresh.set_unusable_password()
    fresh.pk, fresh.date_joined = user.pk, user.date_joined
    user.groups.clear()
    user.user_permissions.clear()
    fresh.save(force_update=True)
