"""What Google runs on a cluster, for both modes."""
