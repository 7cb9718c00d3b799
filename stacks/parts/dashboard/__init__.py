"""The monitoring dashboard."""
