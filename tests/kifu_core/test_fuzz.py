"""The fuzzing script works, and finds nothing in a moment."""

from __future__ import annotations

import pytest

from tests.fuzz.formats import formats, seeds, without_coverage


@pytest.mark.parametrize("file_format", formats())
def test_mutated_samples_raise_nothing_else(file_format):
    assert seeds(file_format)
    assert without_coverage(file_format, 0.5) > 5
