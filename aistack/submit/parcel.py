"""The objects of a job, as the cluster is to have them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from aistack.errors import VerbError
from aistack.find import Found
from aistack.job import MANAGER
from aistack.kinds import CONFIG_MAP, JOB, JOB_SET, NETWORK_POLICY, RAY_JOB, SERVICE
from aistack.submit.render import Difference
from components.labels import MANAGED_BY
from components.queue_labels import QUEUE_LABEL
from sandbox.kube.objects import JsonObject, labels_of

# Another one in each submission, by which it knows its own.
MARK = "gke-ai-stacks/submission"
_WORK = (JOB, JOB_SET, RAY_JOB)
# In the order in which they are made: what pods need is there before them.
_KINDS = (CONFIG_MAP, NETWORK_POLICY, SERVICE, *_WORK)


@dataclass(frozen=True)
class Parcel:
    """`work` is the job itself, `beside` what goes with it, and `files` what its RayCluster's head
    is to have besides."""

    work: Found
    beside: tuple[Found, ...]
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def namespace(self) -> str:
        return self.work.obj["metadata"]["namespace"]

    @property
    def queue(self) -> str:
        return labels_of(self.work.obj).get(QUEUE_LABEL, "")


def packed(found: Difference) -> Parcel:
    """Raises VerbError where the stack has to change for the job."""
    mark = secrets.token_hex(8)
    new = [_known(it, mark) for it in found.new.values()]
    others = [key for it, key in zip(new, found.new, strict=True) if it is None]
    others += [key for key, (_, it) in found.changed.items() if it.get("kind") != CONFIG_MAP.name]
    objects = sorted((it for it in new if it is not None), key=lambda it: _KINDS.index(it.kind))
    work = [it for it in objects if it.kind in _WORK]
    if others or len(work) != 1:
        names = ", ".join(sorted(name for _, name in others)) or "several jobs"
        raise VerbError(
            f"the stack would have to change for this job: {names}; "
            "nearest: the job among the stack's `jobs`, and `pulumi up`"
        )
    beside = tuple(it for it in objects if it.kind not in _WORK and it.kind != CONFIG_MAP)
    maps = [it for it in objects if it.kind == CONFIG_MAP]
    if work[0].kind != RAY_JOB:
        return Parcel(work[0], (*maps, *beside))
    files: dict[str, str] = {}
    for before, after in found.changed.values():
        files |= {key: it for key, it in after["data"].items() if key not in before["data"]}
    for it in maps:
        files |= it.obj["data"]
    return Parcel(work[0], beside, files)


def _known(obj: JsonObject, mark: str) -> Found | None:
    kind = next((it for it in _KINDS if it.name == obj.get("kind")), None)
    return None if kind is None else Found(kind, _ours(obj, mark))


def _ours(obj: JsonObject, mark: str) -> JsonObject:
    metadata = obj["metadata"]
    labels = {**(metadata.get("labels") or {}), MANAGED_BY: MANAGER}
    annotations = {**(metadata.get("annotations") or {}), MARK: mark}
    return {**obj, "metadata": {**metadata, "labels": labels, "annotations": annotations}}
