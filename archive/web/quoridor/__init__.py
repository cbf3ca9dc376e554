"""Pages that only Quoridor has, and its description for other pages."""
