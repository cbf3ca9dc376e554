"""Tools of developers: what makes pages of the documentation."""
