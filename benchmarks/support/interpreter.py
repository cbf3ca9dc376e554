"""Which Python a benchmark ran on: figures of different builds do not compare.

A build with profile-guided optimisation is up to a third faster than one without it.
"""

import json
import platform
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from typing import Any, Final

_OPTION: Final = "--enable-optimizations"


def python_build() -> dict[str, Any]:
    """Return name, version and build. `optimised` says whether `configure` was given --enable-optimizations
    (profile-guided optimisation); distributions that optimise in another way are not seen. It is None where
    the build says nothing of its options."""
    options = sysconfig.get_config_var("CONFIG_ARGS")
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": platform.python_compiler(),
        "optimised": None if options is None else _OPTION in options,
    }


def announce(*, only_json: bool = False) -> None:
    """Print a line about the Python that runs; with `only_json` to standard error."""
    build = python_build()
    options = {None: "unknown options", True: _OPTION, False: f"no {_OPTION}"}[build["optimised"]]
    line = f"{build['implementation']} {build['version']}, {build['compiler']}, built with {options}"
    print(line, file=sys.stderr if only_json else sys.stdout, flush=True)


def as_json(figures: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return figures as a line of JSON, with the Python that was measured; a list becomes `rows`."""
    named = figures if isinstance(figures, Mapping) else {"rows": figures}
    return json.dumps({"python": python_build(), **named}, ensure_ascii=False)
