"""Settings of the property tests."""

from __future__ import annotations

from hypothesis import settings

# A busy machine is no defect: examples may take their time.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
