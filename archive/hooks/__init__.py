"""Webhooks: new games are sent to addresses of the accounts' choice."""
