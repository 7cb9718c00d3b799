"""RayClusters."""
