"""Pods that may have the value before of a Secret that was changed while they ran. Pure.

A container has the values of when it started (stacks/secret_readers.py). When a Secret was changed,
its managed fields say, key by key: their time is "updated if a field is added, the manager changes
any of the owned fields value or removes a field" (kubernetes/kubernetes v1.35.4
staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go, ManagedFieldsEntry), so another label
moves it, too. No value is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from aistack.offered import kubectl, offered, offered_up
from aistack.status.readers import Reader
from aistack.status.snapshot import Snapshot
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from kube.reading import moment
from stacks.secret_readers import restart_of
from stacks.workloads import JOBS


@dataclass(frozen=True, kw_only=True)
class OldValue:
    """`pods` of one workload that started before `keys` of the Secret were `changed`; `restart`
    is empty where nothing of ours makes such pods."""

    namespace: str
    secret: str
    keys: Sequence[str]
    changed: datetime
    workload: str
    pods: Sequence[str]
    restart: str


def old_values(it: Snapshot) -> Sequence[OldValue]:
    changes = {
        (namespace_of(secret), name_of(secret), key): when
        for secret in it.secrets
        for key, when in changes_of(secret).items()
    }
    found: dict[Reader, dict[str, datetime]] = {}
    for reader in it.readers:
        later = {
            key: when
            for (namespace, secret, key), when in changes.items()
            if (namespace, secret) == (reader.namespace, reader.secret)
            and reader.key in ("", key)
            and when > reader.since
        }
        if later:
            found[reader] = later
    return [
        OldValue(
            namespace=namespace,
            secret=secret,
            keys=sorted({key for one in group for key in found[one]}),
            changed=max(when for one in group for when in found[one].values()),
            workload=workload,
            pods=sorted({one.pod for one in group}),
            restart=_restart(it, token, namespace, workload),
        )
        for (namespace, secret, token, workload), each in groupby(sorted(found), _of_one_workload)
        if (group := list(each))
    ]


def _of_one_workload(it: Reader) -> tuple[str, str, str, str]:
    return it.namespace, it.secret, it.token, it.workload


def changes_of(secret: JsonObject) -> Mapping[str, datetime]:
    """When each key was changed last, as far as managers say."""
    found: dict[str, datetime] = {}
    for entry in maps(dig(secret, "metadata", "managedFields")):
        data = dig(entry, "fieldsV1", "f:data")
        when = entry.get("time")
        if isinstance(data, Mapping) and when:
            for field in data:
                if str(field).startswith("f:"):
                    key, time = str(field)[2:], moment(when)
                    found[key] = max(time, found.get(key, time))
    return found


def _restart(it: Snapshot, token: str, namespace: str, workload: str) -> str:
    """What is a job of the stack's own the engine begins anew, and any other its user."""
    if token not in JOBS:
        return restart_of(token, namespace, workload, kubectl()) if token else ""
    again = f"`{offered('cancel', f'{namespace}/{workload}')}`"
    for record in it.made(token):
        metadata = record.inputs.get("metadata") or {}
        if (metadata.get("namespace"), metadata.get("name")) == (namespace, workload):
            return f"{again}, then `{offered_up(refresh=True)}`"
    return f"{again}, and submit it again"
