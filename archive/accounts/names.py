"""How accounts are named, and found by what somebody types: a name, or a confirmed address of mail."""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models.functions import Length
from django.utils.translation import gettext_lazy as _

from archive.models import User
from archive.names.name_scripts import check_script, skeleton

LONGEST_ADDRESS: Final = 254
"""Characters of an address of mail (RFC 5321, 4.5.3.1, as corrected)."""


def normal_name(name: str) -> str:
    """Return the name in the form (NFKC) in which new accounts have it, as Django's own forms do."""
    return str(User.normalize_username(name))


def check_new_name(name: str, user: User | None = None) -> None:
    """Raise ValidationError for a name, in its normal form, that no account may take: one that is written
    wrongly, or looks like that of another one."""
    check_script(name)
    same_length = User.objects.alias(length=Length("username")).filter(length=len(name))
    others = same_length.exclude(pk=user.pk) if user and user.pk else same_length
    if skeleton(name) in map(skeleton, others.values_list("username", flat=True)):
        raise ValidationError(_("This name is taken."), code="username_taken")


def normal_address(address: str) -> str:
    """Return an address of mail with its domain in ASCII, in small letters: one mailbox has one address here.

    Raises ValidationError for one that no mail can be sent to.
    """
    local, _at, domain = address.rpartition("@")
    try:
        normal = f"{local}@{domain.encode('idna').decode('ascii')}".lower()
    except UnicodeError:
        normal = ""
    # Letters that stand for @ or for a blank become these.
    validate_email(normal)
    if len(normal) > LONGEST_ADDRESS:
        raise ValidationError(validate_email.message, code=validate_email.code)
    return normal


def account_of(text: str) -> User | None:
    """Return the account that somebody means who types an address or a name, also one that is switched off.

    Whose confirmed address it is comes first, then who is called so to the letter, then by the normal form.
    """
    # No name has a NUL, which PostgreSQL refuses to look for.
    if "\0" in text:
        return None
    normal = normal_name(text)
    if "@" in normal and (owner := _owner_of(normal)) is not None:
        return owner
    return User.objects.filter(username=text).first() or User.objects.filter(username=normal).first()


def _owner_of(address: str) -> User | None:
    try:
        normal = normal_address(address)
    except ValidationError:
        return None
    found = EmailAddress.objects.filter(email__in={normal, address.lower()}, verified=True)
    owner = found.select_related("user").first()
    return owner.user if owner else None
