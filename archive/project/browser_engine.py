"""The folder of ARCHIVE_BROWSER_ENGINE: an engine that visitors' browsers run, and its description in
`engine.json`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from django.core.exceptions import ImproperlyConfigured
from msgspec import Meta, Struct, ValidationError
from msgspec.json import decode
from msgspec.structs import replace

NAME: Final = "ARCHIVE_BROWSER_ENGINE"
DESCRIPTION: Final = "engine.json"

_Text = Annotated[str, Meta(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
_File = Annotated[str, Meta(max_length=100, pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]*\.js$")]


class BrowserEngine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A USI engine as JavaScript and WebAssembly.

    `script` is run in a worker. With a `factory`, the name of a function that returns the engine or a promise
    of it, the engine has `postMessage` and `addMessageListener`, as programs made with Emscripten have.
    Without one, the script itself receives and sends lines of USI as messages.
    """

    name: Annotated[_Text, Meta(min_length=1)]
    script: _File
    version: _Text = ""
    factory: Annotated[str, Meta(pattern=r"^[A-Za-z_$][A-Za-z0-9_$]*$|^$")] = ""
    options: Mapping[_Text, _Text | int | bool] = {}
    """Set before the first search."""
    seconds: Annotated[int, Meta(ge=1, le=3600)] = 60
    """Seconds of the search in one position."""
    folder: str = ""


def read(folder: str) -> BrowserEngine | None:
    """Return the engine in a folder; None without a folder. Raises ImproperlyConfigured with one sentence."""
    if not folder:
        return None
    path = Path(folder).resolve() / DESCRIPTION
    try:
        engine = decode(path.read_bytes(), type=BrowserEngine)
    except OSError as error:
        raise ImproperlyConfigured(f"{NAME}: {path} cannot be read ({error.strerror})") from None
    except ValidationError as error:
        raise ImproperlyConfigured(f"{NAME}: {path}: {error}") from None
    except ValueError as error:
        raise ImproperlyConfigured(f"{NAME}: {path} is no JSON ({error})") from None
    if not (path.parent / engine.script).is_file():
        raise ImproperlyConfigured(f"{NAME}: there is no file {path.parent / engine.script}")
    return replace(engine, folder=str(path.parent))
