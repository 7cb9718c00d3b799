"""The Kubernetes API of a simulated cluster whose control plane is real."""
