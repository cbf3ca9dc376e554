"""Games in bulk as streams of bytes: lines of JSON, a table, a ZIP of files, an opening book.

All are plain generators over a `Bulk`: the API, the command line and whatever else hands games out use the
same. An empty piece says only that work goes on.
"""
