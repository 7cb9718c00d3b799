"""Servers of models."""
