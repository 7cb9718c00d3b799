"""Pulumi components, one logical entity a file; the pure helpers beside them import no Pulumi."""
