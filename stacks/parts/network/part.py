"""The network of the cluster."""

from collections.abc import Iterator

from stacks.parts.network.advice import advice
from stacks.parts.network.rules import RULES
from stacks.parts.part import Part
from stacks.plan import Plan

_STAND_INS = (
    {},
    {
        "existing": {
            "network": "network",
            "subnetwork": "nodes",
            "pods_range": "pods",
            "services_range": "services",
        }
    },
)


def apis(plan: Plan) -> Iterator[str]:
    if plan.stack.makes_peering:
        yield "servicenetworking"


PART = Part(key="network", rules=RULES, stand_ins=lambda _: _STAND_INS, apis=apis, advice=(advice,))
