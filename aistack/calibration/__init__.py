"""A user's own run as a table of durations."""
