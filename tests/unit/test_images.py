"""Where pods get their images from: mirrors, who reads them, what is pulled beforehand. That a
mirror of NVIDIA's registry works, only Google can show."""

import re
from typing import Any

import pytest

from stacks.config import validate
from stacks.parts.images.plan import of_google, split
from tests.conftest import Recording, Register, changed
from tests.parts.existing_samples import ON_THEIRS
from tests.parts.samples import AUTOPILOT, BARE, DEV, MIRRORED, RL, SERVE, TPU
from tests.programs import WITH_TOKEN, registered

DIGEST = f"sha256:{'a' * 64}"
MIRROR = "us-east1-docker.pkg.dev/my-project/rl-nvcr-io"


def made(config: dict[str, Any]) -> Recording:
    return registered(validate(config, secrets_set=WITH_TOKEN))


def images_in(found: Recording) -> set[str]:
    def of(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {value["image"]} if isinstance(value.get("image"), str) else set[str]()
            return own.union(*map(of, value.values()))
        return set[str]().union(*map(of, value)) if isinstance(value, list) else set()

    return set[str]().union(*(of(it.inputs) for it in found.resources))


@pytest.mark.parametrize(
    ("reference", "host", "name"),
    [
        ("nvcr.io/nvidia/nemo-rl:v0.4.0", "nvcr.io", "nvidia/nemo-rl:v0.4.0"),
        ("rayproject/ray:2.54.0-gpu", "docker.io", "rayproject/ray:2.54.0-gpu"),
        ("python:3.12", "docker.io", "library/python:3.12"),
        ("docker.io/python:3.12", "docker.io", "library/python:3.12"),
        (f"vllm/vllm-openai:v1@{DIGEST}", "docker.io", f"vllm/vllm-openai:v1@{DIGEST}"),
        (f"python@{DIGEST}", "docker.io", f"library/python@{DIGEST}"),
        ("localhost/a:1", "localhost", "a:1"),
        ("registry:5000/a:1", "registry:5000", "a:1"),
    ],
)
def test_a_reference_is_read_as_container_runtimes_do(reference: str, host: str, name: str) -> None:
    assert split(reference) == (host, name)


def test_what_is_in_artifact_registry_stays() -> None:
    assert all(map(of_google, ("us-docker.pkg.dev", "gcr.io", "gke.gcr.io")))
    assert not any(map(of_google, ("docker.io", "nvcr.io", "notgcr.io")))
    found = made(RL)
    assert any(it.startswith("us-docker.pkg.dev/gce-ai-infra/") for it in images_in(found))


def test_all_that_comes_from_a_registry_comes_through_its_mirror() -> None:
    found = images_in(made(RL))
    assert f"{MIRROR}/nvidia/nemo-rl:v0.4.0" in found
    assert not [it for it in found if it.startswith("nvcr.io")]


def test_a_mirror_is_read_by_the_nodes_accounts_alone_and_pods_wait_until_they_may() -> None:
    found = made(RL)
    readers = found.of_type(":RepositoryIamMember")
    assert {it.inputs["member"] for it in readers} == {
        f"serviceAccount:rl-{kind}@my-project.iam.gserviceaccount.com" for kind in ("cpu", "gpu")
    }
    assert {it.inputs["role"] for it in readers} == {"roles/artifactregistry.reader"}
    assert {it.name for it in readers} <= found.waits_for("rl-cluster")
    assert {it.name for it in readers} <= found.waits_for("cpu-images-daemon-set")


def test_docker_hub_has_a_name_at_artifact_registry_and_others_an_address() -> None:
    hub = made(changed(DEV, queues=None, ray__dev__queue=None)).one(":Repository").inputs
    assert hub["remoteRepositoryConfig"]["dockerRepository"] == {"publicRepository": "DOCKER_HUB"}
    nvcr = made(RL).one(":Repository").inputs["remoteRepositoryConfig"]
    uri = {"uri": "https://nvcr.io"}
    assert nvcr == {"description": "nvcr.io", "dockerRepository": {"customRepository": uri}}


def test_a_password_is_named_by_the_version_of_its_secret() -> None:
    config = made(MIRRORED).one(":Repository").inputs["remoteRepositoryConfig"]
    assert config["upstreamCredentials"]["usernamePasswordCredentials"] == {
        "username": "$oauthtoken",
        "passwordSecretVersion": "projects/my-project/secrets/ngc/versions/1",
    }


def test_a_repository_that_exists_is_read_and_not_made() -> None:
    path = "us-docker.pkg.dev/others/nvcr"
    found = made(changed(RL, images={"repositories": {"nvcr.io": path}}))
    assert not found.of_type(":Repository")
    assert {it.inputs["project"] for it in found.of_type(":RepositoryIamMember")} == {"others"}
    assert f"{path}/nvidia/nemo-rl:v0.4.0" in images_in(found)


def test_without_mirrors_nothing_of_it_is_there() -> None:
    found = made(changed(RL, images={"mirror": False, "preload": False}))
    names = found.names()
    assert not {it for it in names if it.startswith("images-") or "streaming" in it}
    assert not names & {"apis-artifactregistry", "apis-containerfilesystem"}
    assert "nvcr.io/nvidia/nemo-rl:v0.4.0" in images_in(found)


def test_a_stack_without_images_of_its_own_has_no_mirror() -> None:
    assert not made(BARE).of_type(":Repository")


def test_nodes_stream_where_images_come_through_mirrors() -> None:
    streams = {it.name: it.inputs["nodeConfig"].get("gcfsConfig") for it in pools(made(RL))}
    assert streams == {"cpu-pool": {"enabled": True}, "gpu-pool": {"enabled": True}}
    off = made(changed(RL, images={"streaming": False}))
    assert {it.inputs["nodeConfig"]["gcfsConfig"]["enabled"] for it in pools(off)} == {False}
    unsaid = made(changed(RL, images={"mirror": False}))
    assert [it.inputs["nodeConfig"]["gcfsConfig"] for it in pools(unsaid)] == [
        {"enabled": False}
    ] * 2


def pools(found: Recording) -> list[Any]:
    return found.of_type(":NodePool")


def test_images_are_pulled_onto_nodes_that_nobody_waits_for() -> None:
    found = made(RL)
    preload = found.named("cpu-images-daemon-set")
    assert preload.inputs["metadata"]["annotations"] == {"pulumi.com/skipAwait": "true"}
    spec = preload.inputs["spec"]["template"]["spec"]
    assert [it["image"] for it in spec["initContainers"]] == [f"{MIRROR}/nvidia/nemo-rl:v0.4.0"]
    assert "resources" not in str(spec)
    assert spec["tolerations"] == [{"operator": "Exists"}]
    # Its pods come with the machines.
    assert not found.waits_for("cpu-images-daemon-set") & {"cpu-pool", "gpu-pool"}
    assert "cpu-images-daemon-set" not in found.waits_for("rl-cluster")


def test_on_autopilot_nodes_stream_by_themselves_and_have_nothing_beforehand() -> None:
    found = made(AUTOPILOT)
    assert [it.inputs["member"] for it in found.of_type(":RepositoryIamMember")] == [
        "serviceAccount:autopilot-auto@my-project.iam.gserviceaccount.com"
    ]
    assert not {it for it in found.names() if "-images" in it or "streaming" in it}


def test_on_an_autopilot_cluster_of_others_only_named_repositories_are_used() -> None:
    assert not validate(ON_THEIRS, secrets_set=WITH_TOKEN).images.mirrors
    path = "us-docker.pkg.dev/others/hub"
    named = {**ON_THEIRS, "images": {"repositories": {"docker.io": path}}}
    plan = validate(named, secrets_set=WITH_TOKEN)
    assert plan.images.of("python:3.12") == f"{path}/library/python:3.12"
    assert not plan.images.made


def test_a_pool_with_a_disk_of_images_streams_and_has_nothing_pulled_beforehand() -> None:
    found = made(changed(RL, pools__gpu__secondary_boot_disk="global/images/trainer"))
    (gpu,) = (it for it in pools(found) if it.name == "gpu-pool")
    path = "projects/my-project/global/images/trainer"
    assert gpu.inputs["nodeConfig"]["secondaryBootDisks"] == [
        {"diskImage": path, "mode": "CONTAINER_IMAGE_CACHE"}
    ]
    (cpu,) = (it for it in pools(found) if it.name == "cpu-pool")
    assert "secondaryBootDisks" not in cpu.inputs["nodeConfig"]
    assert pulled_onto(found) == {"cpu-pool"}


def test_a_pool_streams_by_its_disk_where_nothing_else_does() -> None:
    other = "projects/other-project/global/images/trainer"
    found = made(changed(RL, images={"mirror": False}, pools__gpu__secondary_boot_disk=other))
    (gpu,) = (it for it in pools(found) if it.inputs["nodeConfig"]["gcfsConfig"]["enabled"])
    assert gpu.inputs["nodeConfig"]["secondaryBootDisks"][0]["diskImage"] == other
    assert "apis-containerfilesystem" in found.names()


def test_each_slice_has_the_disk_of_its_pool() -> None:
    found = made(changed(TPU, pools__tpu__secondary_boot_disk="global/images/trainer"))
    slices = [it for it in pools(found) if it.name.startswith("tpu-")]
    assert slices
    assert all(it.inputs["nodeConfig"]["secondaryBootDisks"] for it in slices)


def test_what_is_to_be_on_a_disk_is_named_as_the_config_has_it() -> None:
    disk = {"pools__gpu__secondary_boot_disk": "global/images/trainer"}
    plan = validate(changed(RL, **disk), secrets_set=WITH_TOKEN)
    assert plan.images.disks["gpu"].images == ("nvcr.io/nvidia/nemo-rl:v0.4.0",)
    assert "secondary_boot_disk" in plan.features
    assert "secondary_boot_disk" not in validate(RL, secrets_set=WITH_TOKEN).features


def pulled_onto(found: Recording) -> set[str]:
    """The pools that a DaemonSet of images is for."""
    sets = [it for it in found.of_type(":DaemonSet") if it.name.endswith("-images-daemon-set")]
    return set(re.findall(r"'((?:cpu|gpu)-pool)'", str([it.inputs for it in sets])))


def test_pools_with_the_same_images_are_pulled_onto_together(register: Register) -> None:
    del register
    plan = validate(SERVE, secrets_set=WITH_TOKEN)
    for preload in plan.images.preloads:
        assert preload.images
        assert preload.pools
    names = [it.name for preload in plan.images.preloads for it in preload.pools]
    assert len(names) == len(set(names))
