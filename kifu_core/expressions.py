"""Regular expressions that several grammars share."""

from typing import Final

_RUN: Final = 1000
_RUNS: Final = 20_000
"""Together more repetitions than a source has characters."""


def many(pattern: str, least: int = 0) -> str:
    """Return an expression for a pattern any number of times, `least` 0 or 1, that gives nothing back.

    A possessive quantifier over a group would say so, but Python 3.11.2 gets it wrong. An atomic group over
    all repetitions would keep each of them in memory until the last; this one keeps a run at a time.

    >>> import re
    >>> re.fullmatch(many("ab"), "ab" * 5000) is not None, re.fullmatch(many("ab") + "ab", "abab")
    (True, None)
    """
    return rf"(?>(?:(?>(?:{pattern}){{1,{_RUN}}})){{{least},{_RUNS}}})"
