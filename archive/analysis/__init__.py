"""Analysis of games: the first opinion of a neural network, programs that speak USI, requests, volunteers."""
