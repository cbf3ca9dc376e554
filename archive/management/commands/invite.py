"""`manage.py invite`: print a link that creates an account."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from archive.accounts import invitations
from archive.accounts.roles import Role
from archive.management.addresses import invitation_address
from archive.management.command import ArchiveCommand


class Command(ArchiveCommand):
    help = "Print a link that creates one account, even where registration is closed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--role", choices=Role.values, default=Role.CONTRIBUTOR.value)
        parser.add_argument("--days", type=int, default=7, help="days until the link expires")

    def handle(self, *args: Any, **options: Any) -> None:
        _invitation, key = invitations.create(Role(options["role"]), options["days"])
        self.stdout.write(invitation_address(key))
