"""TPU slice topologies: which machine type, how many chips, how many hosts."""

from typing import Self

from pydantic import PositiveInt, model_validator

from catalog.table import Fact, Table


class Topology(Fact):
    """A slice shape on one machine type."""

    name: str
    generation: str
    machine_type: str
    chips: PositiveInt
    hosts: PositiveInt

    @property
    def multi_host(self) -> bool:
        return self.hosts > 1


class SliceShapes(Fact):
    """The shapes of one machine type, as `name: [chips, hosts]`."""

    generation: str
    machine_type: str
    topologies: dict[str, tuple[PositiveInt, PositiveInt]]
    source: str


class TopologyTable(Table):
    shapes: tuple[SliceShapes, ...]

    @model_validator(mode="after")
    def _one_entry_a_machine_type(self) -> Self:
        names = [shape.machine_type for shape in self.shapes]
        if len(names) != len(set(names)):
            raise ValueError("a machine type stands twice in the topology table")
        return self

    def of_machine(self, machine_type: str) -> dict[str, Topology]:
        """Topologies by name, smallest first; empty for a machine type without TPUs."""
        return {
            name: Topology(
                name=name,
                generation=shape.generation,
                machine_type=machine_type,
                chips=chips,
                hosts=hosts,
            )
            for shape in self.shapes
            if shape.machine_type == machine_type
            for name, (chips, hosts) in sorted(shape.topologies.items(), key=lambda item: item[1])
        }
