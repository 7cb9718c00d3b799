"""Chains of commands, each killed in its next operation until one has none left: what they start
from and what they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sandbox.engine import RunResult, Verb
from sandbox.faults import Crash, Degraded, Faults, Stockout
from tests.stacks.conftest import Sandbox

Call = Literal["taken", "lost"]
CALLS: tuple[Call, ...] = ("taken", "lost")
# Killed so often, a run is not getting anywhere.
TOO_OFTEN = 200
# For a chain of up to a hundred runs, with two beside it on 2 cores.
PATIENCE_SECONDS = 1800
# Of a resource in the state, what changes with an operation on it.
_TOLD = ("urn", "id", "modified", "delete", "pendingReplacement")


@dataclass(frozen=True)
class Chain:
    """Of a stack that is up with `before`, or of nothing, or of what an `up` left that failed by
    the rule `half_made`; `touches` is what it makes, replaces or takes away, among others."""

    stack: str
    verb: Verb = "up"
    overrides: tuple[str, ...] = ()
    touches: frozenset[str] = frozenset()
    before: tuple[str, ...] | None = ()
    half_made: Stockout | Degraded | None = None

    @property
    def leaves_a_pool(self) -> bool:
        """After an operation that failed the provider takes the cluster's first pool away in no
        later run."""
        return isinstance(self.half_made, Degraded) and bool(self.half_made.message)


def change(stack: str, *overrides: str, touches: str, before: tuple[str, ...] = ()) -> Chain:
    return Chain(stack, "up", overrides, frozenset(touches.split()), before)


STACKS = ("b200-lustre", "dev", "tpu-elastic")
_WITH_REDIS = ("ray.dev.queue=", "ray.dev.head.redis=true")
NO_QUEUES = ("queues=", "ray.dev.queue=")
IN_ELSEWHERE = "elsewhere"
ELSEWHERE = f"namespace={IN_ELSEWHERE}"
OWN = "pools.gpu.interfaces=own"
_SHORT = Stockout(
    kind="stockout", machine_type="g2-standard-8", zone="us-east4-c", machines=1, minutes=0
)
_DEGRADED = Degraded(kind="degraded", message="an internal error has occurred")
_CHAINS = {
    **{f"up of {stack}": Chain(stack, before=None) for stack in STACKS},
    **{f"destroy of {stack}": Chain(stack, "destroy") for stack in STACKS},
    "up of a pool in an error state": Chain(
        "gcsfuse-checkpoint", before=None, half_made=_SHORT, touches=frozenset({"gpu-pool"})
    ),
    "destroy of a pool in an error state": Chain(
        "gcsfuse-checkpoint", "destroy", before=None, half_made=_SHORT
    ),
    "up of a cluster in an error state": Chain(
        "dev", before=None, half_made=_DEGRADED, touches=frozenset({"gke-cluster"})
    ),
    "destroy of a cluster in an error state": Chain(
        "dev", "destroy", before=None, half_made=_DEGRADED
    ),
    "destroy with people's work": Chain("dev", "destroy", before=(ELSEWHERE,)),
    "GPU pool": change(
        "b200-lustre",
        "pools.gpu.compact_placement=false",
        touches="gpu-pool nccl-daemon-set ray-a4-gpu-spot-cluster nemo-rl-grpo-test1-job",
    ),
    "Lustre instance": change(
        "b200-lustre",
        "lustre.name=other",
        touches="lustre-instance lustre-firewall volume-volume volume-claim",
    ),
    "peering": change(
        "b200-lustre",
        "network.peering=10.96.0.0/16",
        touches="services-range services-peering lustre-instance volume-volume volume-claim",
    ),
    "networks of devices": change(
        "b200-lustre",
        OWN,
        "network.accelerators.range=10.128.0.0/16",
        touches="rdma-subnet-rdma-0 interfaces-parameters-rdma-0 interfaces-network-rdma-0",
        before=(OWN,),
    ),
    "namespace of a claim": change(
        "b200-lustre",
        ELSEWHERE,
        touches="tokens-secret volume-claim ray-a4-gpu-spot-access ray-a4-gpu-spot-cluster",
    ),
    "bucket": change(
        "dev",
        "buckets.bucket.name=other",
        touches="bucket-bucket bucket-user-grant dev-cluster",
    ),
    "namespace": change(
        "dev",
        "namespace=other",
        touches="kube-namespace account-account bucket-user-grant dev-cluster",
        before=(ELSEWHERE,),
    ),
    "CPU pool": change("dev", "pools.cpu.max_pods_per_node=64", touches="cpu-pool"),
    "Redis instance": change(
        "dev",
        *_WITH_REDIS,
        "redis={name: other}",
        touches="redis-instance dev-cluster",
        before=(*_WITH_REDIS, "redis={}"),
    ),
    "queue": change(
        "dev",
        "queues.cluster_queues={other: {}}",
        "queues.local_queues=[{name: lq, cluster_queue: other}]",
        touches="queues-local-queue-default-lq queues-cluster-queue-gpus",
    ),
    "Kueue taken out": change("dev", *NO_QUEUES, touches="kueue-release queues-flavor-l4"),
    "Kueue put in": change("dev", touches="kueue-release queues-flavor-l4", before=NO_QUEUES),
    "slice pools": change(
        "tpu-elastic",
        "pools.v6e-16.topology=4x8",
        "jobs.maxtext-elastic-8b.ici={fsdp: 8, tensor: 4}",
        touches="v6e-16-0-pool v6e-16-1-pool maxtext-tpu-cluster-cluster",
    ),
    "namespace of slices": change(
        "tpu-elastic",
        ELSEWHERE,
        touches="claims-2-template maxtext-tpu-cluster-launchers-files maxtext-elastic-8b-job",
    ),
    "JobSet": change("lab", "jobs.cifar-10.minutes=70", touches="cifar-10-job-set"),
    "namespace of servers": change(
        "lab", ELSEWHERE, touches="chat-service chat-deployment cifar-10-files"
    ),
}
CHAINS: dict[str, tuple[Chain, Call]] = {
    f"{name}, {call}": (chain, call) for name, chain in _CHAINS.items() for call in CALLS
}

# Of a stack without queues, what a destroy takes away in a call of its own. What is deleted with
# its cluster is off the record before the cluster goes (docs/clean-up.md).
TAKEN_AWAY = (
    "gcp:compute/firewall:Firewall",
    "gcp:container/cluster:Cluster",
    "gcp:container/nodePool:NodePool",
    "gcp:lustre/instance:Instance",
    "gcp:monitoring/dashboard:Dashboard",
    "gcp:projects/iAMMember:IAMMember",
    "gcp:serviceaccount/account:Account",
    "gcp:compute/subnetwork:Subnetwork",
    "kubernetes:apps/v1:DaemonSet",
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:core/v1:PersistentVolume",
    "kubernetes:core/v1:PersistentVolumeClaim",
    "kubernetes:core/v1:Secret",
    "kubernetes:ray.io/v1:RayCluster",
    "kubernetes:ray.io/v1:RayJob",
)
KILLED_DELETES: dict[str, tuple[str, Call]] = {
    f"{token}, {call}": (token, call) for token in TAKEN_AWAY for call in CALLS
}


def kill_in_each(
    sandbox: Sandbox,
    verb: Verb,
    call: Call,
    *overrides: str,
    of: str = "*",
    only: Mapping[str, Any] | None = None,
) -> tuple[RunResult, int]:
    """Run the verb again and again, killed in its next operation on a type that matches; the run
    that had none left, and how many were killed."""
    ahead, known = 0, ""
    for kills in range(TOO_OFTEN):
        crash = Crash(kind="crash", after=ahead, call=call, type=of)
        result = sandbox.run(verb, *overrides, faults=Faults(rules=(crash,)), only=only)
        if result.ok:
            return result, kills
        assert "killed by signal 9" in " ".join(result.report.diagnostics), (
            kills,
            result.report.diagnostics,
        )
        before, known = known, recorded(sandbox)
        # What was lost is still to do. What runs beside it did not end, and an update is done
        # again, for the state does not know that it was done: then it is the turn of the one after.
        ahead = ahead + 1 if known == before else int(call == "lost")
    raise AssertionError(f"killed {TOO_OFTEN} times, and no further")


def recorded(sandbox: Sandbox) -> str:
    """What the state has, without secrets, which are written otherwise each time."""
    resources = sandbox.state().get("resources") or []
    told = sorted(str([it.get(key) for key in _TOLD]) for it in resources)
    return "\n".join(told)
