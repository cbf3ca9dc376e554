"""Drafts: records that an account enters or edits on the board, before they are saved as games."""
