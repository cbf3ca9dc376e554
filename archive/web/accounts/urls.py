"""The addresses of accounts. Names that begin with `account_`, `mfa_` or `usersessions_` are
django-allauth's."""

from __future__ import annotations

from allauth.account import views
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as app
from django.contrib.auth.decorators import login_not_required
from django.urls import path, re_path

from archive.accounts.invitations import PAGE
from archive.http.routes import declare, route
from archive.web.accounts import devices, hooks, invitations, leaving, pages, passkeys, tokens

_sign_in = declare(views.login, cost=1)
_RESET = "account/password/reset/"
_CODES = "account/second-factor/codes/"
_PASSKEYS = "account/second-factor/passkeys/"

urlpatterns = [
    path("sign-in/", _sign_in, name="sign-in"),
    path("sign-in/", _sign_in, name="account_login"),
    route("sign-in/code/", second_factor.authenticate, "mfa_authenticate", cost=1),
    route("sign-in/passkey/", passkeys.sign_in, "mfa_login_webauthn", cost=1),
    path("sign-out/", pages.SignOutView.as_view(), name="sign-out"),
    route("sign-up/", pages.SignUpView.as_view(), "account_signup", cost=1),
    route(f"{PAGE}<str:key>/", invitations.come, "invitation", cost=1),
    route("account/", pages.account, "account", cost=1),
    route("account/inactive/", views.account_inactive, "account_inactive", cost=1),
    route("account/reauthenticate/", views.reauthenticate, "account_reauthenticate", cost=1),
    route("account/reauthenticate/code/", second_factor.reauthenticate, "mfa_reauthenticate", cost=1),
    route("account/reauthenticate/passkey/", passkeys.reauthenticate, "mfa_reauthenticate_webauthn", cost=1),
    route("account/email/", pages.EmailsView.as_view(), "account_email", cost=1),
    route("account/email/sent/", views.email_verification_sent, "account_email_verification_sent", cost=1),
    route("account/email/confirm/<str:key>/", views.confirm_email, "account_confirm_email", cost=1),
    route("account/password/", views.password_change, "account_change_password", cost=1),
    route("account/password/set/", views.password_set, "account_set_password", cost=1),
    route(_RESET, views.password_reset, "account_reset_password", cost=1),
    route(f"{_RESET}sent/", views.password_reset_done, "account_reset_password_done", cost=1),
    route(
        f"{_RESET}done/", views.password_reset_from_key_done, "account_reset_password_from_key_done", cost=1
    ),
    re_path(
        f"^{_RESET}(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        declare(views.password_reset_from_key, cost=1),
        name="account_reset_password_from_key",
    ),
    route("account/second-factor/", second_factor.index, "mfa_index", cost=1),
    route("account/second-factor/app/", app.activate_totp, "mfa_activate_totp", cost=1),
    route("account/second-factor/app/remove/", app.deactivate_totp, "mfa_deactivate_totp", cost=1),
    route(_CODES, recovery_codes.view_recovery_codes, "mfa_view_recovery_codes", cost=1),
    route(f"{_CODES}new/", recovery_codes.generate_recovery_codes, "mfa_generate_recovery_codes", cost=1),
    route(f"{_PASSKEYS}new/", passkeys.add, "mfa_add_webauthn", cost=1),
    route(f"{_PASSKEYS}<int:passkey_id>/rename/", passkeys.rename, "mfa_edit_webauthn", cost=1),
    route(f"{_PASSKEYS}<int:passkey_id>/remove/", passkeys.remove, "mfa_remove_webauthn", cost=1),
    route("account/sessions/", pages.SessionsView.as_view(), "usersessions_list", cost=1),
    route("account/tokens/", tokens.tokens, "tokens", cost=1),
    route("account/tokens/<int:token_id>/revoke/", tokens.revoke, "token-revoke", cost=1),
    route("device/", devices.device, "device", cost=1),
    route("oauth/device", login_not_required(devices.authorize), "device-authorization", cost=20),
    route("oauth/token", login_not_required(devices.token), "device-token", cost=1),
    route("account/hooks/", hooks.hooks, "hooks", cost=5),
    route("account/hooks/<int:hook_id>/remove/", hooks.remove, "hook-remove", cost=1),
    route("account/hooks/<int:hook_id>/test/", hooks.test, "hook-test", cost=20),
    route("account/hooks/<int:hook_id>/enable/", hooks.enable, "hook-enable", cost=5),
    route("account/invitations/", invitations.invitations, "invitations", cost=1),
    route(
        "account/invitations/<int:invitation_id>/withdraw/",
        invitations.withdraw,
        "invitation-withdraw",
        cost=1,
    ),
    route("account/export/", leaving.export, "account-export", cost=20),
    route("account/delete/", leaving.delete, "account-delete", cost=5),
]
