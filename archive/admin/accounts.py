"""Accounts and their roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from allauth.account import admin as their_accounts
from allauth.account.models import EmailAddress
from allauth.mfa import admin as their_second_factors
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions import admin as their_sessions
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from archive.accounts.audit import note
from archive.accounts.names import check_new_name
from archive.accounts.roles import Role, is_administrator, set_role
from archive.models import AuditEvent, User
from archive.names.name_scripts import CHARACTERS
from archive.web.accounts.leaving import end_account, others_administer

if TYPE_CHECKING:
    _UserAdmin = UserAdmin[User]
    _UserForm = UserChangeForm[User]
    _NewUserForm = AdminUserCreationForm[User]
    _ModelForm = forms.ModelForm[User]
else:
    # They are no generic classes at run time.
    _UserAdmin, _UserForm, _NewUserForm = UserAdmin, UserChangeForm, AdminUserCreationForm
    _ModelForm = forms.ModelForm


# Importing allauth's admin registers its models, which only their users may change. Django's groups are not
# the groups that have libraries; roles give rights.
for model in (
    their_second_factors.Authenticator,
    their_accounts.EmailAddress,
    their_sessions.UserSession,
    Group,
):
    admin.site.unregister(model)


class _NameForm(_ModelForm):
    """Validates a changed name; an unchanged one may break the current rules."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "username" in self.fields:
            self.fields["username"].help_text = CHARACTERS

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"])
        if name != self.initial.get("username"):
            check_new_name(name, self.instance)
        return name


class NewAccountForm(_NameForm, _NewUserForm):
    pass


class AccountForm(_NameForm, _UserForm):
    """Keeps at least one administrator."""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        stays = self.cleaned_data.get("is_active", True)
        role = self.cleaned_data.get("role", self.instance.role)
        was = self.instance.pk is not None and is_administrator(User.objects.get(pk=self.instance.pk))
        if was and not (stays and role == Role.ADMINISTRATOR) and not others_administer(self.instance):
            raise forms.ValidationError(
                _("This is the only administrator: give somebody else that role first.")
            )
        return cleaned


@admin.register(User)
class AccountAdmin(_UserAdmin):
    """Accounts and their roles, for administrators only."""

    form = AccountForm
    add_form = NewAccountForm
    list_display = ("username", "role", "is_active", "last_login", "date_joined")
    list_filter = ("role", "is_active")
    search_fields = ("username", "emailaddress__email")
    filter_horizontal = ("groups", "user_permissions")
    readonly_fields = ("last_login", "date_joined", "second_factor", "addresses")
    actions = ("take_second_factor", "end_accounts")
    fieldsets = (
        (None, {"fields": ("username", "password", "role", "is_active")}),
        (_("What is known"), {"fields": ("addresses", "second_factor", "last_login", "date_joined")}),
        (
            _("Single rights beside the role"),
            {"classes": ("collapse",), "fields": ("groups", "user_permissions")},
        ),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "role", "password1", "password2")}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False  # the action below also deletes what belongs to an account

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        set_role(obj, Role(obj.role))
        on = "on" if obj.is_active else "off"
        note(AuditEvent.RIGHTS, request.user, f"account {obj.pk}: {obj.role}, {on}")

    @admin.display(description=_("second factor"), boolean=True)
    def second_factor(self, user: User) -> bool:
        return bool(is_mfa_enabled(user))

    @admin.display(description=_("e-mail addresses"))
    def addresses(self, user: User) -> str:
        return ", ".join(EmailAddress.objects.filter(user=user).values_list("email", flat=True)) or "-"

    @admin.action(description=_("Take the second factor away"), permissions=["change"])
    def take_second_factor(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        held = Authenticator.objects.filter(user__in=queryset)
        users = held.values("user").distinct().count()
        held.delete()
        for user in queryset:
            note(AuditEvent.RIGHTS, request.user, f"account {user.pk}: no second factor any more")
        text = ngettext("%(n)d account has none now.", "%(n)d accounts have none now.", users)
        self.message_user(request, text % {"n": users})

    @admin.action(description=_("Delete the accounts; the games they added stay"), permissions=["change"])
    def end_accounts(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        by = request.user if isinstance(request.user, User) else None
        ended = [user for user in queryset.exclude(pk=request.user.pk or 0) if end_account(user, by)]
        text = ngettext("%(n)d account is deleted.", "%(n)d accounts are deleted.", len(ended))
        self.message_user(request, text % {"n": len(ended)})
