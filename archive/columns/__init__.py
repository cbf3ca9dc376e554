"""Positions as columns: one row for each position of a game, in Parquet, for patterns of parts of a board."""
