"""Tools for developers: generated documentation, contract and scripts."""
