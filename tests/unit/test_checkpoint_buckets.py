"""Into which buckets a pod can copy."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, cast

import pytest

from aistack.checkpoints.buckets import MountedBucket, buckets_of, path_of
from aistack.cluster import Cluster
from aistack.errors import ForbiddenError, VerbError
from aistack.members import Member
from components.base.pod_manifest import bucket_volume
from kube.kinds import CLAIM, PERSISTENT_VOLUME, Kind
from kube.objects import JsonObject

OBJECTS: dict[tuple[str, str], JsonObject] = {
    ("PersistentVolumeClaim", "lustre"): {"spec": {"volumeName": "lustre-pv"}},
    ("PersistentVolume", "lustre-pv"): {"spec": {"csi": {"driver": "lustre.csi.storage.gke.io"}}},
    ("PersistentVolumeClaim", "kept"): {"spec": {"volumeName": "kept-pv"}},
    ("PersistentVolume", "kept-pv"): {
        "spec": {
            "csi": {"driver": "gcsfuse.csi.storage.gke.io", "volumeHandle": "kept"},
            "mountOptions": ["implicit-dirs", "only-dir=runs"],
        }
    },
}
POD: JsonObject = {
    "metadata": {"name": "head", "namespace": "default"},
    "spec": {
        "containers": [
            {
                "name": "ray-head",
                "volumeMounts": [
                    {"name": "lustre", "mountPath": "/lustre"},
                    {"name": "kept", "mountPath": "/kept"},
                    {"name": "own", "mountPath": "/own", "subPath": "deep"},
                    {"name": "models", "mountPath": "/models", "readOnly": True},
                ],
            }
        ],
        "volumes": [
            {"name": "lustre", "persistentVolumeClaim": {"claimName": "lustre"}},
            {"name": "kept", "persistentVolumeClaim": {"claimName": "kept"}},
            bucket_volume("own", "own-bucket", ["implicit-dirs", "only-dir=runs"]),
            bucket_volume("models", "models", []),
        ],
    },
}
OWN = MountedBucket(PurePosixPath("own-bucket/runs/deep"), PurePosixPath("/own"))
KEPT = MountedBucket(PurePosixPath("kept/runs"), PurePosixPath("/kept"))


class Objects:
    def __init__(self, hidden: Kind | None) -> None:
        self._hidden = hidden

    def get(self, kind: Kind, _: str, name: str) -> JsonObject | None:
        if kind == self._hidden:
            raise ForbiddenError("not yours")
        return OBJECTS[kind.name, name]


@pytest.mark.parametrize(
    ("hidden", "found"), [(None, [KEPT, OWN]), (CLAIM, [OWN]), (PERSISTENT_VOLUME, [OWN])]
)
def test_a_bucket_is_found_by_itself_or_behind_its_claim(
    hidden: Kind | None, found: list[MountedBucket]
) -> None:
    cluster = cast("Cluster", cast("Any", Objects(hidden)))
    assert list(buckets_of(cluster, Member(POD, "head"))) == found


@pytest.mark.parametrize(
    ("to", "path"),
    [
        ("gs://kept/runs/a/b", "/kept/a/b"),
        ("gs://kept/runs/", "/kept"),
        ("gs://own-bucket/runs/deep/a", "/own/a"),
        ("/own/a", "/own/a"),
    ],
)
def test_a_url_leads_to_where_the_pod_has_it(to: str, path: str) -> None:
    assert str(path_of(to, [KEPT, OWN])) == path


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("gs://kept/other", "nearest: gs://kept/runs (at /kept), gs://own-bucket/runs/deep (at"),
        ("gs://kept", "is in no bucket that the pod has"),
        ("gs://else/a", "is in no bucket that the pod has"),
        ("/lustre/a", "is in no bucket that the pod has"),
        ("/kept/../lustre", "is in no bucket that the pod has"),
        ("kept/a", "is neither gs://BUCKET/FOLDER nor a path"),
    ],
)
def test_what_no_bucket_of_the_pod_has_is_refused(to: str, said: str) -> None:
    with pytest.raises(VerbError) as refused:
        path_of(to, [KEPT, OWN])
    assert said in str(refused.value)


def test_a_pod_without_buckets_says_so() -> None:
    with pytest.raises(VerbError, match="none, it mounts no bucket"):
        path_of("gs://kept/a", [])
