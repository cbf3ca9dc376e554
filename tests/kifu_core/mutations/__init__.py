"""Records in other forms: as people retype, copy, quote, convert, damage and join them.

Each module registers its kinds when it is imported.
"""

from tests.kifu_core.mutations import boards, csa, every_format, ki2, kif, whole_records
from tests.kifu_core.mutations.kinds import KINDS, Expected, Kind
from tests.kifu_core.mutations.samples import Sample, samples

__all__ = (
    "KINDS", "Expected", "Kind", "Sample", "boards", "csa", "every_format", "ki2", "kif", "samples",
    "whole_records",
)  # fmt: skip
