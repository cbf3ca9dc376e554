"""Limits on mails that visitors request: by their address, and by mailbox."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from archive.http.limits.addresses import client_address, client_network
from archive.http.limits.counting import counter, key_of
from archive.http.limits.rules import MAILS
from archive.http.limits.throttling import LimitReachedError

_SHARE = 4
"""The limit of a mailbox is this fraction of that of an address."""


def charge_mail(request: HttpRequest, mailbox: str) -> None:
    """Count a mail, whether or not the mailbox has an account, so that a refusal does not reveal that. Raises
    LimitReachedError."""
    quota = MAILS.quota
    if not settings.ARCHIVE_THROTTLE or not quota:
        return
    sender = key_of(MAILS.name, "address", client_network(client_address(request)))
    receiver = key_of(MAILS.name, "mailbox", mailbox.casefold())
    for key, limit in ((sender, quota), (receiver, max(1, quota // _SHARE))):
        count = counter().add(key, 1, MAILS.seconds)
        if count.total > limit:
            text = _("Too many mails were requested. Try again in %(seconds)s seconds.")
            raise LimitReachedError(count.seconds, text)
