"""What a running cluster has for good, and what is offered there in the place of what would make it
anew. No Pulumi import."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network

from components.base.cidr import addresses_per_node, pod_addresses
from stacks.mistakes import Mistake
from stacks.offers import Offer, Suggestion
from stacks.parts.network.plan import most_nodes_and_pods
from stacks.plan import Plan

_ZONE = "the zone "
_OVERLAPS = re.compile(r"overlaps (\S+) ")
# Of which a node takes half as many addresses as of the one before.
_FEWER_PODS = (64, 32, 16)


@dataclass(frozen=True)
class Standing:
    """By their fields below the config object the values that a cluster keeps as long as it is
    there, and of its pools the most nodes and the most pods on one."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    pools: Sequence[tuple[int, int]] = ()


NOTHING = Standing()


def in_place(mistake: Mistake, plan: Plan, standing: Standing) -> Mistake:
    """The same with an offer that the cluster outlives, where there is one."""
    text = "" if mistake.suggestion is None else mistake.suggestion.text
    value = standing.values.get(mistake.path)
    if mistake.path.endswith(".machine_type") and text.startswith(_ZONE):
        return _elsewhere(mistake, plan, text.removeprefix(_ZONE).partition(". ")[0])
    if value is None:
        return mistake
    asked = getattr(plan.stack.network, mistake.path.removeprefix("network."))
    if asked != value:
        rest = ", which the cluster keeps as long as it is there"
        return mistake.suggesting(Suggestion((Offer.of(value),), rest=rest))
    # Of what a cluster has, the pods' range alone can become too small.
    other = _OVERLAPS.search(mistake.reason)
    way = f"another range in network.{other[1]}" if other else _fewer_pods(plan, standing, value)
    stays = f"{way}: the cluster keeps {value} as long as it is there"
    return mistake.suggesting(Suggestion(rest=stays))


def _elsewhere(mistake: Mistake, plan: Plan, zones: str) -> Mistake:
    """A pool may be in another zone of the region."""
    here = [it for it in zones.split(", ") if it in plan.facts.zones_in(plan.stack.region)]
    place = f"{mistake.path.removesuffix('.machine_type')}.zone"
    way = f"{place} {', '.join(here)}" if here else "a machine that a zone of the region offers"
    return mistake.suggesting(Suggestion(rest=way))


def _fewer_pods(plan: Plan, standing: Standing, text: str) -> str:
    """Nodes of a pool that is new, which a pool that is there cannot become."""
    wanted = most_nodes_and_pods(plan.pools.values())
    more = sum(it[0] for it in wanted) - sum(it[0] for it in standing.pools)
    left = IPv4Network(text).num_addresses - pod_addresses(standing.pools)
    for pods in _FEWER_PODS:
        # One more for a surge upgrade.
        if more > 0 and (more + 1) * addresses_per_node(pods) <= left:
            return f"{more} of the nodes in a pool that is new, with max_pods_per_node {pods}"
    return "fewer nodes"
