"""System checks: settings that are valid one by one and contradict each other."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.checks import check_admin_app
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from archive.http.limits.counting import store_name
from archive.index import citus
from archive.project import env
from archive.project.queues import MAINTENANCE

SETTINGS: Final = "settings"
"""The tag of checks that commands run first (`archive.management.command`)."""

FOLDERS: Final = "folders"
"""The tag of checks for processes that write dumps and columns, or read the watched folder."""

FORWARDED = "archive.http.limits.addresses.ForwardedHeaders"


@register(Tags.security, SETTINGS)
def settings_agree(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Report settings that together make an archive unsafe or unreachable."""
    return [*_proxies(), *_public(), *_throttles()]


@register(SETTINGS)
def settings_are_known(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Report environment variables named like settings that are none: one of them may be misspelt."""
    warnings = list[CheckMessage]()
    for name, similar in env.unknown():
        hint = f"; is {similar} meant?" if similar else ""
        warnings.append(Warning(f"{name} is none of the archive's settings{hint}", id="archive.W007"))
    return warnings


@register(FOLDERS)
def folders_can_be_used(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Report folders of the settings that this user cannot use."""
    if MAINTENANCE not in settings.WORKER_QUEUES:
        return []
    return [*_output_folders(), *_watched_folder()]


@register(Tags.admin)
def admin_pages_are_sound(app_configs: Any, **kwargs: Any) -> Sequence[CheckMessage]:
    """Run Django's checks of the admin's pages, after loading them."""
    admin.autodiscover()
    return check_admin_app(app_configs, **kwargs)


@register(Tags.database)
def replicas_agree(app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any) -> list[Error]:
    """Report replicas of an archive that is distributed by Citus: they are not read."""
    if not (databases and settings.ARCHIVE_REPLICA_URLS and citus.is_distributed()):
        return []
    return [
        Error(
            "ARCHIVE_REPLICA_URLS names replicas, and the archive is spread over servers by Citus",
            hint="a standby of the coordinator would ask nodes that know more than it does: name none",
            id="archive.E005",
        )
    ]


@register(Tags.database)
def transactions_are_recovered(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[Error]:
    """Report a database role without the right to recover transactions, which a distributed archive needs."""
    if not (databases and citus.is_distributed()):
        return []
    with connection.cursor() as cursor:
        if citus.may_recover(cursor):
            return []
    return [
        Error(
            "the archive is spread by Citus, and its role may not recover transactions",
            hint=citus.GRANT,
            id="archive.E006",
        )
    ]


def _output_folders() -> Iterator[CheckMessage]:
    dumps = ["ARCHIVE_DUMP_FOLDER"] if settings.ARCHIVE_DUMP_DAYS else []
    for name in ["ARCHIVE_COLUMN_FOLDER", *dumps]:
        try:
            env.folder(getattr(settings, name), name)
        except ImproperlyConfigured as error:
            yield Error(str(error), id="archive.E007")


def _watched_folder() -> Iterator[CheckMessage]:
    folder = settings.WATCH_DIR
    if folder and not (Path(folder).is_dir() and os.access(folder, os.R_OK | os.X_OK)):
        yield Error(
            f"ARCHIVE_WATCH_DIR: {folder} is not a folder that this user can read",
            hint="make it, or have workers without it serve other queues only (ARCHIVE_WORKER_QUEUES)",
            id="archive.E008",
        )


def _proxies() -> Iterator[CheckMessage]:
    if settings.TRUSTED_PROXIES and settings.MIDDLEWARE[:1] != [FORWARDED]:
        yield Error(
            "forwarded headers are believed, but not taken away first where they do not count",
            hint=f"{FORWARDED} must be the first of MIDDLEWARE",
            id="archive.E001",
        )
    if any(network.prefixlen == 0 for network in settings.TRUSTED_PROXIES):
        yield Warning(
            "ARCHIVE_TRUSTED_PROXIES trusts every address: visitors choose whom they are counted as",
            hint="name the addresses of the proxies alone",
            id="archive.W001",
        )


def _public() -> Iterator[CheckMessage]:
    public = settings.PUBLIC_URL
    if public is None:
        return
    away = not env.is_loopback(public.host)
    if public.secure and not (settings.SESSION_COOKIE_SECURE and settings.CSRF_COOKIE_SECURE):
        yield Error("ARCHIVE_PUBLIC_URL is https, but cookies are sent without it too", id="archive.E002")
    if public.secure and not settings.TRUSTED_PROXIES:
        yield Error(
            "ARCHIVE_PUBLIC_URL is https, but nobody is trusted to say that a request came that way",
            hint="name the TLS proxy in ARCHIVE_TRUSTED_PROXIES",
            id="archive.E003",
        )
    if away and settings.ARCHIVE_BASIC_AUTH and not public.secure:
        yield Warning(
            "ARCHIVE_BASIC_AUTH is on and ARCHIVE_PUBLIC_URL is not https: passwords are sent in the clear",
            id="archive.W002",
        )
    if away and not settings.ARCHIVE_THROTTLE:
        yield Warning(
            "ARCHIVE_THROTTLE is off and ARCHIVE_PUBLIC_URL is set: passwords can be guessed without limit",
            id="archive.W003",
        )


def _throttles() -> Iterator[CheckMessage]:
    name = store_name()
    if name == "postgresql" and connection.vendor != "postgresql":
        yield Error("ARCHIVE_THROTTLE_STORE is postgresql, but DATABASE_URL is not", id="archive.E004")
    if name == "sqlite" and connection.vendor == "postgresql":
        yield Warning(
            "throttles are counted in a SQLite file: several machines would count apart",
            id="archive.W004",
        )


@register(Tags.database)
def pooler_setting_fits(
    app_configs: Any, databases: Iterable[str] | None = None, **kwargs: Any
) -> Sequence[CheckMessage]:
    """Report databases that are reached through a pooler although ARCHIVE_DATABASE_POOLER is off, or directly
    although it is on. Runs with `check --database default` and `migrate`."""
    return [message for alias in databases or () for message in _pooler(alias)]


def _pooler(alias: str) -> Iterator[CheckMessage]:
    database = connections[alias]
    if database.vendor != "postgresql":
        return
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        # A pooler sends its clients another process id at the start.
        pooled = cursor.fetchone()[0] != cursor.connection.info.backend_pid
    if pooled and not settings.DATABASE_POOLER:
        yield Warning(
            f"the database {alias} is reached through a pooler, and ARCHIVE_DATABASE_POOLER is off",
            hint="set it to 1 where the pooler has a connection for a transaction only",
            id="archive.W005",
        )
    if settings.DATABASE_POOLER and not pooled:
        yield Warning(
            f"ARCHIVE_DATABASE_POOLER is on, and the database {alias} is reached without one: "
            "every question is planned each time",
            hint="set it to 0, unless this is a command that is run past the pooler",
            id="archive.W006",
        )
