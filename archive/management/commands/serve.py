"""`manage.py serve`: prepare the database and run the whole archive in the foreground."""

import fcntl
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command

from archive.accounts import invitations
from archive.management.addresses import invitation_address
from archive.management.command import ArchiveCommand
from archive.models import Upload
from archive.observing import logs
from archive.project.checks import FOLDERS, SETTINGS
from archive.project.site_address import listening_address
from archive.project.startup import refuse
from archive.serving.sockets import check_free
from archive.serving.supervisor import Supervisor, child_of_ours
from kifu_core import IS_COMPILED


class Command(ArchiveCommand):
    help = "Run the archive: web server, workers and scheduler, until Ctrl-C."
    requires_system_checks = (SETTINGS, FOLDERS)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-migrate", action="store_true", help="leave the database's tables as they are"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        logs.begin_process("supervisor")
        lock = self._lock()
        check_free(settings.BIND_HOST, settings.BIND_PORT)
        if not options["no_migrate"]:
            self._prepare()
        self._greet()
        workers = [child_of_ours(f"worker {n + 1}", "worker") for n in range(settings.INGEST_WORKERS)]
        if settings.ARCHIVE_NETWORK:
            workers.append(child_of_ours("network", "network"))
        engines = settings.ENGINES.workers if settings.ENGINES.engine else 0
        workers += [child_of_ours(f"engine worker {n + 1}", "analyst") for n in range(engines)]
        children = [child_of_ours("web", "web"), *workers, child_of_ours("scheduler", "scheduler")]
        code = Supervisor(children).run()
        lock.close()
        self._print("stopped")
        sys.exit(code)

    def _print(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _lock(self) -> Any:
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        lock = (settings.DATA_DIR / "serve.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refuse(f"an archive already runs on {settings.DATA_DIR}")
        return lock

    def _prepare(self) -> None:
        self._print("Preparing the database ...")
        call_command("migrate", verbosity=0, interactive=False, stdout=self.stdout)
        if settings.ARCHIVE_SAMPLES and not Upload.objects.exists():
            call_command("sample_games", stdout=self.stdout)

    def _greet(self) -> None:
        address = listening_address()
        lines = [f"Kifu Archive   {address}/", f"API            {address}/api/v1/docs"]
        lines.append(f"Admin          {address}/admin/")
        build = "compiled" if IS_COMPILED else "pure Python; `make compiled` makes it faster"
        lines.append(f"Library        {build}")
        if settings.ARCHIVE_NETWORK:
            lines.append("Network        every game gets a first opinion")
        if key := invitations.owner_key():
            lines += [
                f"Yours alone    {invitation_address(key)}",
                "               Nobody administers this archive yet: open this link within a day and choose",
                "               name and password.",
            ]
        self._print("\n".join([*lines, "Stop with Ctrl-C."]))
