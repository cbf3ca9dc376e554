"""Hooks of accounts: making and removing them, switching them on and off."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Final

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from archive.accounts.audit import note
from archive.hooks.addresses import look_up, target_of
from archive.hooks.arrivals import last_number
from archive.hooks.errors import HookError
from archive.hooks.signing import secret_of
from archive.models import AuditEvent, Hook, HookDelivery, User
from archive.queries.scope import UnknownScopeError, names_of, scope_by_names
from archive.queries.search.parsing import parse

LISTED_DELIVERIES: Final = 20
"""Finished deliveries of a hook that stay stored, for lists of them."""


def make_hook(
    user: User, address: str, query: str, scope: str, readable: Mapping[str, int]
) -> tuple[Hook, str]:
    """Make a hook that sends new games matching a query to an address; return it and its secret.

    `readable` are the spaces that the user may read, by name. `all` in `scope` stands for those of now, not
    for later ones. Raises HookError, LimitReachedError, and QueryError for an invalid query.
    """
    if settings.ARCHIVE_HOOKS_PER_ACCOUNT == 0:
        raise HookError("hooks-off")
    parse(query)
    try:
        spaces = names_of(scope_by_names(scope or "public", dict(readable)), readable)
    except UnknownScopeError as error:
        raise HookError("unknown-hook-scope", readable) from error
    target = target_of(address)
    look_up(target, user.pk)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if Hook.objects.filter(user=user).count() >= settings.ARCHIVE_HOOKS_PER_ACCOUNT:
            raise HookError("too-many-hooks")
        salt = secrets.token_hex(16)
        hook = Hook.objects.create(
            user=user, address=address, query=query.strip(), scope=spaces, salt=salt, marker=last_number()
        )
        note(AuditEvent.RIGHTS, user, f"hook {hook.pk}: made, to {target.authority}, of {spaces}")
    return hook, secret_of(salt)


def remove_hook(user: User, pk: int) -> bool:
    """Remove one of a user's hooks and its deliveries; return whether it existed."""
    with transaction.atomic():
        removed = bool(Hook.objects.filter(pk=pk, user=user).delete()[0])
        if removed:
            note(AuditEvent.RIGHTS, user, f"hook {pk}: removed")
    return removed


def request_test(hook: Hook) -> HookDelivery:
    """Return a delivery without games that will be sent soon; there is at most one."""
    waiting = hook.deliveries.filter(test=True).exclude(next_try=None).first()
    return waiting or HookDelivery.objects.create(hook=hook, test=True)


def enable_hook(user: User, hook: Hook) -> None:
    """Switch a hook on again. Its waiting delivery is sent at once, then the games that arrived meanwhile."""
    with transaction.atomic():
        if Hook.objects.filter(pk=hook.pk).exclude(disabled="").update(disabled="", failing_since=None):
            hook.deliveries.exclude(next_try=None).update(next_try=timezone.now(), tries=0)
            note(AuditEvent.RIGHTS, user, f"hook {hook.pk}: switched on")


def disable_hook(hook: Hook, reason: str) -> None:
    """Switch a hook off, and notify its owner."""
    with transaction.atomic():
        if not Hook.objects.filter(pk=hook.pk, disabled="").update(disabled=reason):
            return
        note(AuditEvent.RIGHTS, None, f"hook {hook.pk}: switched off, {reason}")
        transaction.on_commit(lambda: _send_mail(hook, reason), robust=True)


def _send_mail(hook: Hook, reason: str) -> None:
    address = EmailAddress.objects.filter(user=hook.user_id, verified=True).order_by("-primary").first()
    if address is None or not hook.user.is_active:
        return
    texts, subjects = [], []
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            subjects.append(_("A webhook was switched off"))
            words = {"address": hook.address, "reason": Hook.Off(reason).label}
            texts.append(
                _("The webhook to %(address)s was switched off: %(reason)s. Your account has a list of them.")
                % words
            )
    send_mail(" / ".join(subjects), "\n\n".join(texts), None, [address.email])
