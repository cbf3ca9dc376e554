"""Problems of shogi: found in games, examined, solved on the board, with ratings of problems and accounts."""
