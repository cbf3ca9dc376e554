"""Pages that only shogi has, and its description for other pages."""
