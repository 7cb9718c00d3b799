"""Kueue: queues of the cluster, and which pods, Jobs and Ray clusters may start."""
