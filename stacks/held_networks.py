"""Networks that nodes of an Autopilot cluster hold on to after their pods are gone: the nodes are
Google's to take away, so that the networks are free for certain only without the cluster."""

from collections.abc import Iterator
from ipaddress import IPv4Network

from stacks.on_record import Record, Recorded
from stacks.one_run import of_everything, short
from stacks.parts.network.plan import blocks_of
from stacks.plan import Plan
from stacks.refusal import CLUSTER, SUBNETWORK
from stacks.two_runs import Difference, TwoRuns


def holding(plan: Plan, record: Record) -> Iterator[TwoRuns]:
    """For what further interfaces have on record, and would have no more."""
    wanted = blocks(plan)
    for cluster in record.of_type(CLUSTER):
        if not cluster.outputs.get("enableAutopilot"):
            continue
        lost = [it for it in _of_interfaces(cluster, record) if it not in wanted]
        if lost:
            there = ", ".join(sorted(wanted)) or "none"
            yield TwoRuns(
                what=f"{cluster.name} has nodes in networks that would go, and no single run does "
                "that",
                differences=[Difference(_field(plan, lost), ", ".join(sorted(lost)), there)],
                why="an Autopilot cluster keeps its nodes some time after their pods, and they "
                "their networks",
                loss=of_everything(record),
            )


def blocks(plan: Plan) -> set[str]:
    """Of the subnetworks of all further interfaces."""
    return {block for one in plan.interface_sets for block in blocks_of(plan.stack, one)}


def _field(plan: Plan, lost: list[str]) -> str:
    """What was changed: blocks that are cut from the same range, as the config has it, go with the
    machines that have their interfaces there."""
    ranges = plan.stack.network.accelerators
    whole = IPv4Network(ranges.range)
    same = (
        block.prefixlen == ranges.prefix_length and block.subnet_of(whole)
        for block in map(IPv4Network, lost)
    )
    field = "stack.pools" if all(same) else "stack.network.accelerators"
    return f"ranges of interfaces ({field})"


def _of_interfaces(cluster: Recorded, record: Record) -> Iterator[str]:
    own = short(cluster.outputs.get("subnetwork"))
    for it in record.of_type(SUBNETWORK):
        if it.outputs.get("name") != own:
            yield str(it.outputs.get("ipCidrRange"))
