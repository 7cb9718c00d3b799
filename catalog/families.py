"""What whole families of machines are, or need that is not made here."""

from pydantic import PositiveInt

from .node_room import Architecture
from .table import Fact


class UnbuiltFamily(Fact):
    """A family whose pools the program does not know how to make, or some of its machines by the
    first parts of their names; `nearest` is one of another."""

    why: str
    nearest: str
    source: str


class UnbuiltTransport(Fact):
    """What NCCL between machines of a type takes, `parts` of which are not made here."""

    what: str
    parts: str
    nearest: str
    source: str


class NvlinkDomain(Fact):
    """Machines of a family whose GPUs speak NVLink to each other: so many at most, in one place
    that a workload policy with this topology says."""

    machines: PositiveInt
    topology: str
    architecture: Architecture
    source: str
