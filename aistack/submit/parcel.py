"""The objects of a job, as the cluster is to have them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from aistack.errors import VerbError
from aistack.find import Found
from aistack.job import MANAGER
from aistack.offered import offered_up
from aistack.submit.render import Difference
from components.base.labels import MANAGED_BY, SUBMITTED_BY, name_as_label
from components.base.naming import NameKind, cloud_name
from components.queues.labels import QUEUE_LABEL
from kube.jobs import pod_groups
from kube.kinds import (
    COMPUTE_DOMAIN,
    CONFIG_MAP,
    DEPLOYMENT,
    JOB,
    JOB_SET,
    NETWORK_POLICY,
    RAY_CLUSTER,
    RAY_JOB,
    RESOURCE_CLAIM_TEMPLATE,
    SERVICE,
)
from kube.objects import JsonObject, labels_of, maps, name_of
from stacks.secret_references import SecretKey

# Another one in each submission, by which it knows its own.
MARK = "gke-ai-stacks/submission"
_WORK = (JOB, JOB_SET, RAY_JOB)
# In the order in which they are made: what pods need is there before them.
_KINDS = (CONFIG_MAP, NETWORK_POLICY, SERVICE, RESOURCE_CLAIM_TEMPLATE, COMPUTE_DOMAIN, *_WORK)
# Pods of other work: a job with pods of its own needs no change of them, such as of how they read a
# bucket that it mounts, too.
_OF_OTHERS = (*_WORK, RAY_CLUSTER, DEPLOYMENT)


@dataclass(frozen=True)
class Parcel:
    """`work` is the job itself, `beside` what goes with it, and `files` what its RayCluster's head
    is to have besides. `secrets` are those that its pods need, and who names each."""

    work: Found
    beside: tuple[Found, ...]
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: Mapping[SecretKey, str] = field(default_factory=dict[SecretKey, str])

    @property
    def namespace(self) -> str:
        return self.work.obj["metadata"]["namespace"]

    @property
    def queue(self) -> str:
        return labels_of(self.work.obj).get(QUEUE_LABEL, "")


def submitted_by(parcel: Parcel, name: str) -> Parcel:
    """With a label on the job that says who has submitted it, as far as a label can."""
    label = name_as_label(name)
    if label is None:
        return parcel
    metadata = parcel.work.obj["metadata"]
    labels = {**metadata["labels"], SUBMITTED_BY: label}
    obj = {**parcel.work.obj, "metadata": {**metadata, "labels": labels}}
    return replace(parcel, work=Found(parcel.work.kind, obj))


def without_service_links(parcel: Parcel) -> Parcel:
    """With pods that get no variables of the namespace's Services: of one named vllm there would be
    VLLM_PORT, an address, and vLLM ends where that is no number (vllm-project/vllm issue 34199;
    kubernetes/kubernetes v1.35.4 staging/src/k8s.io/api/core/v1/types.go, EnableServiceLinks)."""
    obj = _unlinked(parcel.work.obj)
    return replace(parcel, work=Found(parcel.work.kind, obj))


def _unlinked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unlinked(it) for it in value]
    if not isinstance(value, Mapping):
        return value
    found = {key: _unlinked(it) for key, it in value.items()}
    is_pod = isinstance(value.get("containers"), list)
    return {**found, "enableServiceLinks": False} if is_pod else found


def packed(found: Difference) -> Parcel:
    """Raises VerbError where the stack has to change for the job."""
    mark = secrets.token_hex(8)
    new = [_known(it, mark) for it in found.new.values()]
    others = [key for it, key in zip(new, found.new, strict=True) if it is None]
    objects = sorted((it for it in new if it is not None), key=lambda it: _KINDS.index(it.kind))
    work = [it for it in objects if it.kind in _WORK]
    own_pods = [it.kind for it in work] == [JOB_SET]
    stays = {CONFIG_MAP.name, *(it.name for it in _OF_OTHERS if own_pods)}
    others += [key for key, (_, it) in found.changed.items() if it.get("kind") not in stays]
    if others or len(work) != 1:
        names = ", ".join(sorted(name for _, name in others)) or "several jobs"
        raise VerbError(
            f"the stack would have to change for this job: {names}; "
            f"nearest: the job among the stack's `jobs`, and `{offered_up()}`"
        )
    beside = tuple(it for it in objects if it.kind not in _WORK and it.kind != CONFIG_MAP)
    config_maps = [it for it in objects if it.kind == CONFIG_MAP]
    if work[0].kind != RAY_JOB:
        parcel = Parcel(work[0], (*config_maps, *beside))
        return with_own_templates(parcel, [it.obj for it in beside])
    files: dict[str, str] = {}
    for before, after in found.changed.values():
        files |= {key: it for key, it in after["data"].items() if key not in before["data"]}
    for it in config_maps:
        files |= it.obj["data"]
    return Parcel(work[0], beside, files)


def with_own_templates(parcel: Parcel, objects: Iterable[JsonObject]) -> Parcel:
    """The parcel with templates of its own in place of those among `objects` that its pods claim
    devices by: under a name of the job's, for another job may bring the same."""
    work, kind = parcel.work, RESOURCE_CLAIM_TEMPLATE
    metadata = work.obj["metadata"]
    known = {name_of(it): it for it in objects if it.get("kind") == kind.name}
    own: dict[str, Found] = {}
    obj = deepcopy(work.obj)
    for _, pod in pod_groups(work.kind, obj):
        for claim in maps(pod.get("resourceClaims")):
            name = claim["resourceClaimTemplateName"]
            if name in known:
                own_name = cloud_name(NameKind.KUBERNETES, metadata["name"], name)
                claim["resourceClaimTemplateName"] = own_name
                place = {key: metadata[key] for key in ("namespace", "annotations")}
                labels = {MANAGED_BY: metadata["labels"][MANAGED_BY]}
                whole = {**place, "name": own_name, "labels": labels}
                own[name] = Found(kind, {**known[name], "metadata": whole})
    rest = [it for it in parcel.beside if it.kind != kind or name_of(it.obj) not in own]
    return replace(parcel, work=Found(work.kind, obj), beside=(*rest, *own.values()))


def _known(obj: JsonObject, mark: str) -> Found | None:
    kind = next((it for it in _KINDS if it.name == obj.get("kind")), None)
    return None if kind is None else Found(kind, _ours(obj, mark))


def _ours(obj: JsonObject, mark: str) -> JsonObject:
    metadata = obj["metadata"]
    labels = {**(metadata.get("labels") or {}), MANAGED_BY: MANAGER}
    annotations = {**(metadata.get("annotations") or {}), MARK: mark}
    return {**obj, "metadata": {**metadata, "labels": labels, "annotations": annotations}}
