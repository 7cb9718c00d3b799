"""Teams that share a cluster."""
