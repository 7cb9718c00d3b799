"""What no config may say, in refused/*.yaml: a stack and what is changed in it, by paths as
`tests.conftest.changed` has them, then the field that is named and words of its line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.conftest import stack_config
from tests.parts.claim_samples import CLAIMED
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM
from tests.parts.machine_samples import FALCON, NVLINK
from tests.parts.preset_samples import TPU_AUTOPILOT
from tests.parts.samples import HARDENED, SAMPLES, SERVE_ALONE
from tests.parts.test_taints import STACK as TAINTED
from tests.unit import script_samples
from tests.unit.effect_queues import EITHER
from tests.unit.team_stack import LAB

_FOLDER = Path(__file__).parent / "refused"
_PRESET = "Pulumi."
STACKS: dict[str, dict[str, Any]] = {
    **SAMPLES,
    "claimed": CLAIMED,
    "either": EITHER,
    "falcon": FALCON,
    "hardened": HARDENED,
    "in-cluster": IN_CLUSTER,
    "nvlink": NVLINK,
    "on-network": ON_NETWORK,
    "on-platform": ON_PLATFORM,
    "scripts": script_samples.STACK,
    "scripts-b200": script_samples.B200,
    "serve-alone": SERVE_ALONE,
    "tainted": TAINTED,
    "teams": LAB,
    "tpu-autopilot": TPU_AUTOPILOT,
}


class Refused(NamedTuple):
    """`values` are set in `stack` by their paths; `words` are in the line about `field`."""

    stack: dict[str, Any]
    values: dict[str, Any]
    field: str
    words: str


def _rows() -> Iterator[Refused]:
    for file in sorted(_FOLDER.glob("*.yaml")):
        for (name, values), (field, words) in map(dict.items, yaml.safe_load(file.read_text())):
            stack = stack_config(name[len(_PRESET) :]) if name.startswith(_PRESET) else STACKS[name]
            yield Refused(stack, values, field, words)


# Too long to be written out.
_LONG: list[Refused] = [
    Refused(
        SAMPLES["bare"],
        {"buckets__data": {"lifecycle": [{"action": "delete", "age_days": 1}] * 101}},
        "buckets.data.lifecycle",
        "101 rules are more than a bucket takes; nearest: 100 of them",
    ),
]
REFUSED = [*_rows(), *_LONG]
