"""Preparation for an opponent: the moves of two sets of games, compared position by position."""
