"""Every template of django-allauth that can be seen here is ours, and nothing in ours is inline."""

from __future__ import annotations

import re
from pathlib import Path

import allauth
from django.conf import settings

from tests.cases import each

THEIRS = Path(allauth.__file__).parent / "templates"
OURS = Path(settings.BASE_DIR) / "archive" / "templates"

NOT_SEEN = {
    r"socialaccount/.*|openid/.*": "no other site signs anybody in",
    r"idp/.*": "this site signs nobody in elsewhere",
    r"allauth/.*": "building blocks of their pages, all of which are ours",
    r"mfa/webauthn/authenticator_list.html": "passkeys are listed on the page of the second factor",
    r"mfa/webauthn/snippets/.*|mfa/webauthn/base.html": "parts of pages that are ours",
    r"mfa/webauthn/signup_form.html|account/signup_by_passkey.html": "nobody registers by passkey",
    r"mfa/trust.html": "no browser goes without the second factor",
    r"mfa/base_.*|mfa/recovery_codes/base.html|mfa/totp/base.html": "bases of pages that are ours",
    r"usersessions/base_manage.html": "a base of a page that is ours",
    r"account/base_(confirm_code|manage_email|manage_password|manage_phone|reauthenticate).html": "bases",
    r"account/(confirm_.*_code|request_login_code|phone_change).html": "no codes by mail or telephone",
    r"account/(email|messages)/(login_code|password_reset_code|phone_).*": "no codes by mail or telephone",
    r"account/email_change.html": "an account may have several addresses",
    r"account/logout.html": "signing out is a button on every page",
    r"account/snippets/.*": "parts of pages that are ours",
    r"mfa/recovery_codes/download.txt": "codes are shown once, on a page",
}
"""Templates that no visitor sees, and why."""


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_every_template_that_can_be_seen_is_ours():
    left = names(THEIRS) - names(OURS)
    assert [name for name in sorted(left) if not any(re.fullmatch(mark, name) for mark in NOT_SEEN)] == []


@each("mark", NOT_SEEN)
def test_reasons_are_of_templates_that_are_there(mark):
    assert any(re.fullmatch(mark, name) for name in names(THEIRS) - names(OURS))


@each(
    "path",
    sorted(OURS.glob("account/**/*.html")) + sorted(OURS.glob("mfa/**/*.html")),
    ids=lambda path: path.name,
)
def test_nothing_in_them_is_inline(path):
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=|javascript:", path.read_text(encoding="utf-8"))
