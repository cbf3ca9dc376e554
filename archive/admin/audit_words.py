"""Translation of lines of the audit log, which are stored in fixed English forms."""

from __future__ import annotations

import re
from typing import Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from archive.accounts.roles import Role
from archive.models import CorrectionEvent

_LINES: Final = (
    _("group {n}: made"),
    _("group {n}: renamed"),
    _("group {n}: deleted"),
    _("group {n}: joined"),
    _("group {n}: joined as owner"),
    _("group {n}: invited a member"),
    _("group {n}: invited an owner"),
    _("group {n}: invited up to {people} members"),
    _("group {n}: invitations ended"),
    _("group {n}: account {account} went"),
    _("group {n}: account {account} is an owner"),
    _("group {n}: account {account} is no owner any more"),
    _("game {n}: by a link"),
    _("game {n}: with account {account}"),
    _("game {n}: share {share} ended"),
    _("game {n}, now {now} ({reason})"),
    _("game {n}, now {now}"),
    _("game {n}, to {people} who sent it"),
    _("game {n}, correction {correction}: {event}, {values}"),
    _("player {n}, correction {correction}: {event}, {values}"),
    _("event {n}, correction {correction}: {event}, {values}"),
    _("place {n}, correction {correction}: {event}, {values}"),
    _("bench: {kind} {n} is put off"),
    _("bench: {kind} {n} is fine"),
    _("bench: report {n} is settled"),
    _("bench: {kind} {n} is open again"),
    _("authority table of {n} names"),
    _("collection {n}: {shown}"),
    _("collection {n}, {visibility}"),
    _("game {n}, bytes hidden"),
    _("game {n}, bytes hidden: {players}"),
    _("game {n}: {players}"),
    _("game {n}"),
    _("upload {n}: from space {space} to {to}"),
    _("upload {n}: what failed"),
    _("upload {n}: {players}"),
    _("upload {n}"),
    _("upload {n}, entry {entry}: hidden"),
    _("upload {n}, entry {entry}: shown"),
    _("upload {n}, entry {entry}"),
    _("{n} uploads, by the command"),
    _("{n} files of the watched folder"),
    _("invitation {n}: made, {role}"),
    _("invitation {n}: used, {role}"),
    _("invitation {n}: withdrawn"),
    _("account {n}: {role}, on"),
    _("account {n}: {role}, off"),
    _("account {n}: no second factor any more"),
    _("account {n}"),
    _("hook {n}: made, to {host}, of {spaces}"),
    _("hook {n}: removed"),
    _("hook {n}: switched on"),
    _("hook {n}: switched off, {reason}"),
    _("token {n}: made, {scopes}"),
    _("token {n}: revoked"),
    _("request {n}: game {game}"),
    _("request {n}: search"),
    _("request {n}: cancelled"),
    _("volunteer {n}: disabled, {verdicts} verdicts removed"),
    _(
        "to space {space}, complete: {files} files ({known} known before, {refused} refused), "
        "{entries} entries: {added} games stored, {same} known games, {failed} failed{rest}"
    ),
    _(
        "to space {space}, broken off: {files} files ({known} known before, {refused} refused), "
        "{entries} entries: {added} games stored, {same} known games, {failed} failed{rest}"
    ),
    _("made"),
    _("password set"),
    _("password changed"),
    _("password reset"),
    _("address added"),
    _("main address changed"),
    _("address removed"),
    _("second factor"),
    _("second factor added"),
    _("second factor removed"),
    _("recovery codes made anew"),
)
"""The forms of lines of `archive.accounts.audit.note`, specific ones first."""

_FREE: Final = frozenset({"players", "host", "spaces", "reason", "scopes", "rest", "values"})


def _pattern(line: str) -> re.Pattern[str]:
    """Return the pattern of the lines of a form."""
    parts = re.split(r"\{(\w+)\}", line)
    parts[::2] = map(re.escape, parts[::2])
    parts[1::2] = [f"(?P<{name}>{'.*' if name in _FREE else '[a-z0-9]+'})" for name in parts[1::2]]
    return re.compile("".join(parts), re.DOTALL)


_PATTERNS: Final = tuple((_pattern(line), line) for line in _LINES)


def translated(line: str) -> str:
    """Return a line of the audit log in the active language; one of another form unchanged."""
    for pattern, form in _PATTERNS:
        if match := pattern.fullmatch(line):
            values = match.groupdict()
            if values.get("role") in Role.values:
                values["role"] = str(Role(values["role"]).label)
            if values.get("event") in CorrectionEvent.Event.values:
                values["event"] = str(CorrectionEvent.Event(values["event"]).label)
            return gettext(form).format_map(values)
    return line
