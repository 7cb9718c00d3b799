"""A stack whose pods claim GPUs, as registered: what waits for what, and what NCCL is told. That
NVIDIA's drivers work on a node only real nodes show."""

from __future__ import annotations

import pytest

from stacks.config import validate
from tests.conftest import Recording
from tests.parts.claim_samples import CLAIMED
from tests.programs import WITH_TOKEN, registered
from tests.unit.test_nccl_on_rdma import assert_on_gib, on_rdma


@pytest.fixture(scope="module")
def made() -> Recording:
    return registered(validate(CLAIMED, secrets_set=WITH_TOKEN))


def test_what_finds_gpus_and_gib_wait_for_the_driver(made: Recording) -> None:
    for name in ("gpu-claims-release", "nccl-daemon-set"):
        assert "gpu-driver-daemon-set" in made.waits_for(name)


@pytest.mark.parametrize(
    ("name", "template"),
    [("app-cluster", "pairs-4"), ("tune-job-set", "pairs-2"), ("chat-deployment", "pairs-1")],
)
def test_pods_wait_for_what_they_claim_and_for_gib(
    made: Recording, name: str, template: str
) -> None:
    needed = {f"{template}-template", "gpu-claims-release", "nccl-daemon-set"}
    assert needed <= made.waits_for(name)


def test_nccl_fails_rather_than_take_tcp(made: Recording) -> None:
    assert on_rdma(made).keys() == {"app-cluster", "chat-deployment", "tune-job-set"}
    assert_on_gib(made)
