"""Repertoires, and the training of their moves, of mistakes and of problems by spaced repetition."""
