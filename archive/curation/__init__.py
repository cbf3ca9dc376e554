"""Corrections as people propose and decide them: rights, waiting times, history.

`archive.store` writes; `archive.derive.operations` says what an operation is.
"""
