"""A pool's identity, as registered."""

import pytest

from components.pools.node_service_account import NodeServiceAccount, NodeServiceAccountArgs
from tests.conftest import Recording, Register
from tests.unit.stack_graphs import built

AUTOPILOT = "verl-b200-autopilot"


def made(register: Register, base_name: str = "demo") -> Recording:
    args = NodeServiceAccountArgs(project="p", base_name=base_name, pool="gpu")
    return register(lambda: NodeServiceAccount("gpu-nodes", args))


def test_the_email_is_handed_out_with_the_grant(register: Register) -> None:
    recording = made(register)
    outputs = recording.outputs[recording.named("gpu-nodes").urn]
    assert outputs == {"email": "demo-gpu@p.iam.gserviceaccount.com"}


def test_a_long_stack_name_still_makes_a_legal_account(register: Register) -> None:
    account = made(register, "a" * 40).one(":Account").inputs["accountId"]
    assert len(account) == 30


@pytest.mark.parametrize("stack", ["b200-lustre", "dev", "verl-b200", "verl-h200", AUTOPILOT])
def test_no_storage_role_is_given_on_the_whole_project(register: Register, stack: str) -> None:
    keys = ("hugging_face_token",) if stack == "b200-lustre" else ()
    made = built(register, stack, keys=keys)
    given = [it for it in made.resources if it.custom and "IAM" in it.type]
    on_project = {it.inputs["role"] for it in given if not it.type.endswith("BucketIAMMember")}
    # Autopilot streams by itself.
    streaming = set() if stack == AUTOPILOT else {"roles/serviceusage.serviceUsageConsumer"}
    assert on_project == {"roles/container.defaultNodeServiceAccount", *streaming}
