"""The addresses of accounts. What begins with `account_`, `mfa_` and `usersessions_` are names of
django-allauth."""

from __future__ import annotations

from allauth.account import views
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as app
from django.urls import path, re_path

from archive.accounts.invitations import PAGE
from archive.http.limits.rules import costs
from archive.web.accounts import hooks, invitations, leaving, pages, passkeys, tokens

_sign_in = costs(1, views.login)
_RESET = "account/password/reset/"
_CODES = "account/second-factor/codes/"
_PASSKEYS = "account/second-factor/passkeys/"

urlpatterns = [
    path("sign-in/", _sign_in, name="sign-in"),
    path("sign-in/", _sign_in, name="account_login"),
    path("sign-in/code/", costs(1, second_factor.authenticate), name="mfa_authenticate"),
    path("sign-in/passkey/", costs(1, passkeys.sign_in), name="mfa_login_webauthn"),
    path("sign-out/", pages.SignOut.as_view(), name="sign-out"),
    path("sign-up/", costs(1, pages.SignUp.as_view()), name="account_signup"),
    path(f"{PAGE}<str:key>/", costs(1, invitations.come), name="invitation"),
    path("account/", costs(1, pages.account), name="account"),
    path("account/inactive/", costs(1, views.account_inactive), name="account_inactive"),
    path("account/reauthenticate/", costs(1, views.reauthenticate), name="account_reauthenticate"),
    path("account/reauthenticate/code/", costs(1, second_factor.reauthenticate), name="mfa_reauthenticate"),
    path(
        "account/reauthenticate/passkey/",
        costs(1, passkeys.reauthenticate),
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/email/", costs(1, pages.Mails.as_view()), name="account_email"),
    path(
        "account/email/sent/", costs(1, views.email_verification_sent), name="account_email_verification_sent"
    ),
    path("account/email/confirm/<str:key>/", costs(1, views.confirm_email), name="account_confirm_email"),
    path("account/password/", costs(1, views.password_change), name="account_change_password"),
    path("account/password/set/", costs(1, views.password_set), name="account_set_password"),
    path(_RESET, costs(1, views.password_reset), name="account_reset_password"),
    path(f"{_RESET}sent/", costs(1, views.password_reset_done), name="account_reset_password_done"),
    path(
        f"{_RESET}done/",
        costs(1, views.password_reset_from_key_done),
        name="account_reset_password_from_key_done",
    ),
    re_path(
        f"^{_RESET}(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        costs(1, views.password_reset_from_key),
        name="account_reset_password_from_key",
    ),
    path("account/second-factor/", costs(1, second_factor.index), name="mfa_index"),
    path("account/second-factor/app/", costs(1, app.activate_totp), name="mfa_activate_totp"),
    path("account/second-factor/app/remove/", costs(1, app.deactivate_totp), name="mfa_deactivate_totp"),
    path(_CODES, costs(1, recovery_codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        f"{_CODES}new/", costs(1, recovery_codes.generate_recovery_codes), name="mfa_generate_recovery_codes"
    ),
    path(f"{_PASSKEYS}new/", costs(1, passkeys.add), name="mfa_add_webauthn"),
    path(f"{_PASSKEYS}<int:passkey_id>/rename/", costs(1, passkeys.rename), name="mfa_edit_webauthn"),
    path(f"{_PASSKEYS}<int:passkey_id>/remove/", costs(1, passkeys.remove), name="mfa_remove_webauthn"),
    path("account/sessions/", costs(1, pages.Sessions.as_view()), name="usersessions_list"),
    path("account/tokens/", costs(1, tokens.tokens), name="tokens"),
    path("account/tokens/<int:token_id>/revoke/", costs(1, tokens.revoke), name="token-revoke"),
    path("account/hooks/", costs(5, hooks.hooks), name="hooks"),
    path("account/hooks/<int:hook_id>/remove/", costs(1, hooks.remove), name="hook-remove"),
    path("account/hooks/<int:hook_id>/test/", costs(20, hooks.test), name="hook-test"),
    path("account/hooks/<int:hook_id>/enable/", costs(5, hooks.enable), name="hook-enable"),
    path("account/invitations/", costs(1, invitations.invitations), name="invitations"),
    path(
        "account/invitations/<int:invitation_id>/withdraw/",
        costs(1, invitations.withdraw),
        name="invitation-withdraw",
    ),
    path("account/export/", costs(20, leaving.export), name="account-export"),
    path("account/delete/", costs(5, leaving.delete), name="account-delete"),
]
