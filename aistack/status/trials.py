"""The least object of each kind of work, by which the API server asks every webhook of that kind
whether it may be made. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.kinds import JOB, JOB_SET, POD, RAY_CLUSTER, RAY_JOB, Kind

_AMOUNTS = {"cpu": "1m", "memory": "1Mi"}
_POD = {
    "restartPolicy": "Never",
    "containers": [
        {"name": "trial", "image": "trial", "resources": {"requests": _AMOUNTS, "limits": _AMOUNTS}}
    ],
}
_TEMPLATE = {"template": {"spec": _POD}}
_JOB = {"suspend": True, **_TEMPLATE}
_RAY = {"headGroupSpec": {"rayStartParams": {}, **_TEMPLATE}}


def _object(kind: Kind, spec: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = {"generateName": "aistack-trial-"}
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, "spec": spec}


TRIALS: Mapping[Kind, Mapping[str, Any]] = {
    kind: _object(kind, spec)
    for kind, spec in (
        (POD, _POD),
        (JOB, _JOB),
        (
            JOB_SET,
            {"suspend": True, "replicatedJobs": [{"name": "trial", "template": {"spec": _JOB}}]},
        ),
        (RAY_CLUSTER, {"suspend": True, **_RAY}),
        (RAY_JOB, {"suspend": True, "entrypoint": "true", "rayClusterSpec": _RAY}),
    )
}
