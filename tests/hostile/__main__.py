"""Attack archives as a hostile visitor would, and look how they and other visitors fare.

    python -m tests.hostile [--engine sqlite|postgresql] [--short] [--seed N]
        [--requests N] [--files N] [--slow N] [--lanes N] [--heavy 0]

Without `--engine` both, each with an archive of its own in a temporary folder. Requests are drawn from every
address there is; the same seed draws the same ones. Prints each sort of fault with a command that shows it,
and a summary; exits with 1 if there was one.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import django

from tests.hostile.size import CHOSEN, LONG, SHORT, Size

if TYPE_CHECKING:
    from tests.hostile.campaign import Report

ENGINES = ("sqlite", "postgresql")
CEILING = 3 << 30
"""Bytes of address space that no process of an attacked archive goes beyond: the machine is not attacked."""

ENVIRONMENT = {
    "ARCHIVE_SAMPLES": "1",
    "ARCHIVE_ANONYMOUS_UPLOAD": "1",
    "ARCHIVE_WEB_WORKERS": "2",
    "ARCHIVE_ENTRY_SECONDS": "10",
    "ARCHIVE_READ_SECONDS": "1",
    "ARCHIVE_SWEEP_SECONDS": "5",
    "ARCHIVE_THROTTLE": "0",
    "ARCHIVE_BASIC_AUTH": "1",
}
"""As an archive is by default, but with all doors open, and without what counts how often they are tried."""


def run(engine: str, size: Size, seed: int, keep: Path) -> int:
    """One engine; the exit code."""
    from tests.serving import archive_at

    with tempfile.TemporaryDirectory(prefix="kifu-hostile-", dir="/tmp") as name:
        folder = Path(name)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.project.settings")
        os.environ["ARCHIVE_DATA_DIR"] = str(folder)
        resource.setrlimit(resource.RLIMIT_AS, (CEILING, resource.RLIM_INFINITY))
        with archive_at(folder, **ENVIRONMENT) as archive:
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            os.environ |= {
                key: archive.environment[key]
                for key in ("DATABASE_URL", "SECRET_KEY")
                if key in archive.environment
            }
            django.setup()
            from tests.hostile.campaign import Attack

            began = time.monotonic()
            print(f"{engine}, seed {seed}", flush=True)
            report = Attack(archive, engine, size, seed, keep).run()
            verify(archive.environment, report)
            if report.faults:
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(archive.log, keep / "serve.log")
            tell(report, time.monotonic() - began)
    return int(bool(report.faults))


def verify(environment: dict[str, str], report: Report) -> None:
    """Have the archive verified as an operator would."""
    from tests.hostile.judging import Fault
    from tests.serving import ROOT

    command = [sys.executable, "manage.py", "verify_archive"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        report.fault(
            Fault("verify_archive", said.splitlines()[-1][:100] if said else "failed"),
            "archive",
            lambda: said[:2000],
        )
    else:
        report.notes.append("verify_archive found nothing")


def tell(report: Report, seconds: float) -> None:
    """Print what an attack came to."""
    from tests.hostile.campaign import SLOW_SECONDS

    for (kind, detail, where), count in sorted(
        report.faults.items(), key=lambda item: (item[0][0], -item[1])
    ):
        print(f"  {count:>6} × {kind}: {detail} at {where}")
        if example := report.examples[kind, detail, where]:
            print(f"           {example}")
    kinds: dict[str, int] = {}
    for (kind, _, _), count in report.faults.items():
        kinds[kind] = kinds.get(kind, 0) + count
    longest = max((one.seconds for one in report.slow), default=0.0)
    own = sum(one.own > SLOW_SECONDS for one in report.slow)
    rows = [
        (
            "requests",
            f"{report.sent} at {len(report.routes)} addresses in {seconds:.0f} s, seed {report.seed}",
        ),
        (
            "answers",
            ", ".join(f"{status or 'none'}: {count}" for status, count in sorted(report.statuses.items())),
        ),
        ("files", f"{len(report.files)}"),
        (
            "over 2 s",
            f"{len(report.slow)} as seen, {own} by its own doing, the longest {longest:.1f} s",
        ),
        *((f"visitors {title}", str(served)) for title, served in report.visitors.items()),
        ("p99 of visitors", ratio(report)),
        ("memory", ", ".join(f"{role} {size >> 20} MiB" for role, size in sorted(report.memory.items()))),
        ("processes", ", ".join(f"{role} {count}" for role, count in sorted(report.processes.items()))),
        ("closed by it", f"{sum(report.closed.values())} of the slow connections"),
        *(("note", note) for note in report.notes[:40]),
        ("faults", ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "none"),
    ]
    for title, text in rows:
        print(f"  {title:<34} {text}")
    print(f"{report.engine}: {sum(report.faults.values())} faults of {len(report.faults)} sorts", flush=True)


def ratio(report: Report) -> str:
    """How much longer others waited than before."""
    quiet = report.visitors["quiet"].share(99) or 1e-9
    others = {
        title: served.share(99) / quiet for title, served in report.visitors.items() if title != "quiet"
    }
    return ", ".join(f"{title} {times:.1f} times the quiet one" for title, times in others.items())


def run_all(options: argparse.Namespace) -> int:
    """The engines that were asked for, each in a process of its own, PostgreSQL with a server of its own."""
    failed = []
    for engine in [options.engine] if options.engine else ENGINES:
        command = [
            sys.executable,
            "-m",
            "tests.hostile",
            "--inside",
            "--engine",
            engine,
            "--seed",
            str(options.seed),
        ]
        command += ["--short"] if options.short else []
        for name in (*CHOSEN, "keep"):
            if getattr(options, name) is not None:
                command += [f"--{name}", str(getattr(options, name))]
        environment = {key: value for key, value in os.environ.items() if key != "CELERY_BROKER_URL"}
        if engine == "sqlite":
            environment.pop("DATABASE_URL", None)
        elif "DATABASE_URL" not in environment:
            command[1:3] = ["-m", "tests.postgres", sys.executable, "-m", "tests.hostile"]
        if subprocess.run(command, env=environment, check=False).returncode:
            failed.append(engine)
    print(f"not withstood: {', '.join(failed) or 'none'}")
    return int(bool(failed))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES)
    parser.add_argument("--short", action="store_true", help="some hundreds of requests, as in `make test`")
    for name in CHOSEN:
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for what the commands that are printed send")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that servers are stopped
    if not options.inside:
        return run_all(options)
    chosen = {name: getattr(options, name) for name in CHOSEN if getattr(options, name) is not None}
    size = replace(SHORT if options.short else LONG, **chosen)
    keep = options.keep or Path(tempfile.gettempdir()) / f"hostile-{options.engine}-{options.seed}"
    return run(options.engine, size, options.seed, keep)


if __name__ == "__main__":
    sys.exit(main())
