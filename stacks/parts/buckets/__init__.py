"""Buckets that pods mount."""
