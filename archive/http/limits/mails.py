"""Mails that visitors cause to be sent: so many from one address, and fewer to one mailbox."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive.http.limits.addresses import client_address, neighbourhood
from archive.http.limits.counting import counter, key_of
from archive.http.limits.rules import MAILS
from archive.http.limits.throttling import LimitReachedError

_SHARE = 4
"""One mailbox gets a fourth of what one address may cause."""


def charge_mail(request: HttpRequest, mailbox: str) -> None:
    """Count a mail before it is known whether there is an account. Raises LimitReachedError.

    Whether a mailbox is somebody's makes no difference, so that a refusal tells nothing of it.
    """
    quota = MAILS.quota
    if not settings.ARCHIVE_THROTTLE or not quota:
        return
    sender = key_of(MAILS.name, "address", neighbourhood(client_address(request)))
    receiver = key_of(MAILS.name, "mailbox", mailbox.casefold())
    for key, most in ((sender, quota), (receiver, max(1, quota // _SHARE))):
        count = counter().add(key, 1, MAILS.seconds)
        if count.total > most:
            text = _("Too many mails were requested. Try again in %(seconds)s seconds.")
            raise LimitReachedError(count.seconds, text)
