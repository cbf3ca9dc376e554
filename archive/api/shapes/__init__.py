"""Classes of answers in JSON. Each becomes a schema of the contract, with its docstring as description.

Tests compare recorded and random answers with these schemas.
"""
