"""Games in bulk as streams of bytes: NDJSON, CSV, a ZIP of files, opening books, training data.

All are generators over a `BulkReader`; the API and the command `export_games` use them. They yield an empty
piece when they have worked for a while without output, so that the server can let others have their turn.
"""
