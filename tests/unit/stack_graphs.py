"""Stacks of the config files, built for tests that look at what was registered."""

import json
from typing import Any

import pulumi

from stacks.build import build
from stacks.config import validate
from tests.conftest import TOKEN, Recording, Register, changed, stack_config

_BUILT: dict[str, Recording] = {}


def at(path: str, value: Any) -> dict[str, Any]:
    """One change, by a path that is no Python name, of a type that says it is none of the keywords
    beside it."""
    return {path: value}


def built(
    register: Register, stack: str, *, keys: tuple[str, ...] = (), **values: Any
) -> Recording:
    """The stack with `values` changed and the secrets `keys`; once, for tests only look at it."""
    which = repr((stack, keys, values))
    if which not in _BUILT:
        plan = validate(changed(stack_config(stack), **values), secrets_set=frozenset(keys))
        secrets = {key: pulumi.Output.secret(TOKEN) for key in keys}
        _BUILT[which] = register(lambda: build(plan, secrets), stack=stack)
    return _BUILT[which]


def fingerprint(made: Recording) -> str:
    """Two are the same where the engine would see no difference."""
    return json.dumps(
        sorted([it.urn, it.protect, json.dumps(it.inputs, sort_keys=True)] for it in made.resources)
    )


def options_of(made: Recording) -> dict[str, str]:
    """The `key=value` parameters of the training's entrypoint."""
    words = made.one(":RayJob").inputs["spec"]["entrypoint"].split(" ")
    return dict(word.split("=", 1) for word in words if "=" in word)


def before_ray(made: Recording) -> set[str]:
    """Names of what the stack's RayCluster waits for."""
    return made.waits_for(made.one(":RayCluster").name)


def pods_of(made: Recording) -> tuple[dict[str, Any], dict[str, Any]]:
    """The pod templates of Ray's head and of its workers."""
    spec = made.one(":RayCluster").inputs["spec"]
    return spec["headGroupSpec"]["template"], spec["workerGroupSpecs"][0]["template"]
