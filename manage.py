#!/usr/bin/env python
"""Django's command line, with the archive's settings."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        from kifu_core import __version__

        print(f"Kifu Archive {__version__}")
        return
    # To load what a command needs makes many objects and no garbage: to look for some after each 700 of them,
    # as Python does by default, is a fifth of the time of a start. Commands read many records, too: see
    # `archive.project.garbage_collection`.
    gc.set_threshold(50_000)
    from archive.project.startup import exit_on_known_errors, load_settings

    load_settings()
    from django.core.management import execute_from_command_line

    with exit_on_known_errors():
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
