"""People's work in a stack's cluster while something happens to the stack."""

from __future__ import annotations

from typing import Any

from kube.kinds import CLUSTER_QUEUE
from kube.objects import Ref, name_of
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters
from sandbox.live_kube.api_server import ApiServer
from tests.parts.people_samples import claim, deployment, job, local_queue, service
from tests.stacks.conftest import Sandbox

# Of a person, and of no stack.
ADAS = "adas"


class Bystanders:
    """What is served in every cluster, and outlives the nodes under it. Of those that are `queued`
    a job waits for a GPU, too, or has one, in a queue of the stack's, where that has any."""

    def __init__(self, sandbox: Sandbox, namespace: str = ADAS, *, queued: bool = False) -> None:
        self._sandbox = sandbox
        self._is_queued = queued
        self._namespace = namespace
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        work = [sample(namespace) for sample in (deployment, claim, service)]
        self._objects: list[dict[str, Any]] = [made, *work] if namespace == ADAS else work
        self._known: dict[str, str] = {}

    def come(self) -> None:
        if self._is_queued:
            self._objects += self._in_queue()
            self._is_queued = False
        for it in self._objects:
            self._apply(it)
        self._known = self._uids()

    def _in_queue(self) -> list[dict[str, Any]]:
        clusters = self._sandbox.clusters
        (cluster,) = clusters.cloud.find(Cluster.token)
        version = CLUSTER_QUEUE.api_version
        queues = sorted(map(name_of, clusters.kube(cluster).listed(version, CLUSTER_QUEUE.name)))
        if not queues:
            return []
        door = local_queue(self._namespace, queues[0])
        return [door, job(self._namespace, name_of(door))]

    def stand(self) -> bool:
        """Whether each is still the one that came."""
        return self._uids() == self._known

    def leave(self) -> None:
        clusters = self._sandbox.clusters
        for cluster in clusters.cloud.find(Cluster.token):
            for it in self._objects:
                if clusters.kube(cluster).get(Ref.of(it)) is not None:
                    clusters.kube(cluster).delete(Ref.of(it))
        clusters.cloud.save()

    def _apply(self, obj: dict[str, Any]) -> None:
        clusters = self._sandbox.clusters
        (cluster,) = clusters.cloud.find(Cluster.token)
        if clusters.is_live(cluster):
            server = ApiServer(_started(clusters).kubeconfig)
            server.acting_as("kubectl").apply(obj, force=True)
        else:
            clusters.kube(cluster).apply(obj)
            clusters.cloud.save()

    def _uids(self) -> dict[str, str]:
        clusters = self._sandbox.clusters
        found: dict[str, str] = {}
        for cluster in clusters.cloud.find(Cluster.token):
            for it in self._objects:
                if live := clusters.kube(cluster).get(Ref.of(it)):
                    found[str(Ref.of(it))] = live["metadata"]["uid"]
        return found


class Nobody(Bystanders):
    """Where there is no cluster yet, or all in it would be lost with it."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self._objects = []


def _started(clusters: Clusters) -> Any:
    (cluster,) = clusters.cloud.find(Cluster.token)
    plane = clusters.control_plane(cluster)
    plane.start()
    return plane
