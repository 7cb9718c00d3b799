"""What jobs bring to the head of a RayCluster: in the one ConfigMap that it mounts, beside the
files of the stack's own jobs.

Each job is a manager of fields of its own there, so that none takes what another has brought
(Kubernetes documentation, "Server-Side Apply", field management).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from aistack.cluster import Cluster
from aistack.find import Found
from aistack.job import MANAGER
from components.ray.manifest import launcher_config_map
from kube.kinds import CONFIG_MAP, RAY_JOB
from kube.objects import JsonObject, dig, maps, name_of
from kube.reading import moment

if TYPE_CHECKING:
    from aistack.submit.parcel import Parcel

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
        for job, time in _bringers(self.before):
            since = now - moment(time) if time else _YOUNG
            if since > _YOUNG:
                obj = self.cluster.get(RAY_JOB, self.namespace, job)
                if obj is None or Found(RAY_JOB, obj).job.state.has_ended:
                    _apply(self.cluster, self.namespace, self.name, job, {})

    def _apply(self, job: str, data: Mapping[str, str], *, dry_run: bool) -> None:
        _apply(self.cluster, self.namespace, self.name, job, data, dry_run=dry_run)


def take_away(cluster: Cluster, found: Found) -> None:
    """What a job has brought that is gone; what others have brought as well stays."""
    ray = dig(found.obj, "spec", "clusterSelector", "ray.io/cluster")
    if found.kind != RAY_JOB or ray is None:
        return
    job, name = found.job, launcher_config_map(ray)
    there = cluster.get(CONFIG_MAP, job.namespace, name) or {}
    if job.name in (it for it, _ in _bringers(there)):
        _apply(cluster, job.namespace, name, job.name, {})


def _bringers(config_map: JsonObject) -> Iterator[tuple[str, str]]:
    """Jobs that have brought something, and since when."""
    for entry in maps(dig(config_map, "metadata", "managedFields")):
        manager = str(entry.get("manager"))
        if manager.startswith(_PREFIX):
            yield manager.removeprefix(_PREFIX), str(entry.get("time") or "")


def _apply(
    cluster: Cluster,
    namespace: str,
    name: str,
    job: str,
    data: Mapping[str, str],
    *,
    dry_run: bool = False,
) -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name},
        "data": dict(data),
    }
    cluster.apply(CONFIG_MAP, namespace, obj, manager=f"{_PREFIX}{job}", dry_run=dry_run)


def _named(files: Mapping[str, str], command: str) -> Iterator[tuple[str, str]]:
    """Files that a command names, or a file that it names."""
    texts = [command, *(text for name, text in files.items() if name in command)]
    for name, text in files.items():
        if any(name in it for it in texts):
            yield name, text
