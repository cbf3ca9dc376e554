"""Analysis of games by engines: programs that speak USI, requests, workers and volunteers."""
