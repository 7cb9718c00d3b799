"""The real control plane of a simulated cluster: real programs, as plain processes on loopback."""

from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.operators import Operator
from sandbox.control_plane.processes import ProcessStatus

__all__ = ["ControlPlane", "Operator", "ProcessStatus"]
