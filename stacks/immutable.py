"""What cannot become what the config asks for while it is in use, held against what the stack has
on record."""

from collections.abc import Iterator

from catalog import FactError
from catalog.lustre import check_growth
from stacks.config import ConfigError
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import LUSTRE

_KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2"


def check(plan: Plan, record: Record) -> None:
    """Raises ConfigError."""
    if found := [*shrinking(plan, record), *of_topologies(plan, record)]:
        raise ConfigError(found)


def shrinking(plan: Plan, record: Record) -> Iterator[str]:
    """A Lustre instance that stays, of which the catalog says what may become of it. Of another
    name or tier it is another instance."""
    lustre = None if plan.stack.lustre is None else plan.stack.lustre.made
    if lustre is None:
        return
    for it in record.of_type(LUSTRE):
        gib, speed = (int(it.outputs[key]) for key in ("capacityGib", "perUnitStorageThroughput"))
        if (it.outputs["instanceId"], speed) != (lustre.name, lustre.throughput_mbps_per_tib):
            continue
        try:
            check_growth(plan.facts.lustre_tier(speed), gib, lustre.capacity_gib)
        except FactError as error:
            yield f"stack.lustre.capacity_gib: {error}, or another lustre.name: an empty instance"


def of_topologies(plan: Plan, record: Record) -> Iterator[str]:
    """Kueue changes neither the levels of a topology nor the topology of a flavor that has one, and
    deletes no flavor that a queue names (kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2
    topology_types.go and resourceflavor_types.go, judged by the real API server)."""
    queues = plan.stack.queues
    if queues is None:
        return
    for it in record.of_type(f"{_KUEUE}:Topology"):
        name = it.outputs["metadata"]["name"]
        levels = [one["nodeLabel"] for one in it.outputs["spec"]["levels"]]
        if name in queues.topologies and levels != list(queues.topologies[name].levels):
            yield (
                f"stack.queues.topologies.{name}.levels: a topology's levels stay what they are, "
                f"{', '.join(levels)}; nearest: a topology by another name, and a flavor by "
                "another name that has it"
            )
    for it in record.of_type(f"{_KUEUE}:ResourceFlavor"):
        name = it.outputs["metadata"]["name"]
        before = it.outputs["spec"].get("topologyName")
        wanted = queues.flavors.get(name)
        if before is not None and wanted is not None and wanted.topology != before:
            yield (
                f"stack.queues.flavors.{name}.topology: a flavor keeps the topology that it has, "
                f"{before}; nearest: a flavor by another name"
            )
