"""What accounts follow, with the new games of each, and their notes on positions."""
