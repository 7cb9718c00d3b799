"""Whether a network and a subnetwork that exist already carry what the stack puts on them.

What else takes addresses from the same ranges is not known, nor are other subnetworks' ranges; of
those Google says at the create that they overlap.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial

from components.base.existing_facts import NetworkFacts
from stacks.parts.network.rules import nodes_problems, overlap_problems, pods_problems
from stacks.problems import Problem, problem_of
from stacks.types import check_pods_range, check_services_range

AT = "network.existing"
_JUMBO = 8896


@dataclass(frozen=True, kw_only=True)
class NetworkNeeds:
    """`pods_range` and `services_range` are names of secondary ranges. `pools` are (most nodes,
    most pods on a node). `made` are the ranges that the stack makes, by their fields below network.

    `mtu` is what the config says that the network has, and `jumbo_for` who is faster with the
    largest there is.
    """

    pods_range: str
    services_range: str
    pools: Sequence[tuple[int, int]] = ()
    made: Mapping[str, str] = field(default_factory=dict[str, str])
    mtu: int | None = None
    jumbo_for: str | None = None


def network_problems(found: NetworkFacts, needs: NetworkNeeds) -> Iterator[Problem]:
    """Why the stack cannot stand on it."""
    if found.subnetwork_network_id != found.network_id:
        other = found.subnetwork_network_id.rpartition("/")[2]
        yield Problem(
            f"{AT}.subnetwork",
            f'"{found.subnetwork_name}" is on the network {other}, not on {found.name}; '
            f"nearest: network {other}",
        )
    yield from nodes_problems(f"{AT}.subnetwork", found.nodes_range, needs.pools)
    yield from _secondary_problems(found, needs)
    taken = {f"existing.{name}": text for name, text in found.secondary_ranges.items()}
    yield from overlap_problems({"existing.subnetwork": found.nodes_range, **taken, **needs.made})
    if not found.private_google_access:
        project = f"--project={found.project}"
        # GKE turns it on by itself in some cases: the subnetwork of somebody else would change.
        yield Problem(
            f"{AT}.subnetwork",
            f'"{found.subnetwork_name}" has no Private Google Access, without which private nodes '
            "reach no Google API; nearest: `gcloud compute networks subnets update "
            f"{shlex.join([found.subnetwork_name, f'--region={found.region}', project])} "
            "--enable-private-ip-google-access`",
        )


def network_advice(found: NetworkFacts, needs: NetworkNeeds) -> Iterator[Problem]:
    """What is slower, or may be missing, but keeps nothing from working.

    With an MTU of 8896 Managed Lustre is faster by about a tenth (Managed Lustre documentation,
    "Performance considerations", read 2026-11-22). RDMA networks are made by the stack and always
    have it.
    """
    if needs.jumbo_for is not None:
        words = [found.name, f"--project={found.project}"]
        show = f"`gcloud compute networks describe {shlex.join(words)}`"
        if needs.mtu is None:
            yield Problem(
                f"{AT}.mtu",
                f"not said, and the provider does not read it; with less than {_JUMBO} "
                f"{needs.jumbo_for} is slower; nearest: what {show} shows",
            )
        elif needs.mtu < _JUMBO:
            yield Problem(
                f"{AT}.mtu",
                f"with {needs.mtu} {needs.jumbo_for} is slower, by up to a tenth; "
                f"nearest: {_JUMBO}, by whoever owns the network",
            )
    if not found.nats:
        seen = "has no Cloud NAT" if found.nats is not None else "may have a Cloud NAT or not: its"
        routers = "" if found.nats is not None else " routers may not be listed"
        yield Problem(
            f"{AT}.network",
            f'"{found.name}" {seen}{routers} in {found.region}; without a way out, nodes pull no '
            "image and no model from outside Google; nearest: a Cloud NAT, or mirrors in Artifact "
            "Registry and buckets",
        )


def _secondary_problems(found: NetworkFacts, needs: NetworkNeeds) -> Iterator[Problem]:
    if needs.pods_range == needs.services_range:
        yield Problem(
            f"{AT}.services_range",
            f'"{needs.services_range}" is the range of the pods, and services need another; '
            f"nearest: {_nearest(needs.services_range, found, needs.pods_range)}",
        )
    for name, key, check in (
        (needs.pods_range, "pods_range", check_pods_range),
        (needs.services_range, "services_range", check_services_range),
    ):
        text = found.secondary_ranges.get(name)
        if text is None:
            yield Problem(
                f"{AT}.{key}",
                f'"{name}" is not a secondary range of {found.subnetwork_name}; '
                f"nearest: {_nearest(name, found)}",
            )
            continue
        broken = problem_of(f"{AT}.{key}", partial(check, text))
        yield from broken
        if key == "pods_range" and not broken:
            yield from pods_problems(f"{AT}.{key}", text, needs.pools)


def _nearest(name: str, found: NetworkFacts, other: str | None = None) -> str:
    there = [it for it in found.secondary_ranges if it != other]
    near = get_close_matches(name, there, n=1, cutoff=0.3) or there[:1]
    return near[0] if near else "a subnetwork with two secondary ranges"
