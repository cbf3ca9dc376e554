#!/usr/bin/env python
"""Django's command line, with the archive's settings."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    # To load what a command needs makes many objects and no garbage: to look for some after each 700 of them,
    # as Python does by default, is a fifth of the time of a start. Commands read many records, too: see
    # `archive.garbage_collection`.
    gc.set_threshold(50_000)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
