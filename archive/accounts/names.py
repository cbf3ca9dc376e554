"""Names of accounts, and the search for an account by name or confirmed mail address."""

from __future__ import annotations

from typing import Final

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models.functions import Length
from django.utils.translation import gettext_lazy as _

from archive.models import User
from archive.names.name_scripts import check_script, skeleton

MAX_ADDRESS: Final = 254
"""Characters of a mail address (RFC 5321, 4.5.3.1, with its erratum)."""


def normal_name(name: str) -> str:
    """Return a name in NFKC, as new accounts have it."""
    return str(User.normalize_username(name))


def check_new_name(name: str, user: User | None = None) -> None:
    """Raise ValidationError for a normalized name with forbidden characters, or one that looks like the name
    of another account."""
    check_script(name)
    same_length = User.objects.alias(length=Length("username")).filter(length=len(name))
    others = same_length.exclude(pk=user.pk) if user and user.pk else same_length
    if skeleton(name) in map(skeleton, others.values_list("username", flat=True)):
        raise ValidationError(_("This name is taken."), code="username_taken")


def normal_address(address: str) -> str:
    """Return a mail address in lower case, with its domain in ASCII. Raises ValidationError for an invalid
    one."""
    local, _at, domain = address.rpartition("@")
    try:
        normal = f"{local}@{domain.encode('idna').decode('ascii')}".lower()
    except UnicodeError:
        normal = ""
    # IDNA maps full-width forms to @ and blanks, so the result is validated.
    validate_email(normal)
    if len(normal) > MAX_ADDRESS:
        raise ValidationError(validate_email.message, code=validate_email.code)
    return normal


def account_of(text: str) -> User | None:
    """Return the account, active or not, with a confirmed address, else with exactly this name, else with its
    normalized form."""
    # PostgreSQL refuses to search for a NUL; no name has one.
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
    addresses = EmailAddress.objects.filter(email__in={normal, address.lower()}, verified=True)
    verified = addresses.select_related("user").first()
    return verified.user if verified else None
