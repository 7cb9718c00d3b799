"""TPU slice topologies: which machine type, how many chips, how many hosts."""

from collections.abc import Iterable
from datetime import date
from typing import Self

from pydantic import PositiveInt, model_validator

from .table import Fact, FactError, Table


class Topology(Fact):
    """A slice shape on one machine type.

    Programs see `devices_per_chip` devices of each chip, which share its memory. With
    `workload_policy`, several hosts are placed by a resource policy that names the shape.
    """

    name: str
    generation: str
    machine_type: str
    chips: PositiveInt
    hosts: PositiveInt
    devices_per_chip: PositiveInt = 1
    workload_policy: bool = False

    @property
    def multi_host(self) -> bool:
        return self.hosts > 1

    @property
    def devices(self) -> int:
        return self.chips * self.devices_per_chip

    @property
    def needs_policy(self) -> bool:
        """A host by itself has nothing to be close to."""
        return self.workload_policy and self.multi_host


class SliceShapes(Fact):
    """The shapes of one machine type, as `name: [chips, hosts]`."""

    generation: str
    machine_type: str
    topologies: dict[str, tuple[PositiveInt, PositiveInt]]
    devices_per_chip: PositiveInt = 1
    workload_policy: bool = False
    source: str


class Grid(Fact):
    """Sides of a slice in chips: multiples of `step` up to `most` in each direction."""

    step: PositiveInt
    most: tuple[PositiveInt, PositiveInt, PositiveInt]

    def has(self, sides: tuple[int, ...]) -> bool:
        return len(sides) == len(self.most) and all(
            side % self.step == 0 and side <= most
            for side, most in zip(sides, self.most, strict=True)
        )


class RayShapes(Fact):
    """The topologies of a generation that Ray knows, by name or on a grid; `accelerator` is what
    Ray calls the generation."""

    accelerator: str
    names: tuple[str, ...]
    grid: Grid | None = None

    def has(self, name: str) -> bool:
        if name in self.names:
            return True
        return self.grid is not None and self.grid.has(tuple(map(int, name.split("x"))))


class RayTopologies(Fact):
    """What Ray's `version` makes a slice of; the same is taken for its other versions."""

    version: str
    source: str
    date: date
    generations: dict[str, RayShapes]

    def has(self, topology: Topology) -> bool:
        known = self.generations.get(topology.generation)
        return known is not None and known.has(topology.name)

    def check(self, wanted: Topology, known: Iterable[Topology]) -> None:
        """Raises FactError, with the nearest of `known` that Ray can start, when it cannot start
        `wanted`."""
        if self.has(wanted):
            return
        fitting = [it for it in known if self.has(it)]
        fitting.sort(key=lambda it: abs(it.chips - wanted.chips))
        raise FactError(
            f'"{wanted.name}" of {wanted.machine_type} is not in the table of Ray {self.version}, '
            "whose workers would fail and start again for ever; nearest: "
            f"{', '.join(it.name for it in fitting[:3])}"
        )


class TopologyTable(Table):
    shapes: tuple[SliceShapes, ...]
    ray: RayTopologies

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
                devices_per_chip=shape.devices_per_chip,
                workload_policy=shape.workload_policy,
            )
            for shape in self.shapes
            if shape.machine_type == machine_type
            for name, (chips, hosts) in sorted(shape.topologies.items(), key=lambda item: item[1])
        }
