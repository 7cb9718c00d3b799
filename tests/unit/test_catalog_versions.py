"""GKE versions and the version lock.

Pure tests over the data as committed: they cannot show that Google still has what the data says.
"""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from catalog import (
    Catalog,
    FactError,
    GkeVersion,
    GpuDriver,
    ReleaseChannel,
)
from catalog.machines import MachineTypeFacts
from catalog.versions import Component, ContainerImage

CATALOG = Catalog.load()


# GKE versions

PARTS = st.integers(0, 3)
VERSIONS = st.one_of(
    st.builds(GkeVersion, PARTS, PARTS),
    st.builds(GkeVersion, PARTS, PARTS, PARTS),
    st.builds(GkeVersion, PARTS, PARTS, PARTS, PARTS),
)


@given(VERSIONS)
def test_a_version_reads_back_from_its_own_text(version: GkeVersion) -> None:
    assert GkeVersion.parse(str(version)) == version


@given(VERSIONS, VERSIONS)
def test_versions_have_one_order(one: GkeVersion, other: GkeVersion) -> None:
    assert (one < other) + (one == other) + (one > other) == 1


@given(VERSIONS, VERSIONS)
def test_a_newer_version_meets_every_older_minimum(one: GkeVersion, other: GkeVersion) -> None:
    newer, older = max(one, other), min(one, other)
    assert newer.meets(older)


@pytest.mark.parametrize(
    ("version", "minimum", "met"),
    [
        ("1.34", "1.34.1-gke.1829001", True),
        ("1.34.1", "1.34.1-gke.1829001", True),
        ("1.34.1-gke.1829000", "1.34.1-gke.1829001", False),
        ("1.33", "1.34.1-gke.1829001", False),
        ("1.35.0-gke.1", "1.34", True),
        ("2.0", "1.34", True),
    ],
)
def test_a_partial_version_counts_as_the_newest_it_covers(
    version: str, minimum: str, met: bool
) -> None:
    assert GkeVersion.parse(version).meets(GkeVersion.parse(minimum)) is met


@pytest.mark.parametrize("text", ["1", "latest", "1.34.1-gke", "v1.34", "1.34.", 1.34, None])
def test_what_is_no_version_is_refused_with_the_forms_that_work(text: object) -> None:
    with pytest.raises(FactError, match=re.escape("1.35, 1.35.8, 1.35.8-gke.1225000") + "$"):
        GkeVersion.parse(text)


def test_a_version_does_not_compare_with_text() -> None:
    with pytest.raises(TypeError, match="not supported"):
        sorted([GkeVersion(1, 34), "1.35"])


def test_a_version_in_a_model_may_be_text_or_a_version_and_is_written_as_text() -> None:
    facts = MachineTypeFacts.model_validate(
        {
            "vcpus": 8,
            "memory_gib": 32,
            "boot_disk_types": ["pd-ssd"],
            "minimum_gke": GkeVersion(1, 34),
        }
    )
    assert facts.model_dump(mode="json")["minimum_gke"] == "1.34"


def test_a_cluster_without_a_version_has_one_with_every_feature_and_machine() -> None:
    for machine in CATALOG.machines:
        CATALOG.check_gke(CATALOG.versions.gke.version, *CATALOG.versions.features, machine=machine)


def test_the_minimum_over_features_and_machine_is_the_newest_of_them() -> None:
    assert str(CATALOG.minimum_gke("lustre_csi", machine="a4-highgpu-8g")) == "1.33.2-gke.1111000"
    assert str(CATALOG.minimum_gke("dranet")) == "1.34.1-gke.1829001"
    assert str(CATALOG.minimum_gke(machine="a4-highgpu-8g")) == "1.32.1-gke.1729000"
    assert CATALOG.minimum_gke(machine="e2-standard-4") is None
    assert CATALOG.minimum_gke() is None


def test_a_cluster_too_old_for_one_of_its_features_names_the_version_that_has_them_all() -> None:
    new = GkeVersion.parse("1.35")
    CATALOG.check_gke(new, "lustre_csi", "dranet", machine="a4-highgpu-8g")
    CATALOG.check_gke(GkeVersion.parse("1.20"), machine="e2-standard-4")
    old = GkeVersion.parse("1.32")
    with pytest.raises(FactError, match=re.escape("nearest: 1.34.1-gke.1829001") + "$") as caught:
        CATALOG.check_gke(old, "lustre_csi", "dranet")
    message = str(caught.value)
    assert message.startswith("GKE 1.32 is older than lustre_csi needs")


def test_a_cluster_too_old_for_its_machine_type_is_refused() -> None:
    with pytest.raises(
        FactError,
        match=re.escape("older than a4-highgpu-8g needs; nearest: 1.32.1-gke.1729000") + "$",
    ):
        CATALOG.check_gke(GkeVersion.parse("1.31"), machine="a4-highgpu-8g")


# The version lock


def test_features_components_and_images_are_found_by_name() -> None:
    assert CATALOG.component("kuberay").apis["RayCluster"] == "ray.io/v1"
    assert CATALOG.component("kuberay_addon").version is None
    assert CATALOG.image("nemo_rl").reference == "nvcr.io/nvidia/nemo-rl:v0.4.0"
    assert CATALOG.image("nemo_rl").ray_version == "2.46.0"
    assert CATALOG.feature("dranet").what


def test_what_the_lock_does_not_hold_names_the_nearest() -> None:
    with pytest.raises(FactError, match=r"nearest: dranet, dranet_autopilot, ray_operator$"):
        CATALOG.feature("dranets")
    with pytest.raises(FactError, match=r"nearest: kuberay, kuberay_addon, kubernetes$"):
        CATALOG.component("kube-ray")
    with pytest.raises(FactError, match=r"nearest: nemo_rl, verl$"):
        CATALOG.image("nemorl")


def test_the_lock_decides_which_release_is_installed_unless_another_is_asked_for() -> None:
    kueue = CATALOG.component("kueue")
    assert CATALOG.release("kueue") == kueue.version
    assert CATALOG.release("kueue", "0.16.9") == "0.16.9"
    assert kueue.chart is not None
    assert kueue.chart.repository is None


def test_a_release_whose_api_is_not_the_objects_is_refused() -> None:
    with pytest.raises(
        FactError, match=r"objects are kueue.x-k8s.io/v1beta2; nearest: 0.19.2$"
    ) as it:
        CATALOG.release("kueue", "0.10.0")
    message = str(it.value)
    assert message.startswith("kueue 0.10.0 serves ClusterQueue as kueue.x-k8s.io/v1beta1, and")


def test_a_release_that_the_lock_does_not_know_names_those_that_serve_the_objects() -> None:
    with pytest.raises(
        FactError, match=r"a release of kueue the catalog knows; nearest: 0.19.2"
    ) as it:
        CATALOG.release("kueue", "0.19.9")
    assert "0.10.0" not in str(it.value)
    with pytest.raises(FactError, match=r"nearest: nothing like it$"):
        CATALOG.release("kuberay_addon", "1.4.2")


def test_a_lock_that_contradicts_itself_is_refused() -> None:
    facts = {"version": "2", "apis": {"Queue": "q/v2"}, "source": "test"}
    for releases in ({"1": {"apis": {"Queue": ["q/v2"]}}}, {"2": {"apis": {"Queue": ["q/v1"]}}}):
        with pytest.raises(ValidationError, match="2 is no release that serves"):
            Component.model_validate({**facts, "releases": releases})


def test_an_image_without_a_tag_is_refused() -> None:
    with pytest.raises(ValidationError, match="what it runs is not fixed"):
        ContainerImage(reference="example.org:5000/team/image", source="test")


def test_channels_and_drivers_have_the_values_that_the_api_takes() -> None:
    assert [channel.value for channel in ReleaseChannel] == [
        "RAPID",
        "REGULAR",
        "STABLE",
        "EXTENDED",
    ]
    assert [driver.api_value for driver in GpuDriver] == [
        "DEFAULT",
        "LATEST",
        "INSTALLATION_DISABLED",
        "INSTALLATION_DISABLED",
    ]
    assert GpuDriver("disabled") is GpuDriver.DISABLED


def test_one_installer_serves_all_machines_with_rdma() -> None:
    """A node is written to once, whichever other types its cluster has; a rule keeps those for
    arm64 apart."""
    stacks = [it for it in CATALOG.versions.nccl.values() if "arm64" not in it.plugin_image]
    assert len({(it.plugin_image, it.pause_image, it.installer_accelerators) for it in stacks}) == 1
