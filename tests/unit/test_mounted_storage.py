"""Work that mounts storage goes when the storage goes: no change takes a claim, a volume, a bucket
or a Lustre instance from under what stays.

That the engine makes anew what has `replace_with`, or a property of what goes, is shown in
tests/stacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cli.project import stack_names
from stacks.config import validate
from stacks.refusal import LUSTRE
from stacks.workloads import JOB, JOB_SET, RAY_CLUSTER, RAY_JOB, WORKLOADS, ray_cluster_of
from tests.conftest import Recording, Registered, stack_config
from tests.programs import WITH_TOKEN, registered
from tests.unit.effect_stacks import BASES

BUCKET = "gcp:storage/bucket:Bucket"
CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
VOLUME = "kubernetes:core/v1:PersistentVolume"
BACKING = (BUCKET, LUSTRE)
STACKS = {**{it: stack_config(it) for it in stack_names()}, **BASES}
# Every kind of work on every kind of storage.
ALL_KINDS = ("two rl", "verl-b200", "scripts", "vllm")
STORED = [it for it, config in STACKS.items() if config.get("buckets") or config.get("lustre")]
OTHERS = [it for it in STORED if it not in ALL_KINDS]


@cache
def made(stack: str, folder: Path) -> Recording:
    return registered(validate(STACKS[stack], secrets_set=WITH_TOKEN), folder=folder)


def mounts(recording: Recording, work: Registered) -> Iterator[Registered]:
    """What is under the pods of an object, or of the RayCluster that a job is sent to."""
    claims = [*said(work.inputs["spec"], "claimName")]
    yield from (it for it in recording.of_type(CLAIM) if it.inputs["metadata"]["name"] in claims)
    buckets = [*said(work.inputs["spec"], "bucketName")]
    yield from (it for it in recording.of_type(BUCKET) if it.inputs["name"] in buckets)
    for volume in recording.of_type(VOLUME):
        if volume.inputs["spec"]["claimRef"]["name"] in claims:
            yield volume
            under = volume.property_dependencies["spec"]
            yield from (it for it in recording.resources if it.type in BACKING if it.urn in under)
    for cluster in recording.of_type(RAY_CLUSTER):
        if cluster.inputs["metadata"]["name"] == ray_cluster_of(work.inputs):
            yield from mounts(recording, cluster)


def said(value: Any, key: str) -> Iterator[str]:
    """Whatever stands under the key, at any depth."""
    inner = value if isinstance(value, list) else []
    if isinstance(value, dict):
        inner = value.values()
        if key in value:
            yield value[key]
    for it in inner:
        yield from said(it, key)


def pairs(recording: Recording) -> Iterator[tuple[Registered, Registered]]:
    """Work, and what it mounts."""
    for work in recording.resources:
        if work.type in WORKLOADS:
            yield from ((work, storage) for storage in mounts(recording, work))


def makes_anew(recording: Recording, work: Registered) -> set[str]:
    """What takes the work along when it is replaced."""
    if "spec" not in work.replace_on_changes:
        return {*work.replace_with}
    by_value = work.property_dependencies["spec"]
    grants = [it for it in recording.of_type(":BucketIAMMember") if it.urn in by_value]
    # Another bucket is another grant.
    granted = {urn for it in grants for urn in it.property_dependencies["bucket"]}
    return {*work.replace_with, *by_value, *granted}


@pytest.mark.parametrize(
    "stack", [*ALL_KINDS, *(pytest.param(it, marks=pytest.mark.thorough) for it in OTHERS)]
)
def test_what_mounts_storage_is_made_anew_with_it(stack: str, folder: Path) -> None:
    recording = made(stack, folder)
    for work, storage in pairs(recording):
        assert storage.urn in makes_anew(recording, work), f"{work.name} on {storage.name}"
        assert storage.delete_before_replace


def test_every_kind_of_work_mounts_every_kind_of_storage_that_it_can(folder: Path) -> None:
    stacks = [made(it, folder) for it in ALL_KINDS]
    assert {(work.type, storage.type) for it in stacks for work, storage in pairs(it)} == {
        *((work, BUCKET) for work in (RAY_CLUSTER, RAY_JOB, JOB_SET, JOB)),
        *((work, it) for work in (RAY_CLUSTER, RAY_JOB, JOB) for it in (CLAIM, VOLUME)),
        *((work, LUSTRE) for work in (RAY_CLUSTER, RAY_JOB)),
    }
