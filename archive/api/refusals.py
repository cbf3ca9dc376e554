"""Refused actions as problem details."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from django.utils.translation import override

from archive.api.errors import ApiError
from archive.api.operations import Problems
from archive.project.refused import RefusedError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Refusals:
    """The HTTP status of each code of an error, and the wrong field of the body for some."""

    error: type[RefusedError]
    statuses: Mapping[str, int]
    fields: Mapping[str, str] = field(default_factory=dict)

    def problems(self, *codes: str) -> Problems:
        """Return codes by status."""
        statuses = sorted({self.statuses[code] for code in codes})
        return {status: [code for code in codes if self.statuses[code] == status] for status in statuses}

    def problem(self, error: RefusedError) -> ApiError:
        """Return an error as an error of the API, in English."""
        with override("en"):
            text = error.text
        return ApiError(error.code, text, self.statuses[error.code], field=self.fields.get(error.code, ""))

    def run(self, action: Callable[[], T]) -> T:
        """Return the result of an action. Raises ApiError if it is refused."""
        try:
            return action()
        except self.error as error:
            raise self.problem(error) from error
