"""The making of dumps (docs/dumps.md): part by part, in turns, and renamed when whole."""
