"""Volumes and claims: binding, waiting, protection and provisioning, without any storage."""

from typing import Any

import pytest

from kube.errors import KubeError
from kube.objects import Ref
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    CLAIM,
    VOLUME,
    changed,
    cpu_node,
    lustre_claim,
    lustre_volume,
    only_pod,
    pod,
    ref,
    refusal,
)


@pytest.fixture
def kube() -> MemoryKube:
    return MemoryKube({}, [cpu_node()])


def test_a_claim_binds_to_its_volume(kube: MemoryKube) -> None:
    kube.apply(lustre_volume())
    assert kube.readiness(ref("PersistentVolume", VOLUME, "")).reason == "volume is Available"
    live = kube.apply(lustre_claim())
    assert live["status"]["phase"] == "Bound"
    assert kube.readiness(ref("PersistentVolume", VOLUME, "")).reason == "volume is Bound"


@pytest.mark.parametrize(
    ("claim", "ending"),
    [
        (lustre_claim("9001Gi"), "requested PV is too small: 9000Gi for a claim of 9001Gi"),
        (
            lustre_claim(storageClassName=None),
            'storageClassName does not match: "" for a claim of "standard-rwo"',
        ),
        (lustre_claim(accessModes=["ReadWriteOncePod"]), "the volume lacks ReadWriteOncePod"),
        (lustre_claim(volumeName="lost"), 'persistentvolume "lost" not found'),
        (
            changed(lustre_claim(), "other", "metadata", "name"),
            "already bound to a different claim.",
        ),
    ],
)
def test_a_claim_that_does_not_fit_stays_pending_and_says_why(
    kube: MemoryKube, claim: dict[str, Any], ending: str
) -> None:
    kube.apply(lustre_volume())
    live = kube.apply(claim)
    answer = kube.readiness(Ref.of(live))
    assert not answer.ready
    assert answer.reason.endswith(ending)


def test_a_bound_volume_cannot_be_deleted_before_its_claim(kube: MemoryKube) -> None:
    kube.apply(lustre_volume())
    kube.apply(lustre_claim())
    with pytest.raises(KubeError, match=f"used by PersistentVolumeClaim default/{CLAIM}$"):
        kube.delete(ref("PersistentVolume", VOLUME, ""))
    kube.delete(ref("PersistentVolumeClaim", CLAIM))
    kube.delete(ref("PersistentVolume", VOLUME, ""))
    assert kube.inventory() == {}


def test_a_released_volume_takes_no_second_claim_of_the_same_name(kube: MemoryKube) -> None:
    kube.apply(lustre_volume())
    kube.apply(lustre_claim())
    kube.delete(ref("PersistentVolumeClaim", CLAIM))
    kube.apply(lustre_claim())
    answer = kube.readiness(ref("PersistentVolumeClaim", CLAIM))
    assert answer.reason.endswith("is still held by an earlier claim of this name (Released)")


def test_a_class_provisions_a_volume_once_a_pod_wants_it(kube: MemoryKube) -> None:
    kube.apply(lustre_claim("10Gi", storageClassName=None, volumeName=None))
    assert kube.readiness(ref("PersistentVolumeClaim", CLAIM)).ready
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": CLAIM}}]
    kube.apply(pod(spec={"volumes": volumes}))
    assert only_pod(kube).phase == "Running"
    kube.delete(ref("Pod", "p"))
    kube.delete(ref("PersistentVolumeClaim", CLAIM))
    assert kube.inventory() == {}


def test_a_claim_only_grows(kube: MemoryKube) -> None:
    kube.apply(lustre_volume())
    kube.apply(lustre_claim())
    text = refusal(kube, lustre_claim("8000Gi"))
    assert text.endswith("8000Gi is less than 9000Gi, a claim only grows")
