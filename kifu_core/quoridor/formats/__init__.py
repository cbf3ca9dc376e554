"""The formats of Quoridor's records: qf_code, move lists, our own JSON.

A format is added by its module and a line of `QUORIDOR`.
"""

from typing import Final

from kifu_core.formats import Detector, Formats
from kifu_core.quoridor.formats import alg, json_record, qf
from kifu_core.quoridor.formats.parts import count_parts

detect: Final = Detector()

QUORIDOR: Final = Formats((qf.FORMAT, alg.FORMAT, json_record.FORMAT), detect, count_parts)

FORMATS: Final = QUORIDOR.names
"""The names `dump` knows: those of the files' extensions."""

load = QUORIDOR.load
load_source = QUORIDOR.load_source
dump = QUORIDOR.dump
losses = QUORIDOR.losses

__all__ = ["FORMATS", "QUORIDOR", "detect", "dump", "load", "load_source", "losses"]
