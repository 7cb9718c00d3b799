"""What is tried of changes: every field of the config in a small stack that has it, what used to
break in the presets, and what stacks stand on that they did not make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from cli.project import stack_names
from tests.conftest import changed, stack_config
from tests.stacks.change_case import Case, Change, case_of
from tests.stacks.change_rule import Config
from tests.stacks.existing_changes import CASES as EXISTING_CASES
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES
from tests.unit.script_samples import B200, CHAT, RAY, STACK

# Each is tried on some of the presets, on another one each.
_EVERYWHERE: list[Change] = [
    {"cluster__location": "zonal"},
    {"cluster__location": "regional"},
    {"cluster__name": "other"},
    {"name": "other"},
    {"network__subnet": "10.20.0.0/20"},
    {"network__pods": "10.24.0.0/14"},
    {"network__services": "10.21.0.0/20"},
    {"network__control_plane": "10.22.0.0/28"},
    {"namespace": "elsewhere"},
    {"labels__purpose": "other"},
    {"project": "other-project"},
]
_OWN: dict[str, list[Change]] = {
    "b200-lustre": [
        {"network__peering": "10.96.0.0/16"},
        {"network__peering": "10.96.0.0/16", "labels__purpose": "other"},
        {"jobs__nemo-rl-grpo-test1__max_steps": 30},
        {"lustre__capacity_gib": 18000},
        {"pools__gpu__nodes": 16},
    ],
    "verl-b200": [
        {"network__accelerators__range": "10.128.0.0/16"},
        {"network__accelerators__prefix_length": 25},
        {"pools__gpu__interfaces": "managed"},
        {"service_account": "other"},
        {"ray__b200-ray-cluster__nccl_test": None},
        {"buckets__bucket__role": "objectUser"},
    ],
    "verl-b200-autopilot": [
        {"namespace": "elsewhere"},
        {"pools__gpu__interfaces": "managed"},
    ],
    "tpu-multislice": [
        {
            "pools__v6e-16__topology": "4x8",
            "jobs__maxtext-llama3-8b__ici": {"fsdp": 8, "tensor": 4},
        },
        {"pools__v6e-16__capacity": {"mode": "spot"}},
        {"pools__v6e-16__slices": 1},
        {"pools__v6e-16__interfaces": "own"},
    ],
    "kueue-mixed": [{"namespace": "elsewhere"}],
    "gcsfuse-checkpoint": [{"cluster__ray_operator": "addon"}],
    "dev": [{"cluster__ray_operator": "helm"}],
}
# What moves off a pool that is made anew in the same run.
_MOVED: dict[str, tuple[Config, Change]] = {
    "script on gpus": (
        changed(
            B200, pools__cpu={"machine_type": "e2-standard-16", "nodes": 2}, jobs__train__gpus=8
        ),
        {
            "pools__gpu__max_pods_per_node": 64,
            "jobs__train__gpus": None,
            "jobs__train__pool": "cpu",
        },
    ),
    "server": (
        changed(STACK, **CHAT, jobs=None),
        {"pools__more__max_pods_per_node": 64, "servers__chat__pool": "gpu"},
    ),
    "ray": (
        changed(STACK, pools__more=CHAT["pools__more"], ray={"small": RAY}, jobs=None),
        {"pools__gpu__max_pods_per_node": 64, "ray__small__workers__gpu__pools": "more"},
    ),
}


def _cases() -> Iterator[Case]:
    for base, change in CHANGES:
        yield case_of(base, BASES[base], change)
    for name, (config, change) in _MOVED.items():
        yield case_of(f"{name} moved", config, change)
    presets = stack_names()
    for place, change in enumerate(_EVERYWHERE):
        for preset in presets[place % 4 :: 4]:
            yield case_of(preset, stack_config(preset), change)
    for preset, changes in _OWN.items():
        for change in changes:
            yield case_of(preset, stack_config(preset), change)


CASES = {it.name: it for it in (*_cases(), *EXISTING_CASES)}
# By the name of a case, of its ways "there" and "back" those that are refused, and why.
REFUSED_FILE = Path(__file__).parent / "refused_changes.yaml"
REFUSED: dict[str, dict[str, str]] = yaml.safe_load(REFUSED_FILE.read_text()) or {}
