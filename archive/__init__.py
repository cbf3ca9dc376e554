"""The archive server: stores, indexes, searches and replays game records."""
