"""Webhooks: new games are told to addresses that accounts have named."""
