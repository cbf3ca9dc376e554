"""Collections of games: who may change them, and how. `archive.queries.collections` reads them.

Members of a collection's library edit it; its owners also share, publish and delete it.
"""
