"""Pages that only shogi has, and what other pages have to know of it."""
