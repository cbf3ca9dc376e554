"""Pages that only Quoridor has, and what other pages have to know of it."""
