"""What a run says of pods that keep the old value of a Secret that it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
from pulumi.output import Unknown

from stacks.arguments import plain
from stacks.changed_tokens import changed_keys, warning
from stacks.config import validate
from stacks.on_record import Record
from stacks.property_paths import UNKNOWN, Secret
from stacks.secret_readers import keys_read
from stacks.tokens import SECRETS
from stacks.workloads import DEPLOYMENT, JOB_SET, RAY_CLUSTER
from tests.conftest import stack_config

PLAN = validate(stack_config("lab"), secrets_set=frozenset(SECRETS))
NAMED = {"name": "lab-tokens", "namespace": "default"}
READS = {"valueFrom": {"secretKeyRef": {"name": "lab-tokens", "key": "HF_TOKEN"}}}
OLD, NEW = "b2xkLXZhbHVl", "bmV3LXZhbHVl"


def secret(**data: Any) -> dict[str, Any]:
    return {"metadata": NAMED, "data": data}


def pods(*env: Any, **container: Any) -> dict[str, Any]:
    return {"template": {"spec": {"containers": [{"name": "main", "env": [*env], **container}]}}}


def record(
    token: str, logical: str, spec: Any, status: Any = None, namespace: str = "default"
) -> Record:
    outputs = {
        "metadata": {"name": "own", "namespace": namespace},
        "spec": spec,
        "status": status or {},
    }
    return Record({f"urn:pulumi:s::p::{token}::{logical}": {"type": token, "outputs": outputs}})


CHANGE = (secret(HF_TOKEN=Secret(OLD), SAME="x"), secret(HF_TOKEN=Secret(NEW), SAME="x"))
RUNS = [
    (
        (DEPLOYMENT, "chat-deployment", pods({"name": "HF_TOKEN", **READS})),
        f"servers.chat (`{PLAN.kubectl} --namespace=default rollout restart deployment/own`)",
    ),
    (
        (RAY_CLUSTER, "rl-cluster", {"headGroupSpec": pods({"name": "HF_TOKEN", **READS})}),
        f"ray.rl (`{PLAN.kubectl} --namespace=default delete pod --selector=ray.io/cluster=own`, "
        "which stops what runs there)",
    ),
    (
        (JOB_SET, "cifar-10-job-set", pods({"name": "HF_TOKEN", **READS})),
        "jobs.cifar-10 (`pulumi up --stack s --replace "
        f"urn:pulumi:s::p::{JOB_SET}::cifar-10-job-set`, which begins it anew)",
    ),
    (
        (JOB_SET, "else", pods(envFrom=[{"secretRef": {"name": "lab-tokens"}}])),
        f"else (`pulumi up --stack s --replace urn:pulumi:s::p::{JOB_SET}::else`, which begins "
        "it anew)",
    ),
]


@pytest.mark.parametrize(("resource", "said"), RUNS)
def test_what_has_the_old_value_is_told_with_the_command_that_starts_it_again(
    resource: tuple[str, str, Any], said: str
) -> None:
    line = warning(PLAN, record(*resource), *CHANGE)
    assert line == (
        "HF_TOKEN of the Secret lab-tokens changes, and pods that run keep the old value: "
        "variables of a running container never change. Before you revoke the old value, start "
        "again what has it: "
        f"{said}"
    )


@pytest.mark.parametrize(("resource", "said"), RUNS)
def test_no_value_is_told(resource: tuple[str, str, Any], said: str) -> None:
    line = warning(PLAN, record(*resource), *CHANGE)
    assert line
    assert OLD not in line
    assert NEW not in line


ENDED = {"conditions": [{"type": "Completed", "status": "True"}]}


@pytest.mark.parametrize(
    "found",
    [
        record(DEPLOYMENT, "chat-deployment", pods({"name": "A", "value": "lab-tokens"})),
        record(DEPLOYMENT, "chat-deployment", pods({"name": "A", **READS}), namespace="other"),
        record(JOB_SET, "tune", pods({"name": "A", **READS}), ENDED),
        record(JOB_SET, "tune", pods(envFrom=[{"secretRef": {"name": "another"}}])),
        Record(),
    ],
    ids=["no reference", "another namespace", "has ended", "another Secret", "nothing runs"],
)
def test_nothing_is_said_of_what_has_no_old_value(found: Record) -> None:
    assert warning(PLAN, found, *CHANGE) is None


def test_what_has_the_old_value_is_told_in_one_order_whatever_the_records_is() -> None:
    found = [it for resource, _ in RUNS for it in record(*resource).resources]
    by_urn = {it.urn: {"type": it.type, "outputs": it.outputs} for it in found}
    backwards = dict(reversed(by_urn.items()))
    assert warning(PLAN, Record(by_urn), *CHANGE) == warning(PLAN, Record(backwards), *CHANGE)


KEYS = [
    (secret(A="1"), secret(A="1"), []),
    (secret(A="1"), secret(A="2", B="1"), ["A"]),
    (secret(A="1", B="1"), secret(A="1"), ["B"]),
    (secret(A="1"), secret(A=UNKNOWN), []),
    ({"data": Secret({"A": "1"})}, {"data": Secret({"A": "2"})}, ["A"]),
    ({"data": Secret({"A": "1"})}, {"data": UNKNOWN}, []),
    ({}, secret(A="1"), []),
]


@pytest.mark.parametrize(("old", "new", "keys"), KEYS)
def test_a_key_has_changed_when_its_old_value_is_no_more(
    old: Mapping[str, Any], new: Mapping[str, Any], keys: list[str]
) -> None:
    assert changed_keys(old, new) == keys


def test_keys_are_compared_as_a_hook_has_them() -> None:
    async def compared() -> list[str]:
        old, new = ({"data": pulumi.Output.secret({"A": it})} for it in ("1", "2"))
        return changed_keys(await plain(old), await plain(new))

    assert asyncio.run(compared()) == ["A"]


def test_what_a_hook_does_not_know_yet_is_unknown_with_all_that_is_in_it() -> None:
    async def known() -> Any:
        return await plain({"data": pulumi.Output.all(A="1", B=Unknown()), "kept": "x"})

    assert asyncio.run(known()) == {"data": UNKNOWN, "kept": "x"}


def test_a_reference_is_found_wherever_an_object_has_its_pods() -> None:
    spec = {"groups": [{"template": pods({"name": "A", **READS}, envFrom=[{"configMapRef": {}}])}]}
    assert list(keys_read(spec)) == [("lab-tokens", "HF_TOKEN")]
