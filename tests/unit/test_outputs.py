"""What a stack's outputs say of taking it down, and of the key that it encrypts with."""

from __future__ import annotations

import pytest

from cli.errors import UserError
from components.cluster.control_plane import ControlPlaneEndpoint
from stacks.config import validate
from stacks.outputs import (
    cleanup_note,
    control_plane_access,
    credentials_flag,
    kms_grants,
    team_note,
)
from stacks.parts.cluster.config import AuthorizedRange
from stacks.parts.teams.advice import advice
from stacks.plan import Plan
from tests.conftest import changed
from tests.parts.samples import BARE, VERL
from tests.programs import WITH_ALL_SECRETS
from tests.unit.team_stack import planned
from tools.kms_grants import commands

DESTROY = (
    "`pulumi destroy --stack lab` removes what the stack made, but the enabled APIs. What people "
    "have in the cluster or in its VPC network may hold it up or stay: `aistack work --stack lab` "
    "lists it."
)


def test_what_stops_a_destroy_is_named_with_the_command_that_clears_it() -> None:
    assert cleanup_note("lab", protected=False, kept=["gs://a", "gs://b"]) == (
        f"{DESTROY} "
        "Objects in gs://a stop it; `gcloud storage rm --recursive 'gs://a/**'` deletes them. "
        "Objects in gs://b stop it; `gcloud storage rm --recursive 'gs://b/**'` deletes them."
    )


def test_of_a_protected_stack_the_commands_before_are_named_for_that_stack() -> None:
    assert cleanup_note("lab", protected=True).startswith(
        "First `pulumi config set --stack lab --path stack.deletion_protection false` and "
        "`pulumi up --stack lab`, then `pulumi destroy --stack lab` removes"
    )


def test_without_buckets_that_are_kept_nothing_stops_it() -> None:
    assert cleanup_note("lab", protected=False) == DESTROY


KEY = "projects/my-keys/locations/us-central1/keyRings/ring/cryptoKeys/key"


def keyed() -> Plan:
    """A stack with a bucket, whose key is another project's."""
    bucket = {"data": {"mount_path": "/data"}}
    return validate(changed(BARE, cmek=KEY, buckets=bucket), secrets_set=WITH_ALL_SECRETS)


def test_the_services_that_use_a_key_are_let_in_by_the_keys_own_project() -> None:
    grants = [it for it in kms_grants(keyed(), "my-project") if it.startswith("gcloud kms ")]
    assert all(
        it.startswith(
            "gcloud kms keys add-iam-policy-binding key --project=my-keys --location=us-central1 "
            "--keyring=ring --role=roles/cloudkms.cryptoKeyEncrypterDecrypter "
        )
        for it in grants
    )
    number = "$(gcloud projects describe my-project --format='value(projectNumber)')"
    agents = [it.partition("serviceAccount:service-")[2] for it in grants]
    assert agents == [
        f'{number}@container-engine-robot.iam.gserviceaccount.com"',
        f'{number}@compute-system.iam.gserviceaccount.com"',
        f'{number}@gs-project-accounts.iam.gserviceaccount.com"',
    ]


VPN = (AuthorizedRange(name="vpn", cidr="10.1.0.0/16"),)


@pytest.mark.parametrize(
    ("endpoint", "ranges", "told", "flag"),
    [
        ("public", None, "from everywhere; cluster.authorized_networks narrows it", ""),
        ("public", VPN, "from 10.1.0.0/16", ""),
        (
            "private",
            VPN,
            "from the cluster's nodes and pods and from 10.1.0.0/16, in the VPC network alone",
            " --internal-ip",
        ),
        (
            "dns",
            None,
            "from everywhere by its name, where Google Cloud asks for container.clusters.connect",
            " --dns-endpoint",
        ),
    ],
)
def test_who_reaches_the_control_plane_is_told_with_how(
    endpoint: str, ranges: tuple[AuthorizedRange, ...] | None, told: str, flag: str
) -> None:
    kind = ControlPlaneEndpoint(endpoint)
    assert control_plane_access(kind, ranges) == told
    assert credentials_flag(kind) == flag


def test_an_output_says_who_is_in_a_team_and_what_bounds_it() -> None:
    teams = planned().teams
    assert team_note(teams["vision"]) == (
        "edit vision@example.com; view ada@example.com; work waits in the queue gpus; "
        "pods as privileged; services inside the cluster; 0 GiB of volumes"
    )
    assert team_note(teams["audio"]) == (
        "edit ada@example.com; at once cpu 2.5, memory_gib 4, gpus 1, pods 3; "
        "pods as baseline; services inside the cluster; 0 GiB of volumes"
    )
    solo = {"load_balancers": True, "storage_gib": 5, "secrets": ["hub=HF_TOKEN", "all"]}
    alone = planned(teams={"solo": solo}, queues=None).teams["solo"]
    assert team_note(alone) == (
        "nobody; submitted jobs have its Secrets hub=HF_TOKEN, all; pods as baseline; "
        "services outside the cluster; 5 GiB of volumes"
    )


def test_a_preview_says_where_a_team_may_mount_folders_that_nothing_needs() -> None:
    (line,) = advice(planned())
    assert line.startswith("stack.teams.vision.pod_security: privileged, which is for pods that ")
    assert line.endswith("nearest: baseline")
    assert not [*advice(planned(teams__vision__pod_security="baseline"))]
    with_rdma = validate(changed(VERL, teams={"ml": {"pod_security": "privileged"}}))
    assert not [*advice(with_rdma)]


def test_pools_that_speak_rdma_may_be_another_stacks_than_the_teams() -> None:
    """So a team's level is not refused for the pools that its own stack lacks."""
    with_pools = {key: it for key, it in VERL.items() if key not in ("network", "jobs")}
    others = validate({**with_pools, "cluster": {"stack": "organization/gke-ai-stacks/lab"}})
    assert others.nccl_stacks
    assert not others.stack.cluster.is_made
    # Nobody knows the name of that cluster here, so commands go to the current one.
    assert others.kubectl == "kubectl"


def test_an_identity_is_made_before_it_gets_the_key() -> None:
    """A new project has none of them, and a grant to what does not exist is refused."""
    lines = kms_grants(keyed(), "my-project")
    made = [
        lines.index(f"gcloud beta services identity create --service={api} --project=my-project")
        for api in ("container.googleapis.com", "compute.googleapis.com")
    ]
    made.append(lines.index("gcloud storage service-agent --project=my-project"))
    granted = [place for place, it in enumerate(lines) if it.startswith("gcloud kms ")]
    assert 0 < min(made) <= max(made) < min(granted)
    assert lines[0].startswith("gcloud services enable ")


def test_a_stack_without_a_key_or_a_project_is_told_which_it_lacks() -> None:
    with pytest.raises(UserError, match=r"^stack.cmek: Pulumi.lab.yaml has none"):
        commands("lab", None)
