"""Local SSDs that come with a machine type, whether a node pool is told of them or not."""

from pydantic import PositiveInt

from .machines import MachineTypeFacts
from .table import FactError, Table

_WITHOUT = "-nolssd"


class OwnDisksTable(Table):
    """`families` are first parts of the names of machine types that all have some, `mark` is how a
    part of the name of another one ends."""

    families: tuple[str, ...]
    mark: str
    counts: dict[str, PositiveInt]

    def count_of(self, machine: str) -> int | None:
        """How many, where that is known; 0 for a machine type that has none of its own."""
        if machine in self.counts:
            return self.counts[machine]
        return None if self._has_some(machine) else 0

    def check(self, machine: str, facts: MachineTypeFacts) -> None:
        """Raises FactError for facts that leave out disks which come with the machine, or have
        another number of them: GKE's own number would replace the pool after each refresh."""
        own, told = self.count_of(machine), facts.local_ssd
        if told is not None and own in (None, 0, told.count):
            return
        if told is not None:
            raise FactError(f"{told.count} local SSDs are not what {machine} has; nearest: {own}")
        if own != 0:
            raise FactError(
                f"{machine} comes with local SSDs, whose number GKE gives back, and a pool that "
                "was not told it is replaced after each refresh; nearest: "
                + ("local_ssd with their number" if own is None else f"local_ssd.count: {own}")
            )

    def _has_some(self, machine: str) -> bool:
        if machine.endswith(_WITHOUT):
            return False
        parts = machine.split("-")
        return "-".join(parts[:2]) in self.families or any(it.endswith(self.mark) for it in parts)
