"""Dumps of everything public: what lies in their folder, and what is told of it.

`archive.dumping` makes them.
"""
