"""Logs, readiness and metrics for the operator."""
