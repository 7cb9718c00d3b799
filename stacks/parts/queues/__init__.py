"""Kueue and its queues."""
