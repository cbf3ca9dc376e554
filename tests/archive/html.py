"""Pages as browsers take them: without the whitespace that makes no difference."""

from __future__ import annotations

import re

_BLOCKS = re.compile(r" *(</?(?:d[ltd]|[uo]l|li|div|p|section|h[123]|nav|table|t[rdh]|summary)\b[^>]*>) *")


def tidy(html: str) -> str:
    """The HTML with one blank for many, none around blocks, and none before the end of a tag."""
    return _BLOCKS.sub(r"\1", re.sub(r" >", ">", re.sub(r"[ \t\r\n]+", " ", html)))
