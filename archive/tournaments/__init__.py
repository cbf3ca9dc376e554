"""The standings of a tournament, from the players, rounds and results of its games; uses no database."""
