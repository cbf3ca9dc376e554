"""Codes and keys of positions."""
