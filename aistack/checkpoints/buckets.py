"""Buckets that a pod has among its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.exit_codes import ExitCode
from aistack.members import Member
from components.base.pod_manifest import GCSFUSE
from kube.kinds import CLAIM, PERSISTENT_VOLUME
from kube.objects import JsonObject, dig, maps, namespace_of

_SCHEME = "gs://"
_ONLY = "only-dir="


@dataclass(frozen=True)
class MountedBucket:
    """`place` is the bucket, and the folder in it, that is at `path`."""

    place: PurePosixPath
    path: PurePosixPath

    def __str__(self) -> str:
        return f"{_SCHEME}{self.place} (at {self.path})"

    def inside(self, to: str) -> PurePosixPath | None:
        """Where the pod has `to`, which is a URL or a path."""
        is_url = to.startswith(_SCHEME)
        asked = PurePosixPath(to.removeprefix(_SCHEME))
        own = self.place if is_url else self.path
        if ".." in asked.parts or not asked.is_relative_to(own):
            return None
        return self.path / asked.relative_to(own)


def path_of(to: str, mounted: Sequence[MountedBucket]) -> PurePosixPath:
    """The path that the pod has it by. Raises VerbError where it is in none of its buckets."""
    if not to.startswith((_SCHEME, "/")):
        raise VerbError(f'--to: "{to}" is neither gs://BUCKET/FOLDER nor a path', ExitCode.USAGE)
    found = next(filter(None, (it.inside(to) for it in mounted)), None)
    if found is None:
        there = ", ".join(map(str, mounted)) or "none, it mounts no bucket that it may write to"
        raise VerbError(f'--to: "{to}" is in no bucket that the pod has; nearest: {there}')
    return found


def buckets_of(cluster: Cluster, member: Member) -> Iterator[MountedBucket]:
    """That the container which does the pod's work may write to."""
    volumes = {it["name"]: it for it in maps(member.pod["spec"].get("volumes"))}
    containers = member.pod["spec"]["containers"]
    own = next(it for it in containers if it["name"] == member.container)
    for mount in maps(own.get("volumeMounts")):
        if not mount.get("readOnly"):
            place = _place(cluster, namespace_of(member.pod), volumes[mount["name"]])
            if place is not None:
                inner = place / (mount.get("subPath") or "")
                yield MountedBucket(inner, PurePosixPath(mount["mountPath"]))


def _place(cluster: Cluster, namespace: str, volume: JsonObject) -> PurePosixPath | None:
    """It is a volume of the pod's own, or stands behind a claim."""
    source, options = volume.get("csi"), dig(volume, "csi", "volumeAttributes", "mountOptions")
    name = dig(source, "volumeAttributes", "bucketName")
    claim = dig(volume, "persistentVolumeClaim", "claimName")
    if claim:
        behind = _behind(cluster, namespace, claim)
        source, name = dig(behind, "spec", "csi"), dig(behind, "spec", "csi", "volumeHandle")
        options = ",".join(dig(behind, "spec", "mountOptions") or [])
    if dig(source, "driver") != GCSFUSE:
        return None
    words = (options or "").split(",")
    only = [it.removeprefix(_ONLY) for it in words if it.startswith(_ONLY)]
    return PurePosixPath(name, *only)


def _behind(cluster: Cluster, namespace: str, claim: str) -> JsonObject | None:
    """Members of a team may see no volumes."""
    try:
        name = dig(cluster.get(CLAIM, namespace, claim), "spec", "volumeName")
        return cluster.get(PERSISTENT_VOLUME, "", name) if name else None
    except ForbiddenError:
        return None
