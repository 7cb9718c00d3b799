"""Reusable parts of stack configs, one a file. No Pulumi import."""
