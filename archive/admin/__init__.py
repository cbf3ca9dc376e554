"""The admin: look at uploads and games, upload, retry, delete. Writing goes through `archive.store`."""

from archive.admin import accounts, games, names, site, uploads

__all__ = ["accounts", "games", "names", "site", "uploads"]
