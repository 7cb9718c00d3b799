"""A protected stack of every guarded kind of resource that one run can replace, and entries of
`acknowledge` that match nothing in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.stacks.config_sandbox import config_sandbox
from tests.stacks.conftest import Sandbox

_POD: dict[str, Any] = {"requests": {"cpu": 1, "memory_gib": 2, "ephemeral_storage_gib": 8}}
CONFIG: dict[str, Any] = {
    "name": "held",
    "namespace": "research",
    "cluster": {"location": "zonal"},
    "pools": {
        "gpu": {"machine_type": "g2-standard-8", "nodes": 1},
        "cpu": {"machine_type": "e2-standard-4", "nodes": 1},
    },
    "lustre": {"name": "held", "capacity_gib": 9000, "throughput_mbps_per_tib": 1000},
    "redis": {},
    "ray": {"main": {"head": {**_POD, "redis": True}, "workers": {"cpu": _POD}}},
    "buckets": {"data": {}},
    "queues": {},
}
TIER = {"lustre": {**CONFIG["lustre"], "capacity_gib": 18000, "throughput_mbps_per_tib": 500}}
TO_500 = {"resource": "lustre-instance", "property": "perUnitStorageThroughput", "to": 500}
TO_1000 = {**TO_500, "to": 1000}


def brought(folder: Path, **values: Any) -> Sandbox:
    return config_sandbox(folder, **{**CONFIG, **values})


# By what is wrong: the change, the entries and what is said.
STALE: dict[str, tuple[dict[str, Any], list[dict[str, Any]], str]] = {
    "an entry of an earlier release, without a value": (
        TIER,
        [{"resource": "lustre-instance", "property": "perUnitStorageThroughput"}],
        "does not say what lustre-instance becomes; nearest: {resource: lustre-instance, "
        "property: perUnitStorageThroughput, to: 500}",
    ),
    "a removal of an earlier release": (
        {"buckets": {}},
        [{"resource": "data-bucket", "property": "removed"}],
        "nearest: {resource: data-bucket, to: removed}",
    ),
    "another value than the one that comes": (
        TIER,
        [{**TO_500, "to": 250}],
        "becomes 500, not 250; nearest: delete {resource: lustre-instance",
    ),
    "a value of the last change": ({}, [TO_500], "becomes 1000, not 500; nearest: delete"),
    "a misspelt resource": (
        TIER,
        [{**TO_500, "resource": "lustre-instanc"}],
        "the program has no lustre-instanc; nearest: {resource: lustre-instance, ",
    ),
    "a misspelt property": (
        TIER,
        [{**TO_500, "property": "perUnitStorageThroughPut"}],
        "has no perUnitStorageThroughPut in this config; nearest: {resource: lustre-instance, "
        "property: perUnitStorageThroughput, to: 500}",
    ),
    "the name of a component": (
        {},
        [{"resource": "lustre", "to": "removed"}],
        "neither the program nor the state has lustre, and the state does not say that an `up` "
        "with this entry took it away; nearest: delete {resource: lustre, to: removed}",
    ),
    "the config of a name that no resource has": (
        {},
        [{"resource": "gke", "to": "config 00000000"}],
        "the program has no gke; nearest: delete",
    ),
    "a misspelt removal": (
        {"lustre": None},
        [{"resource": "lustre-instanc", "to": "removed"}],
        "neither the program nor the state has lustre-instanc, and the state does not say that an "
        "`up` with this entry took it away; nearest: {resource: lustre-instance, to: removed}, or "
        "delete {resource: lustre-instanc, to: removed}",
    ),
    "a misspelt removal of what is not guarded": (
        {"lustre": None},
        [{"resource": "volume-clam", "to": "removed"}],
        "nearest: {resource: volume-claim, to: removed}, or delete {resource: volume-clam",
    ),
    "a removal of a job that was never there": (
        {},
        [{"resource": "tune-job", "to": "removed"}],
        "neither the program nor the state has tune-job",
    ),
    "a removal of a pool without accelerators, which stays": (
        {},
        [{"resource": "cpu-pool", "to": "removed"}],
        "the program has cpu-pool, so it is not removed; nearest: delete",
    ),
    "the instance of a misspelt resource": (
        {},
        [{"resource": "gpu-pol", "to": "replaced 00000000"}],
        "the program has no gpu-pol; nearest: delete {resource: gpu-pol, to: replaced 00000000}",
    ),
    "a removal of what stays": (
        {},
        [{"resource": "data-bucket", "to": "removed"}],
        "the program has data-bucket, so it is not removed; nearest: delete",
    ),
    "a property of what is removed": (
        {"lustre": None},
        [TO_500],
        "the program no longer has lustre-instance, so all of it is removed; nearest: "
        "{resource: lustre-instance, to: removed}, or delete {resource: lustre-instance",
    ),
    "a resource with a name near that of one which stays": (
        {},
        [{**TO_500, "resource": "redis-instanc"}],
        "the program has no redis-instanc; nearest: delete {resource: redis-instanc",
    ),
    "a value without its property": (
        TIER,
        [{"resource": "lustre-instance", "to": 500}],
        "500 is the value of a property, and none is named",
    ),
    "the fingerprint of another config": (
        TIER,
        [{"resource": "lustre-instance", "to": "config 00000000"}],
        "it agrees to what another config does",
    ),
    "the same twice": (TIER, [TO_500, TO_500], "stands in acknowledge[0], too"),
    "two values of one property": (TIER, [TO_1000, TO_500], "stands in acknowledge[0], too"),
}
