"""Hooks of accounts: made, removed, switched on and off, and told about."""

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

from archive.accounts.audit import AuditEvent, note
from archive.hooks.addresses import look_up, target_of
from archive.hooks.arrivals import last_number
from archive.hooks.errors import HookError
from archive.hooks.signing import secret_of
from archive.models import Hook, HookDelivery, User
from archive.queries.scope import UnknownScopeError, names_of, scope_named
from archive.queries.search.parsing import parse

SHOWN: Final = 20
"""Deliveries of a hook that are kept to be looked at."""


def make(user: User, address: str, query: str, scope: str, readable: Mapping[str, int]) -> tuple[Hook, str]:
    """Make a hook that tells an address of new games that a query finds in a scope; return it and its secret.

    `readable` are the spaces that whoever makes it may read, by name. What `scope` names now is meant: not
    what `all` will be later. Raises HookError, LimitReachedError, and QueryError for a
    query that is none.
    """
    if settings.ARCHIVE_HOOKS_PER_ACCOUNT == 0:
        raise HookError("hooks-off")
    parse(query)
    try:
        spaces = names_of(scope_named(scope or "public", dict(readable)), readable)
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


def own_hook(user: User, pk: int) -> Hook | None:
    """Return a hook by its id, if it is the user's."""
    return Hook.objects.filter(pk=pk, user=user).first()


def remove(user: User, pk: int) -> bool:
    """Remove one of a user's hooks and what waits for it; return whether it was there."""
    with transaction.atomic():
        found = bool(Hook.objects.filter(pk=pk, user=user).delete()[0])
        if found:
            note(AuditEvent.RIGHTS, user, f"hook {pk}: removed")
    return found


def ask_for_test(hook: Hook) -> HookDelivery:
    """Have a delivery without games sent to a hook soon. One that waits already is that."""
    waiting = hook.deliveries.filter(test=True).exclude(next_try=None).first()
    return waiting or HookDelivery.objects.create(hook=hook, test=True)


def enable(user: User, hook: Hook) -> None:
    """Switch a hook on again; what waits is sent at once, and the games that came meanwhile after it."""
    with transaction.atomic():
        if Hook.objects.filter(pk=hook.pk).exclude(disabled="").update(disabled="", failing_since=None):
            hook.deliveries.exclude(next_try=None).update(next_try=timezone.now(), tries=0)
            note(AuditEvent.RIGHTS, user, f"hook {hook.pk}: switched on")


def disable(hook: Hook, reason: str) -> None:
    """Switch a hook off, and tell whose it is."""
    with transaction.atomic():
        if not Hook.objects.filter(pk=hook.pk, disabled="").update(disabled=reason):
            return
        note(AuditEvent.RIGHTS, None, f"hook {hook.pk}: switched off, {reason}")
        transaction.on_commit(lambda: _tell(hook, reason), robust=True)


def _tell(hook: Hook, reason: str) -> None:
    """Send a mail to the account's main address, where it has one, in both languages."""
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
