"""Memorystore for Redis."""
