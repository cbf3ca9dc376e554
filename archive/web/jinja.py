"""The environment of the Jinja2 templates, which render the rows of lists and tables."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from jinja2 import Environment, StrictUndefined

from archive.web import wording
from archive.web.game_registry import PAGES
from archive.web.lists import rows
from kifu_core.games import GAMES


def environment(**options: Any) -> Environment:
    """Return the environment for Django's Jinja2 backend, which gives the options and turns escaping on."""
    jinja = Environment(**options | {"undefined": StrictUndefined})
    jinja.globals |= {
        "_": gettext,
        "day_text": wording.day_text,
        "game_address": rows.game_address,
        "nameless": wording.nameless,
        "number_text": wording.number_text,
        "percent_text": wording.percent_text,
        "plies_text": wording.plies_text,
        "result_marks": rows.result_marks,
        "result_text": lambda kind, result: str(wording.RESULTS_OF[kind][result]),
        "shape": lambda kind: PAGES[kind].words.shape,
        "side_mark": rows.side_mark,
        "sides": lambda kind: GAMES[kind].rules.sides,
    }
    return jinja
