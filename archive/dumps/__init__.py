"""Dumps of everything public (docs/dumps.md).

`making` writes a dump part by part, in turns; `publishing` completes and renames it; `offered` lists the
dumps that the API and the pages offer.
"""
