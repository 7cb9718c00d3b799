"""What is compared of two stacks: their simulated cloud, and the engine's record of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from sandbox.cloud.given_back import GivenBack
from tests.stacks.conftest import Sandbox

Facts = dict[str, Any]

# Those that a config names are there with it, and none of the stack's.
LENT = ("gcp:artifactregistry/repository:Repository", "gcp:compute/image:Image")
# What a server notes of an object, which says nothing of what was asked for.
_NOTED = frozenset({"uid", "resourceVersion", "creationTimestamp", "generation"})
# What turns off something that a first `up` does not have.
_OFF = (
    {"securityGroup": ""},
    {"evaluationMode": "DISABLED"},
    {"hpaProfile": "NONE"},
    {
        "recurringWindow": {
            "startTime": "2026-01-01T00:00:00Z",
            "endTime": "2026-01-01T23:59:00Z",
            "recurrence": "FREQ=DAILY",
        }
    },
    {
        "cidrBlocks": [{"cidrBlock": "0.0.0.0/0", "displayName": "everywhere"}],
        "gcpPublicCidrsAccessEnabled": True,
    },
)
# Parts of the engine's record of a resource that say when it was made and by which line of which
# folder, and what the cloud chose.
_OF_ONE_RUN = frozenset(
    {
        "id",
        "outputs",
        "created",
        "modified",
        "sequenceNumber",
        "resourceHooks",
        "sourcePosition",
        "stackTrace",
    }
)
# Helm never takes away the definitions that stand in a chart's crds/.
_LEFT_BY_HELM = re.compile(
    r"CustomResourceDefinition\|\|\w+\.(ray\.io|jobset\.x-k8s\.io|resource\.nvidia\.com)$"
)


def facts_of(sandbox: Sandbox, without: str = "") -> Facts:
    """What is in the simulated cloud, by what it is; of what controllers made, how many; without
    a namespace of people's own."""
    document: dict[str, Any] = json.loads(sandbox.workspace.cloud_file.read_bytes())
    found: Facts = {}
    for key, it in document["resources"].items():
        if it["type"] in LENT and not it["urns"]:
            continue
        dashboard = it["type"].endswith(":Dashboard")
        # How many nodes a pool began with says nothing of how many it has.
        inputs = {name: value for name, value in it["inputs"].items() if name != "initialNodeCount"}
        inputs = {name: value for name, value in inputs.items() if value not in _OFF}
        found[it["type"] if dashboard else key] = {"type": it["type"], "inputs": inputs}
    for cluster, store in document["clusters"].items():
        made: Counter[str] = Counter()
        scaled = _scaled(store)
        for key, kept in store.get("objects", {}).items():
            it = kept["object"]
            owners = it["metadata"].get("ownerReferences")
            if without and without in (it["metadata"].get("namespace"), it["metadata"]["name"]):
                continue
            if _LEFT_BY_HELM.search(key) or (owners and owners[0]["name"].startswith(scaled)):
                continue
            if owners:
                placed = "placed " if it.get("spec", {}).get("nodeName") else ""
                made[f"{placed}{it['kind']} of {owners[0]['kind']}"] += 1
            else:
                found[f"{cluster} {key}"] = _wanted(it)
                if it["metadata"]["name"] in scaled:
                    found[f"{cluster} {key}"].get("spec", {}).pop("replicas", None)
        if made:
            found[f"{cluster} made by controllers"] = dict(made)
    return found


def record_of(sandbox: Sandbox) -> Facts:
    """What the engine acts by in its record of a stack: all but what differs between two runs that
    did the same. With one record and one cloud the next preview is the same, and so is a destroy.
    """
    state = sandbox.state()
    found = {it["urn"]: _recorded(it) for it in state.get("resources", [])}
    # The same name twice is one that still has to be deleted.
    return {
        **found,
        "count": len(state.get("resources", [])),
        "left": state.get("pending_operations"),
    }


def _recorded(resource: Facts) -> Facts:
    kept = {key: it for key, it in resource.items() if key not in _OF_ONE_RUN}
    hooks = resource.get("resourceHooks") or {}
    return {
        **_readable(kept),
        # A provider is named with an id of its own.
        "provider": resource.get("provider", "").rpartition("::")[0],
        # The engine keeps them in no order.
        "dependencies": sorted(resource.get("dependencies", [])),
        "propertyDependencies": {
            name: sorted(them or [])
            for name, them in resource.get("propertyDependencies", {}).items()
        },
        "hooks of a destroy": {when: it for when, it in hooks.items() if when.endswith("Delete")},
    }


def _readable(it: Any) -> Any:
    """Secrets are encrypted anew in every run; the cloud has digests of them."""
    if isinstance(it, dict):
        return {key: _readable(value) for key, value in it.items() if key != "ciphertext"}
    return [_readable(value) for value in it] if isinstance(it, list) else it


def _scaled(store: dict[str, Any]) -> tuple[str, ...]:
    """What an autoscaler has: how many pods it is at says nothing of what was asked for."""
    objects = [kept["object"] for kept in store.get("objects", {}).values()]
    scalers = [it for it in objects if it["kind"] == "HorizontalPodAutoscaler"]
    return tuple(it["spec"]["scaleTargetRef"]["name"] for it in scalers)


def _wanted(it: dict[str, Any]) -> dict[str, Any]:
    it = {**it, "spec": _unbound(it["spec"])} if it["kind"] == "PersistentVolume" else it
    metadata = {key: value for key, value in it["metadata"].items() if key not in _NOTED}
    digests = it.get("sandboxSecretDigests")
    # Digests are salted, and differ with each cloud.
    secrets = {} if digests is None else {"sandboxSecretDigests": sorted(digests)}
    wanted = {key: value for key, value in it.items() if key != "status"}
    return {**wanted, "metadata": metadata, **secrets}


def _unbound(volume: dict[str, Any]) -> dict[str, Any]:
    """A volume's claim by its name, not by its id."""
    claim = {key: value for key, value in volume.get("claimRef", {}).items() if key not in _NOTED}
    return {**volume, "claimRef": claim}


def differing(fresh: Facts, changed: Facts) -> list[str]:
    """How a cloud that was changed differs from one that came up anew; what the new config leaves
    out and the provider keeps as it was is no difference."""
    table = GivenBack.load()
    kept = {
        key: {**it, "inputs": table.of(it["type"]).with_kept(changed[key]["inputs"], it["inputs"])}
        for key, it in fresh.items()
        if key in changed and "inputs" in it and it["type"] == changed[key].get("type")
    }
    return list(_differing({**fresh, **kept}, changed))


def _differing(one: Any, other: Any, path: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}, key=str):
            yield from _differing(one.get(key), other.get(key), f"{path}/{key}")
    elif one != other:
        yield f"{path}: {str(one)[:200]} / {str(other)[:200]}"
