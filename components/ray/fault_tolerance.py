"""Where a Ray cluster keeps what its head knows, so that another head goes on when that is lost.

Source: ray-project/kuberay ray-operator v1.4.2, controllers/ray/common/pod.go:73 (what it makes of
the options), utils/validation.go:47 (what it refuses beside them), raycluster_controller.go:204
(what it does when the cluster goes).

Ray recommends it for Ray Serve alone (its documentation, "GCS fault tolerance in KubeRay"). A job
whose driver was on the lost head fails (ray 2.56.0, dashboard/modules/job/job_manager.py), where
without this KubeRay would submit it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

PASSWORD_KEY = "REDIS_PASSWORD"
# Seen with KubeRay 1.4.2 and Kueue 0.19.2 (its pkg/controller/jobframework/reconciler.go:766).
IN_A_QUEUE = (
    "has a cluster in a queue never go: Kueue keeps the Job that clears Redis suspended once the "
    "cluster's workload is gone"
)


@dataclass(frozen=True, kw_only=True)
class RayFaultToleranceArgs:
    """`redis_address` is redis://HOST:PORT of one Redis that is no cluster. `secret_name` is a
    Secret with the password under `secret_key`; without one there is no password.

    When the cluster goes, KubeRay clears Redis with a Job of the head's image, and the cluster
    stays until that is over: Redis and the Secret have to go after it, which they do by these
    inputs.

    `storage_namespace` is the prefix of the cluster's keys, which no two clusters may share. Left
    out it is the cluster's UID: one that replaces another then never begins with its state.
    `backing` is the RedisInstance's own: what the cluster is replaced with.
    """

    redis_address: pulumi.Input[str]
    secret_name: pulumi.Input[str] | None = None
    secret_key: str = PASSWORD_KEY
    storage_namespace: str | None = None
    backing: Sequence[pulumi.Resource] = ()


def fault_tolerance_fields(
    wanted: RayFaultToleranceArgs | None,
) -> dict[str, Any]:
    """What a RayCluster's spec says about it. KubeRay gives the head the rest."""
    if wanted is None:
        return {}
    options: dict[str, Any] = {"redisAddress": wanted.redis_address}
    if wanted.secret_name is not None:
        reference = {"name": wanted.secret_name, "key": wanted.secret_key}
        options["redisPassword"] = {"valueFrom": {"secretKeyRef": reference}}
    if wanted.storage_namespace is not None:
        options["externalStorageNamespace"] = wanted.storage_namespace
    return {"gcsFaultToleranceOptions": options}
