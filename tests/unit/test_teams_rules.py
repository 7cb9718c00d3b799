"""What a config may say of the teams of a stack, and what is said where it may not."""

import pytest

from tests.conftest import changed
from tests.parts.refusals import REFUSED
from tests.programs import mistakes
from tests.unit.team_stack import LAB, planned


def test_every_refusal_is_the_only_one() -> None:
    wrong = [changed(LAB, **it.values) for it in REFUSED if it.stack is LAB]
    assert len(wrong) > 30
    assert all(len(mistakes(it)) == 1 for it in wrong)


@pytest.mark.parametrize("part", ["gpus", "pods"])
def test_a_quota_of_all_that_there_can_be_is_taken(part: str) -> None:
    """Of two GPUs a queue gives out one."""
    most = {"gpus": 1, "pods": 330}[part]
    assert planned(teams__audio__quota={part: most}).teams["audio"].quota


def test_a_quota_of_chips_counts_what_slices_have() -> None:
    pools = {
        "tpu": {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2},
    }
    values = {"pools": pools, "queues": None, "teams": {"audio": {"quota": {"chips": 32}}}}
    zone = {"region": "us-east5", "zone": "us-east5-b"}
    quota = planned(**values, **zone).teams["audio"].quota
    assert quota is not None
    assert quota.devices == {"google.com/tpu": 32}


def test_autopilot_has_nodes_for_whatever_a_quota_lets_in() -> None:
    pools = {"gpu": {"machine_type": "a3-highgpu-8g", "nodes": 1, "capacity": {"mode": "spot"}}}
    assert planned(
        cluster={"mode": "autopilot", "location": "regional"},
        pools=pools,
        queues=None,
        teams={"audio": {"quota": {"cpu": 5000, "gpus": 100}}},
    ).teams


def test_queues_of_other_names_leave_the_stacks_namespace_without_one() -> None:
    queues = planned().stack.queues
    assert queues is not None
    assert queues.local_queues == ()
    alone = {"teams__vision__queue": "cluster-queue", "teams__audio__quota": None}
    by_default = planned(queues={}, **alone).stack.queues
    assert by_default is not None
    assert [it.name for it in by_default.local_queues] == ["lq"]
