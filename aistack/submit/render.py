"""What the stack's own program makes of a job: the objects that the engine would be told of.

The program runs twice, without the job and with it, on a monitor that only listens; what the second
run has more is the job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pulumi
from pulumi.runtime import mocks
from pulumi.runtime.settings import set_root_resource
from pulumi.runtime.stack import run_pulumi_func

from aistack.submit.stand_ins import adopted
from cli.project import PROJECT
from kube.objects import JsonObject
from stacks.build import build
from stacks.plan import Plan
from stacks.site import Adopted

_KUBERNETES = "kubernetes:"
_OURS = "pulumi.com/"
Objects = dict[tuple[str, str], JsonObject]


@dataclass(frozen=True)
class Plans:
    """The stack with all its jobs, with those that take room now, and with those and the new one.
    What jobs that have ended needed is still there. `assumed` are operators that none of them is
    to bring, though nobody has."""

    whole: Plan
    without: Plan
    with_job: Plan
    assumed: Sequence[str] = ()


@dataclass(frozen=True)
class Difference:
    """By type and logical name: objects that the job brings, those of the stack that it would
    change, as they are and as they would be, and all that the stack has."""

    new: Objects = field(default_factory=Objects)
    changed: Mapping[tuple[str, str], tuple[JsonObject, JsonObject]] = field(
        default_factory=dict[tuple[str, str], tuple[JsonObject, JsonObject]]
    )
    there: Objects = field(default_factory=Objects)


def difference(plans: Plans, stack: str, folder: Path, operators: Sequence[str]) -> Difference:
    """`folder` has the files that scripts bring; `operators` are those in the stack's cluster."""

    def made(plan: Plan) -> Objects:
        # What stands in for others' parts is made of outputs, which belong to one run's loop.
        def there() -> Adopted:
            return adopted(plan, operators, plans.assumed)

        return _rendered(plan, stack, folder, there)

    before, after = made(plans.without), made(plans.with_job)
    there = before if plans.whole is plans.without else made(plans.whole)
    more = {key: it for key, it in after.items() if there.get(key) != it}
    new = {key: it for key, it in more.items() if key not in before}
    changed = {
        key: (before[key], it) for key, it in more.items() if key in before and before[key] != it
    }
    return Difference(new, changed, there)


class _Listener(mocks.Mocks):
    def __init__(self) -> None:
        self.heard: Objects = {}

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[Any, Any]]:
        given = {key: it for key, it in args.inputs.items() if it is not None}
        if args.typ.startswith(_KUBERNETES):
            self.heard[args.typ, args.name] = _plain(given)
        return f"{args.name}-id", {**given, **_ANSWERS.get(args.typ, {})}

    def call(self, args: mocks.MockCallArgs) -> Any:
        return {**args.args, "number": "0"}


# A control plane that is never asked.
_NAME = "gke-0.us-central1.gke.goog"
# What of others' answers the program looks into; no object of a job has any of it.
_ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "gcp:serviceaccount/account:Account": {"email": ""},
    "gcp:container/cluster:Cluster": {
        "endpoint": "",
        "masterAuth": {"clusterCaCertificate": ""},
        "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": _NAME}},
        "privateClusterConfig": {"privateEndpoint": ""},
    },
    "gcp:lustre/instance:Instance": {"mountPoint": "0.0.0.0@tcp:/lustre"},
    "gcp:artifactregistry/repository:Repository": {"name": ""},
    "gcp:redis/instance:Instance": {"host": "", "port": 0, "authString": ""},
}


def _rendered(plan: Plan, stack: str, folder: Path, there: Callable[[], Adopted]) -> Objects:
    listener = _Listener()
    asyncio.set_event_loop(asyncio.new_event_loop())
    set_root_resource(cast("Any", None))
    mocks.set_mocks(listener, project=PROJECT, stack=stack, preview=False)
    secrets = {it: pulumi.Output.secret("") for it in plan.stack.secrets_set}

    async def program() -> None:
        build(plan, secrets, folder, adopted=there())

    asyncio.get_event_loop().run_until_complete(run_pulumi_func(program))
    return listener.heard


def _plain(value: Any) -> Any:
    """Without the annotations that are for the engine, whose numbers are all floats: of its own
    kinds an API server takes none for an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(it) for key, it in value.items() if not str(key).startswith(_OURS)}
    return [_plain(it) for it in value] if isinstance(value, list) else value
