"""The version of the archive that runs."""

import re
from functools import cache

from django.conf import settings


@cache
def version() -> str:
    """Return the version of the newest entry of the change log."""
    changes = (settings.BASE_DIR / "CHANGELOG.md").read_text()
    found = re.search(r"^## (\S+)", changes, re.MULTILINE)
    return found[1] if found else "?"
