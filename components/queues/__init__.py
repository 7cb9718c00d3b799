"""Kueue, its queues, and what keeps work in them."""
