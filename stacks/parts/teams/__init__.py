"""Teams that share the cluster."""
