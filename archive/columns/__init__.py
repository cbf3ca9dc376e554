"""Positions as columns: one row a position of a game, in Parquet, for questions about parts of a board."""
