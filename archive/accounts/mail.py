"""The mail backend of an archive without a mail server: it writes mails to the log, for the operator."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.core.mail.backends.base import BaseEmailBackend

if TYPE_CHECKING:
    from django.core.mail import EmailMessage

log = logging.getLogger(__name__)


class LogBackend(BaseEmailBackend):
    """Logs each line of a mail instead of sending it."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            log.warning(
                "no mail server (ARCHIVE_EMAIL_URL); to %s: %s", ", ".join(message.to), message.subject
            )
            for line in filter(None, map(str.strip, str(message.body).splitlines())):
                log.warning("  %s", line)
        return len(email_messages)
