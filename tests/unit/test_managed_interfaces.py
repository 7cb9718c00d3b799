"""The preset b200-lustre with networks that GKE makes, against those of its own."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import Recording, Register, changed, stack_config
from tests.unit.stack_graphs import before_ray, built
from tests.unit.test_b200_lustre_graph import Up


@pytest.fixture
def up(register: Register) -> Up:
    def run(*, keys: tuple[str, ...] = ("hugging_face_token",), **values: Any) -> Recording:
        return built(register, "b200-lustre", keys=keys, **values)

    return run


def test_workers_wait_for_what_they_claim_and_for_the_plugin(up: Up) -> None:
    assert {"rdma-claims-8-template", "nccl-daemon-set"} <= before_ray(up())


def test_on_autopilot_workers_wait_for_the_class_of_their_machines(register: Register) -> None:
    managed = built(register, "verl-b200-autopilot", pools__gpu__interfaces="managed")
    assert {"gpu-class", "rdma-claims-8-template", "nccl-daemon-set"} <= before_ray(managed)


def test_on_autopilot_it_is_the_default_where_gke_has_it(register: Register) -> None:
    def first(version: str | None) -> str:
        plan = validate(
            changed(
                stack_config("verl-b200-autopilot"),
                pools__gpu__interfaces=None,
                cluster__version=version,
            )
        )
        return plan.pools["gpu"].interface_mode

    assert [first(it) for it in (None, "1.35.2-gke.1842000", "1.35.2-gke.1841999")] == [
        *("managed", "managed", "own")
    ]
