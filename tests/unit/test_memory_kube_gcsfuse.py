"""Buckets as volumes: binding, and the sidecar that GKE adds; no bucket is ever mounted."""

from fractions import Fraction
from typing import Any

import pytest

from kube import quantity
from kube.errors import KubeError
from kube.objects import Ref
from kube.pod_requests import requests_of
from sandbox.gke.pod_webhooks import mutated
from sandbox.kube.store import Store
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    asking,
    changed,
    container,
    cpu_node,
    job,
    make,
    only_pod,
    pod,
    ref,
    refusal,
)

DRIVER = "gcsfuse.csi.storage.gke.io"
ANNOTATION = "gke-gcsfuse/volumes"
MOUNTED = {"volumes": [{"name": "bucket", "persistentVolumeClaim": {"claimName": "bucket"}}]}


def volume(driver: str = DRIVER) -> dict[str, Any]:
    return make(
        "PersistentVolume",
        "bucket-pv",
        spec={
            "accessModes": ["ReadWriteMany"],
            "capacity": {"storage": "5Gi"},
            "storageClassName": "gcsfuse-sc",
            "claimRef": {"namespace": "default", "name": "bucket"},
            "csi": {"driver": driver, "volumeHandle": "my-bucket"},
        },
    )


def claim() -> dict[str, Any]:
    return make(
        "PersistentVolumeClaim",
        "bucket",
        spec={
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "gcsfuse-sc",
            "resources": {"requests": {"storage": "5Gi"}},
        },
    )


def annotated(manifest: dict[str, Any], **annotations: str) -> dict[str, Any]:
    named = {f"gke-gcsfuse/{key.replace('_', '-')}": text for key, text in annotations.items()}
    return changed(manifest, named, "metadata", "annotations")


@pytest.fixture
def kube() -> MemoryKube:
    kube = MemoryKube({}, [cpu_node(**{"ephemeral-storage": "20Gi"})])
    kube.apply(volume())
    kube.apply(claim())
    return kube


def test_a_claim_binds_to_a_bucket_whose_class_is_no_object(kube: MemoryKube) -> None:
    assert kube.readiness(Ref.of(kube.apply(claim()))).reason == "claim is Bound"


def test_without_a_volume_the_class_is_missed() -> None:
    kube = MemoryKube({}, [])
    answer = kube.readiness(Ref.of(kube.apply(claim())))
    assert not answer.ready
    assert answer.reason == 'storageclass.storage.k8s.io "gcsfuse-sc" not found'


@pytest.mark.parametrize("annotations", [{}, {"volumes": "false"}])
def test_a_pod_without_the_sidecar_does_not_start(
    kube: MemoryKube, annotations: dict[str, str]
) -> None:
    kube.apply(annotated(pod(spec=MOUNTED), **annotations))
    assert only_pod(kube).phase == "Pending"
    assert only_pod(kube).reason == (
        'MountVolume.SetUp failed for volume "bucket-pv" : rpc error: code = FailedPrecondition '
        "desc = failed to find the sidecar container in Pod spec "
        '(the annotation gke-gcsfuse/volumes: "true" adds it)'
    )


def test_a_pod_with_the_sidecar_starts(kube: MemoryKube) -> None:
    kube.apply(annotated(pod(spec=MOUNTED), volumes="true"))
    assert only_pod(kube).phase == "Running"


def test_an_inline_bucket_needs_the_sidecar_too(kube: MemoryKube) -> None:
    inline = {"volumes": [{"name": "b", "csi": {"driver": DRIVER}}]}
    kube.apply(pod(spec=inline))
    assert 'volume "b" : rpc error' in only_pod(kube).reason


def test_another_drivers_volume_needs_none() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(volume("lustre.csi.storage.gke.io"))
    kube.apply(claim())
    kube.apply(pod(spec=MOUNTED))
    assert only_pod(kube).phase == "Running"


def test_a_bad_annotation_is_refused_and_keeps_a_jobs_pods_waiting(kube: MemoryKube) -> None:
    text = refusal(kube, annotated(pod(), volumes="yes"))
    assert text.startswith('admission webhook "gcsfuse-sidecar-injector.csi.storage.gke.io" denied')
    assert text.endswith("are 'True', 'true', 'false' or 'False'")
    template = {"annotations": {ANNOTATION: "yes"}, "labels": {}}
    kube.apply(changed(job(), template, "spec", "template", "metadata"))
    assert only_pod(kube).reason == text
    with pytest.raises(KubeError, match=r"a unit such as 8, 500m or 64Gi$"):
        kube.apply(annotated(pod(), volumes="true", cpu_request="lots"))


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({}, ("250m", "256Mi", "5Gi")),
        ({"cpu_limit": "0", "memory_limit": "0"}, ("250m", "256Mi", "5Gi")),
        ({"cpu_limit": "2", "memory_request": "1Gi"}, ("2", "1Gi", "5Gi")),
        ({"cpu_request": "1", "cpu_limit": "4"}, ("1", "256Mi", "5Gi")),
        ({"ephemeral_storage_request": "50Gi"}, ("250m", "256Mi", "50Gi")),
        ({"cpu_request": "0", "cpu_limit": "0"}, ("0", "256Mi", "5Gi")),
    ],
)
def test_the_sidecar_asks_for_what_the_annotations_say(
    annotations: dict[str, str], expected: tuple[str, str, str]
) -> None:
    manifest = annotated(pod(), volumes="true", **annotations)
    wanted = requests_of(mutated(Store({}), manifest)["spec"])
    names = ("cpu", "memory", "ephemeral-storage")
    assert tuple(wanted.get(name, Fraction(0)) for name in names) == tuple(
        map(quantity.parse, expected)
    )


def test_a_sidecar_of_the_users_own_is_replaced() -> None:
    own = container("gke-gcsfuse-sidecar", resources=asking(cpu="8"))
    manifest = annotated(pod(spec={"containers": [container(), own]}), volumes="true")
    wanted = requests_of(mutated(Store({}), manifest)["spec"])
    assert wanted["cpu"] == quantity.parse("250m")


def test_prefetching_metadata_takes_a_second_sidecar(kube: MemoryKube) -> None:
    fitting = pod(spec=MOUNTED, resources=asking(cpu="3670m"))
    kube.apply(annotated(fitting, volumes="true"))
    assert only_pod(kube).phase == "Running"
    kube.delete(ref("Pod", "p"))
    kube.delete(ref("PersistentVolumeClaim", "bucket"))
    kube.delete(Ref.of(volume()))
    attributes = {"gcsfuseMetadataPrefetchOnMount": "true"}
    kube.apply(changed(volume(), attributes, "spec", "csi", "volumeAttributes"))
    kube.apply(claim())
    kube.apply(annotated(fitting, volumes="true"))
    assert only_pod(kube).reason == "0/1 nodes are available: 1 Insufficient cpu."


def test_the_sidecar_takes_room_on_the_node(kube: MemoryKube) -> None:
    manifest = pod(resources=asking(cpu="3920m"))
    kube.apply(annotated(manifest, volumes="true"))
    assert only_pod(kube).reason == "0/1 nodes are available: 1 Insufficient cpu."
    kube.delete(Ref.of(kube.apply(annotated(manifest, volumes="true"))))
    kube.apply(manifest)
    assert only_pod(kube).phase == "Running"


def test_ephemeral_storage_is_counted_but_the_size_of_an_empty_dir_is_not(
    kube: MemoryKube,
) -> None:
    scratch = {"emptyDir": {"sizeLimit": "1Ti"}, "name": "scratch"}
    shared = {"emptyDir": {"sizeLimit": "1Ti", "medium": "Memory"}, "name": "shared"}
    kube.apply(pod("a", spec={"volumes": [scratch, shared]}))
    kube.apply(pod("b", resources=asking(**{"ephemeral-storage": "15Gi"})))
    kube.apply(pod("c", resources=asking(**{"ephemeral-storage": "15Gi"})))
    reasons = [each.reason for each in kube.pods()]
    assert reasons == ["", "", "0/1 nodes are available: 1 Insufficient ephemeral-storage."]


def inline(**attributes: str) -> dict[str, Any]:
    csi = {"driver": DRIVER, "volumeAttributes": attributes}
    return pod(spec={"volumes": [{"name": "data", "csi": csi}]})


def test_a_bucket_in_the_pod_itself_needs_the_sidecar_and_nothing_else() -> None:
    kube = MemoryKube({}, [cpu_node()])
    manifest = inline(bucketName="my-bucket", mountOptions="implicit-dirs,uid=1000")
    kube.apply(manifest)
    assert "failed to find the sidecar container" in only_pod(kube).reason
    kube.delete(ref("Pod", "p"))
    kube.apply(annotated(manifest, volumes="true"))
    assert only_pod(kube).phase == "Running"


def test_a_bucket_in_the_pod_itself_has_a_name() -> None:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(annotated(inline(mountOptions="implicit-dirs"), volumes="true"))
    assert only_pod(kube).phase == "Pending"
    end = 'VolumeContext "bucketName" must be provided for ephemeral storage'
    assert only_pod(kube).reason.endswith(end)


def test_fuse_ends_where_it_is_to_download_in_parallel_into_no_cache() -> None:
    """That is what an option of the read cache, left in without the cache, comes to."""
    parallel = "file-cache:enable-parallel-downloads:true"
    for cache, phase in (("file-cache:max-size-mb:0", "Pending"), ("implicit-dirs", "Pending")):
        assert phase_with(f"{cache},{parallel}") == phase
    assert phase_with(f"file-cache:max-size-mb:64,{parallel}") == "Running"
    assert phase_with("file-cache:max-size-mb:0") == "Running"


def phase_with(options: str) -> str:
    kube = MemoryKube({}, [cpu_node()])
    kube.apply(annotated(inline(bucketName="my-bucket", mountOptions=options), volumes="true"))
    return only_pod(kube).phase


def test_a_volumes_own_options_count_as_much(kube: MemoryKube) -> None:
    kube.delete(ref("PersistentVolumeClaim", "bucket"))
    kube.delete(Ref.of(volume()))
    options = ["implicit-dirs", "file-cache:enable-parallel-downloads:true"]
    kube.apply(changed(volume(), options, "spec", "mountOptions"))
    kube.apply(claim())
    kube.apply(annotated(pod(spec=MOUNTED), volumes="true"))
    assert "file cache should be enabled for parallel download support" in only_pod(kube).reason
