"""The network of the cluster."""

from stacks.parts.network.advice import advice
from stacks.parts.network.rules import RULES
from stacks.parts.part import Part

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


PART = Part(key="network", rules=RULES, stand_ins=lambda _: _STAND_INS, advice=(advice,))
