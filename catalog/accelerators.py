"""What accelerators compute at their best, and what programs have of their memory; what Google's
pages call their memory stands with the machine types."""

from pydantic import PositiveFloat, PositiveInt

from .machines import Accelerator
from .table import Fact, Table, load_table


class AcceleratorFacts(Fact):
    """Dense bfloat16; `interconnect_gbps` are bytes a second between chips of a slice, both ways
    together, in units of 10^9."""

    bf16_tflops: PositiveInt
    interconnect_gbps: PositiveInt | None = None
    source: str


class UsableMemory(Fact):
    """The most of a GPU, or of a TPU device as JAX counts them, that a program was ever given."""

    gib: PositiveFloat
    source: str


class AcceleratorTable(Table):
    """By the value of GKE's accelerator label."""

    accelerators: dict[str, AcceleratorFacts]
    usable: dict[str, UsableMemory]


def accelerator_facts(name: str) -> AcceleratorFacts | None:
    """None where not known."""
    return load_table(AcceleratorTable, "accelerators").accelerators.get(name)


def usable_gib(accelerator: Accelerator, devices: int = 1) -> float:
    """GiB that a program can have of each of `devices` in an accelerator. An accelerator that the
    table does not know, such as one of a config's own machine type, has all of its memory."""
    known = load_table(AcceleratorTable, "accelerators").usable.get(accelerator.type)
    return accelerator.memory_gib / devices if known is None else known.gib
