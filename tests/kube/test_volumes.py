"""What the real volume controller binds, and what it refuses to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kube.objects import Ref
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.live_kube import LiveKube
from tests.kube.conftest import eventually

_SIZE = "9000Gi"


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    made = ControlPlane(tmp_path_factory.mktemp("volumes") / "plane")
    try:
        made.start()
        yield made
    finally:
        made.remove()


def claimed(kube: LiveKube, name: str, size: str, *, reserved: bool) -> Ref:
    """A volume of 9000 GiB and a claim that names it; a reserved volume names its claim, too."""
    shared = {"accessModes": ["ReadWriteMany"], "volumeMode": "Filesystem"}
    reference = {"claimRef": {"namespace": "default", "name": name}} if reserved else {}
    volume = {
        **shared,
        **reference,
        "capacity": {"storage": _SIZE},
        "csi": {"driver": "lustre.csi.storage.gke.io", "volumeHandle": name},
    }
    claim = {
        **shared,
        "storageClassName": "",
        "volumeName": name,
        "resources": {"requests": {"storage": size}},
    }
    kind, metadata = "PersistentVolume", {"name": name}
    kube.apply({"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": volume})
    metadata = {"name": name, "namespace": "default"}
    kube.apply({"apiVersion": "v1", "kind": f"{kind}Claim", "metadata": metadata, "spec": claim})
    return Ref(api_version="v1", kind=f"{kind}Claim", namespace="default", name=name)


def test_a_claim_as_large_as_its_volume_is_bound(plane: ControlPlane) -> None:
    kube = LiveKube(plane, ray_addon=False)
    assert kube.wait_for(claimed(kube, "fits", _SIZE, reserved=True)).ready


def test_a_claim_larger_than_its_volume_is_refused(plane: ControlPlane) -> None:
    kube = LiveKube(plane, ray_addon=False)
    claim = claimed(kube, "larger", "9001Gi", reserved=False)
    refused = kube.wait_for(claim)
    assert not refused.ready
    assert refused.reason.endswith("requested PV is too small: 9000Gi for a claim of 9001Gi")
    found = kube.get(claim)
    assert found is not None
    assert found["status"] == {"phase": "Pending"}


def test_where_volume_and_claim_name_each_other_kubernetes_looks_at_no_size(
    plane: ControlPlane,
) -> None:
    kube = LiveKube(plane, ray_addon=False)
    assert kube.wait_for(claimed(kube, "reserved", "9001Gi", reserved=True)).ready


def test_the_controller_itself_says_that_the_volume_is_too_small(plane: ControlPlane) -> None:
    kube, server = LiveKube(plane, ray_addon=False), ApiServer(plane.kubeconfig)
    claimed(kube, "told", "9001Gi", reserved=False)
    said = 'Cannot bind to requested volume "told": requested PV is too small'
    eventually(
        lambda: [e["message"] for e in server.list("v1", "Event")], lambda all_: said in all_
    )
