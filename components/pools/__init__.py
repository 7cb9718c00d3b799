"""Node pools, TPU slices, and classes of nodes that Autopilot makes."""
