"""Shogi: rules, keys of positions, records and their formats."""
