"""Quoridor: two players, 9x9 squares, ten walls each. Rules, qf_code, keys, records and their formats."""
