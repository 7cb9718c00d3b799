"""Who may read repositories of images: nodes' accounts where it is of the stack's project, and a
warning with the commands where the stack grants nothing. That Artifact Registry refuses a pull
without it, only Google can show (Artifact Registry documentation, "Deploying to Google Kubernetes
Engine", permissions)."""

from pathlib import Path
from typing import Any

import pulumi
import pytest

from aistack.stack import Config
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from stacks.config import validate
from stacks.parts.images.advice import advice
from stacks.parts.images.plan import repository_in
from stacks.parts.images.repositories import Repository
from stacks.parts.network.advice import advice as network_advice
from tests.conftest import Recording, changed
from tests.parts.existing_ground import existing
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_THEIRS, Simulated, built
from tests.parts.samples import AUTOPILOT, MIRRORED, RL
from tests.programs import WITH_ALL_SECRETS, WITH_TOKEN, registered
from tests.stacks.on_existing import EXISTING, REGION, P
from tests.unit.script_samples import STACK

READER = "roles/artifactregistry.reader"
OWN = "us-central1-docker.pkg.dev/my-project/team/train:1.4.2"
THEIRS = "us-docker.pkg.dev/others/team/train:1"
SAMPLE = "us-docker.pkg.dev/google-samples/containers/gke/gemma-fine-tuning:v1.0.0"


def with_job(image: str) -> dict[str, Any]:
    return changed(STACK, jobs__train__image=image, jobs__train__nodes=1)


def made(config: dict[str, Any], folder: Path | None = None) -> Recording:
    return registered(validate(config, secrets_set=WITH_TOKEN), folder=folder)


def warned(config: dict[str, Any]) -> list[str]:
    return list(advice(validate(config, secrets_set=WITH_TOKEN)))


@pytest.mark.parametrize(
    ("image", "place"),
    [
        (OWN, ("us-central1", "my-project", "team")),
        ("gcr.io/my-project/train:1", ("us", "my-project", "gcr.io")),
        ("us.gcr.io/my-project/a/b@sha256:1", ("us", "my-project", "us.gcr.io")),
        ("eu.gcr.io/my-project/train", ("europe", "my-project", "eu.gcr.io")),
        ("asia.gcr.io/my-project/train", ("asia", "my-project", "asia.gcr.io")),
        ("us-docker.pkg.dev/example.com/p/r/i:1", ("us", "example.com:p", "r")),
        ("gke.gcr.io/pause:3.8", None),
        ("gcr.io/lonely", None),
        ("nvcr.io/nvidia/nemo-rl:v0.4.0", None),
        ("python:3.12", None),
    ],
)
def test_an_image_of_artifact_registry_is_in_a_repository(
    image: str, place: tuple[str, str, str] | None
) -> None:
    wanted = None
    if place is not None:
        location, project, name = place
        wanted = Repository(location=location, project=project, name=name)
    assert repository_in(image) == wanted


@pytest.mark.parametrize("image", [OWN, "gcr.io/my-project/train:1"])
def test_nodes_read_a_repository_of_the_stacks_project_before_a_pod_pulls_out_of_it(
    image: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("pass\n")
    found = made(with_job(image), tmp_path)
    at = repository_in(image)
    assert at is not None
    readers = [it for it in found.of_type(":RepositoryIamMember") if at.key in it.name]
    assert {it.inputs["member"] for it in readers} == {
        f"serviceAccount:lab-{kind}@my-project.iam.gserviceaccount.com" for kind in ("cpu", "gpu")
    }
    for reader in readers:
        assert reader.inputs["role"] == READER
        assert reader.inputs["repository"] == at.name
        assert reader.inputs["location"] == at.location
        assert reader.inputs["project"] == "my-project"
    names = {it.name for it in readers}
    assert "apis-artifactregistry" in found.waits_for(readers[0].name)
    for pods in ("train-job-set", "gpu-images-daemon-set"):
        assert names <= found.waits_for(pods)
    assert not found.of_type(":Repository")


def test_on_autopilot_the_account_of_its_nodes_reads_it() -> None:
    (ray,) = AUTOPILOT["ray"]
    found = made(changed(AUTOPILOT, **{f"ray__{ray}__image": OWN}))
    (reader,) = (it for it in found.of_type(":RepositoryIamMember") if "team" in it.name)
    account = "autopilot-auto@my-project.iam.gserviceaccount.com"
    assert reader.inputs["member"] == f"serviceAccount:{account}"


def test_an_image_in_the_stacks_own_mirror_has_the_mirrors_grant() -> None:
    own = "us-east1-docker.pkg.dev/my-project/rl-nvcr-io/nvidia/nemo-rl:v0.4.0"
    config = changed(RL, images={"credentials": MIRRORED["images"]["credentials"]})
    readers = {it.name for it in made(config).of_type(":RepositoryIamMember")}
    config = changed(config, ray__rl__image=own)
    assert {it.name for it in made(config).of_type(":RepositoryIamMember")} == readers


def test_a_repository_of_another_project_is_asked_for_with_its_commands(tmp_path: Path) -> None:
    config = with_job(THEIRS)
    (tmp_path / "train.py").write_text("pass\n")
    assert not made(config, tmp_path).of_type(":RepositoryIamMember")
    (line,) = warned(config)
    assert line.startswith("stack.jobs.train.image: nodes are to read team in us of project others")
    assert line.endswith(
        "`gcloud artifacts repositories add-iam-policy-binding team --location=us "
        f"--project=others --role={READER} "
        "--member=serviceAccount:lab-gpu@my-project.iam.gserviceaccount.com`"
    )


@pytest.mark.parametrize("config", [RL, with_job(OWN), with_job("python:3.12"), with_job(SAMPLE)])
def test_what_everybody_reads_and_what_is_granted_is_not_asked_for(config: dict[str, Any]) -> None:
    assert warned(config) == []


def test_nodes_of_others_on_autopilot_are_granted_nothing_and_asked_for() -> None:
    config = changed(ON_THEIRS, servers__chat__image=OWN)
    plan = validate({**config, "project": "my-project"}, secrets_set=WITH_TOKEN)
    assert not plan.images.named
    (line,) = advice(plan)
    assert line.startswith("stack.servers.chat.image: ")
    assert "--member=serviceAccount:ACCOUNT`; ACCOUNT is what `gcloud container clusters " in line


def test_a_submitted_job_is_warned_of_what_it_changes_no_right_for(tmp_path: Path) -> None:
    script = tmp_path / "other.py"
    script.write_text("pass\n")

    def asked(image: str) -> list[str]:
        fields = {"image": image, "pool": "gpu", "requests": {"cpu": 1, "memory_gib": 2}}
        request = Request(name="other", files=[script], fields=fields, options={"image": "--image"})
        config = changed(with_job(OWN), jobs__train__file=None)
        found = checked(request, Config(config, WITH_ALL_SECRETS), {"train"}, "any")
        return list(found.unread)

    assert asked(OWN) == []
    (line,) = asked(OWN.replace("/team/", "/lab/"))
    assert line.startswith("--image: nodes are to read lab in us-central1 of project my-project")
    assert "no image of the stack's config is in it" in line
    assert "lab-gpu@my-project.iam.gserviceaccount.com" in line
    (line,) = asked(THEIRS)
    assert line.startswith("--image: nodes are to read team in us of project others")


TEAM = f"{REGION}-docker.pkg.dev/{P}/team/train:1"
ON_THEIR_CLUSTER = changed(IN_CLUSTER, images=None)


def simulated(folder: Path, **inputs: Any) -> Simulated:
    team = existing(
        "artifactregistry/repository:Repository",
        P,
        **{"repositoryId": "team", "location": REGION, "format": "DOCKER", **inputs},
    )
    return Simulated(folder, [*EXISTING, team])


def in_theirs(image: str) -> dict[str, Any]:
    (ray,) = ON_THEIR_CLUSTER["ray"]
    return changed(ON_THEIR_CLUSTER, **{f"ray__{ray}__image": image})


def test_one_that_is_there_is_read_and_one_that_is_not_is_refused_before_any_resource(
    tmp_path: Path,
) -> None:
    found = built(in_theirs(TEAM), simulated(tmp_path))
    assert [it for it in found.of_type(":RepositoryIamMember") if "team-in-" in it.name]
    (ray,) = ON_THEIR_CLUSTER["ray"]
    with pytest.raises(pulumi.RunError) as caught:
        built(in_theirs(TEAM.replace("/team/", "/lost/")), simulated(tmp_path))
    assert (
        f'stack.ray.{ray}.image: "lost" is not in {REGION} of project {P}; nearest: one that '
        f"`gcloud artifacts repositories list --location={REGION} --project={P}` shows"
    ) in str(caught.value)


def test_one_of_other_packages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pulumi.RunError, match='"team" is of format PYTHON'):
        built(in_theirs(TEAM), simulated(tmp_path, format="PYTHON"))


def test_a_secret_and_a_disk_image_of_others_are_asked_for() -> None:
    (secret,) = warned(MIRRORED)
    assert secret.startswith(
        "stack.images.credentials.nvcr.io: Artifact Registry is to read the secret ngc"
    )
    assert "`gcloud secrets add-iam-policy-binding ngc --project=my-project " in secret
    disk = "projects/other-project/global/images/trainer"
    (line,) = warned(changed(RL, pools__gpu__secondary_boot_disk=disk))
    assert line.startswith("stack.pools.gpu.secondary_boot_disk: ")
    assert "`gcloud compute images add-iam-policy-binding trainer --project=other-project" in line
    own = "global/images/trainer"
    assert warned(changed(RL, pools__gpu__secondary_boot_disk=own)) == []


def test_the_host_of_a_shared_vpc_is_asked_for() -> None:
    (line,) = network_advice(validate(ON_NETWORK, secrets_set=WITH_TOKEN))
    host = ON_NETWORK["network"]["existing"]["project"]
    assert f"`gcloud projects add-iam-policy-binding {host} " in line
    assert line.count("--role=roles/compute.networkUser") == 2
    own = changed(ON_NETWORK, network__existing__project=ON_NETWORK["project"])
    assert not list(network_advice(validate(own, secrets_set=WITH_TOKEN)))
