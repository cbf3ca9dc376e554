"""Actions that are refused for a reason that users read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils.functional import Promise


class RefusedError(Exception):
    """An action is refused; `code` is a key of `TEXTS`, which may name `VALUES` and values of the error."""

    TEXTS: ClassVar[Mapping[str, str | Promise]]
    VALUES: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = values

    @property
    def text(self) -> str:
        """Return the reason in the active language."""
        return str(self.TEXTS[self.code]) % {**self.VALUES, **self.values}
