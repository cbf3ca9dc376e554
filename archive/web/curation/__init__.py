"""Pages on which games are corrected: the form, the history, the bench, batches, editions side by side."""
