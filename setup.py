"""Builds the distribution; with `KIFU_COMPILE=1` a wheel whose hot modules mypyc has compiled."""

import os

from setuptools import setup

COMPILED = """
    decoding limits lines memo reading shogi/attacks shogi/classify shogi/keys/canonical
    shogi/keys/shogi64 shogi/lookahead shogi/mate shogi/move_resolution shogi/move_times shogi/moves
    shogi/normalize shogi/pieces shogi/position shogi/raw_line shogi/repetition shogi/replay shogi/rules
    shogi/specials shogi/squares shogi/start shogi/formats/bod shogi/formats/csa shogi/formats/csa_times
    shogi/formats/draft shogi/formats/joined_headers shogi/formats/kakinoki_games
    shogi/formats/kakinoki_words shogi/formats/ki2 shogi/formats/kif shogi/formats/positions
    shogi/formats/psn shogi/formats/read_csa shogi/formats/read_kakinoki shogi/formats/rows
    shogi/formats/times shogi/formats/usi
"""
"""The modules with the loops over moves and squares, and those whose classes they share."""


def extensions() -> list[object]:
    """Return the extension modules of a compiled wheel."""
    from mypyc.build import mypycify

    options = ["--config-file=", "--follow-imports=silent", "--ignore-missing-imports"]
    return list(mypycify([*options, *(f"kifu_core/{name}.py" for name in COMPILED.split())]))


setup(ext_modules=extensions() if os.environ.get("KIFU_COMPILE") else [])
