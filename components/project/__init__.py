"""A project's APIs."""
