"""The real control plane of a simulated cluster: real programs, as plain processes on loopback."""

from sandbox.control_plane.control_plane import ControlPlane

__all__ = ["ControlPlane"]
