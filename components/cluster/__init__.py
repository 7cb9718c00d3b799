"""GKE clusters, and the way into them."""
