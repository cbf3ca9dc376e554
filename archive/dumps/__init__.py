"""Dumps of everything public (docs/dumps.md).

`making` writes a dump part by part in turns and renames it when it is complete; `offered` lists the dumps
that the API and the pages offer.
"""
