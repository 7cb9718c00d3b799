"""What accelerators compute at their best; their memory stands with the machine types."""

from pydantic import PositiveInt

from catalog.table import Fact, Table, load_table


class AcceleratorFacts(Fact):
    """Dense bfloat16; `interconnect_gbps` are bytes a second between chips of a slice, both ways
    together, in units of 10^9."""

    bf16_tflops: PositiveInt
    interconnect_gbps: PositiveInt | None = None
    source: str


class AcceleratorTable(Table):
    """By the value of GKE's accelerator label."""

    accelerators: dict[str, AcceleratorFacts]


def accelerator_facts(name: str) -> AcceleratorFacts | None:
    """None where not known."""
    return load_table(AcceleratorTable, "accelerators").accelerators.get(name)
