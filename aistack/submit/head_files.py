"""What jobs bring to the head of a RayCluster: in the one ConfigMap that it mounts, beside the
files of the stack's own jobs.

Each job is a manager of fields of its own there, so that none takes what another has brought
(Kubernetes documentation, "Server-Side Apply", field management).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from aistack.cluster import Cluster
from aistack.find import Found
from aistack.job import MANAGER
from aistack.kinds import CONFIG_MAP, RAY_JOB
from aistack.submit.parcel import Parcel
from components.ray_cluster import launcher_config_map
from sandbox.kube.objects import JsonObject, dig, maps, name_of

# So long a job may take to be made after its files.
_YOUNG = timedelta(minutes=10)
_PREFIX = f"{MANAGER}-"


@dataclass(frozen=True)
class HeadFiles:
    """`wanted` are files of the job, those that are there for another one already among them;
    `before` is the ConfigMap as it was found."""

    cluster: Cluster
    namespace: str
    name: str
    job: str
    wanted: Mapping[str, str]
    before: JsonObject

    @classmethod
    def of(cls, cluster: Cluster, parcel: Parcel) -> HeadFiles | None:
        """None of a job that runs on no head."""
        work = parcel.work
        ray = dig(work.obj, "spec", "clusterSelector", "ray.io/cluster")
        if work.kind != RAY_JOB or ray is None:
            return None
        name = launcher_config_map(ray)
        before = cluster.get(CONFIG_MAP, parcel.namespace, name) or {}
        there = dict(_named(before.get("data") or {}, str(work.obj["spec"]["entrypoint"])))
        wanted = {**there, **parcel.files}
        return cls(cluster, parcel.namespace, name, name_of(work.obj), wanted, before)

    def bring(self, *, dry_run: bool = False) -> None:
        self._apply(self.job, self.wanted, dry_run=dry_run)

    def tidy(self) -> None:
        """Takes away what jobs brought that have ended."""
        now = datetime.now(UTC)
        for entry in maps(dig(self.before, "metadata", "managedFields")):
            manager = str(entry.get("manager"))
            since = now - datetime.fromisoformat(entry["time"]) if entry.get("time") else _YOUNG
            if manager.startswith(_PREFIX) and since > _YOUNG:
                job = manager.removeprefix(_PREFIX)
                obj = self.cluster.get(RAY_JOB, self.namespace, job)
                if obj is None or Found(RAY_JOB, obj).job.state.has_ended:
                    self._apply(job, {})

    def _apply(self, job: str, data: Mapping[str, str], *, dry_run: bool = False) -> None:
        obj = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": self.name},
            "data": dict(data),
        }
        manager = f"{_PREFIX}{job}"
        self.cluster.apply(CONFIG_MAP, self.namespace, obj, manager=manager, dry_run=dry_run)


def _named(files: Mapping[str, str], command: str) -> Iterator[tuple[str, str]]:
    """Files that a command names, or a file that it names."""
    texts = [command, *(text for name, text in files.items() if name in command)]
    for name, text in files.items():
        if any(name in it for it in texts):
            yield name, text
