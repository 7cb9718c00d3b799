"""How long nodes of spot pools have to end: new ones more than GKE's own, those that stand what
they have. Cannot prove that Google's machines keep their power so long."""

from pathlib import Path
from typing import Any

import pytest

from stacks import changes
from stacks.config import ConfigError, validate
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import NODE_POOL, renews_nodes
from tests.conftest import changed
from tests.parts.samples import AUTOPILOT, DEV, TPU
from tests.programs import registered
from tests.unit.script_samples import STACK

# GKE documentation, "Spot VMs", read 2026-11-28.
LONGER = {"shutdownGracePeriodSeconds": 120, "shutdownGracePeriodCriticalPodsSeconds": 15}
OWN = {"shutdownGracePeriodSeconds": 30, "shutdownGracePeriodCriticalPodsSeconds": 15}
SPOT = changed(STACK, pools__gpu__capacity={"mode": "spot"}, cluster={"version": "1.35"})
GRACE = "pools__gpu__capacity__grace_seconds"
OLD = {"cluster__version": "1.34", "cluster__release_channel": "EXTENDED"}


def kubelet_of(config: dict[str, Any], pool: str = "gpu-pool", record: Record | None = None) -> Any:
    plan = validate(config)
    made = registered(plan, record=record)
    node = made.named(pool).inputs["nodeConfig"]
    return node.get("kubeletConfig")


def standing(
    kubelet: dict[str, Any] | None, *, spot: bool = True, name: str = "gpu-pool"
) -> Record:
    node = {"spot": spot, **({} if kubelet is None else {"kubeletConfig": kubelet})}
    return Record({f"urn:x::{name}": {"type": NODE_POOL, "outputs": {"nodeConfig": node}}})


def test_new_spot_machines_with_accelerators_have_120_seconds() -> None:
    assert kubelet_of(DEV) == LONGER
    plain = changed(DEV, ray=None, queues=None, buckets=None)
    assert kubelet_of(changed(plain, pools__cpu__capacity={"mode": "spot"}), "cpu-pool") is None
    assert kubelet_of(changed(DEV, pools__gpu__capacity={"mode": "on-demand"})) is None


@pytest.mark.parametrize("kept", [None, LONGER, OWN])
def test_a_pool_that_stands_keeps_what_it_has(kept: dict[str, Any] | None) -> None:
    assert kubelet_of(DEV, record=standing(kept)) == kept


def test_each_slice_keeps_what_it_has() -> None:
    spot = changed(TPU, pools__tpu__capacity={"mode": "spot"}, cluster__version="1.35")
    record = standing(OWN, name="tpu-0-pool")
    assert kubelet_of(spot, "tpu-0-pool", record) == OWN
    assert kubelet_of(spot, "tpu-1-pool", record) == LONGER


def test_a_review_whose_record_is_hidden_does_not_show_them_made_anew() -> None:
    stands = standing(None).standing[0]
    hidden = Record({stands.urn: {"type": stands.type, "outputs": stands.outputs}}, hidden=True)
    assert hidden.resources == ()
    assert kubelet_of(DEV, record=hidden) is None


def test_the_config_says_it_over_what_stands() -> None:
    assert kubelet_of(changed(DEV, **{GRACE: 120}), record=standing(None)) == LONGER
    assert kubelet_of(changed(DEV, **{GRACE: 30}), record=standing(LONGER)) == OWN
    # Nodes would be made anew for what they have already.
    assert kubelet_of(changed(DEV, **{GRACE: 30}), record=standing(None)) is None
    assert kubelet_of(changed(DEV, **{GRACE: 30})) is None


def test_machines_that_become_spot_are_new() -> None:
    assert kubelet_of(DEV, record=standing(None, spot=False)) == LONGER


@pytest.mark.parametrize(("channel", "longer"), [("REGULAR", False), ("RAPID", True)])
def test_of_a_channels_default_nobody_knows_what_it_has(channel: str, *, longer: bool) -> None:
    plain = changed(SPOT, jobs=None, cluster={"release_channel": channel})
    assert (kubelet_of(plain) == LONGER) is longer


def test_an_older_gke_has_its_own_unless_it_is_asked_for_more_and_then_refuses() -> None:
    assert kubelet_of(changed(DEV, **OLD)) is None
    validate(changed(DEV, **OLD, **{GRACE: 30}))
    with pytest.raises(ConfigError, match=r"GKE 1\.34 is older than spot_notice needs"):
        validate(changed(DEV, **OLD, **{GRACE: 120}))


def test_autopilot_has_no_such_key() -> None:
    spot = changed(AUTOPILOT, pools__gpu__capacity={"mode": "spot", "grace_seconds": 120})
    with pytest.raises(ConfigError, match=r"pools\.gpu\.capacity\.grace_seconds: Autopilot"):
        validate(spot)


def test_another_time_makes_the_nodes_anew() -> None:
    old, new = ({"nodeConfig": {"kubeletConfig": it}} for it in (OWN, LONGER))
    assert renews_nodes(NODE_POOL, old, new)


def planned(seconds: int | None, **values: Any) -> Plan:
    wanted = {} if seconds is None else {"jobs__train__grace_seconds": seconds}
    return validate(changed(SPOT, **wanted, **values))


def test_a_job_has_what_it_asks_for_up_to_what_its_nodes_leave(tmp_path: Path) -> None:
    changes.check(planned(105), Record(), "lab")
    (tmp_path / "train.py").write_text("print()\n")
    made = registered(planned(105), folder=tmp_path).named("train-job-set")
    pod = made.inputs["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] == 105
    changes.check(planned(600, pools__gpu__capacity={"mode": "on-demand"}), Record(), "lab")


@pytest.mark.parametrize(
    ("plan", "record", "said"),
    [
        (
            planned(106),
            Record(),
            "106 are more than the 105 seconds that nodes of gpu leave pods when Google takes one "
            "back; nearest: 105",
        ),
        (
            planned(60),
            standing(None),
            "60 are more than the 15 seconds that nodes of gpu leave pods when Google takes one "
            "back; nearest: 15, or pools.gpu.capacity.grace_seconds 120, which leaves 105",
        ),
    ],
)
def test_a_job_that_asks_for_more_is_refused_with_the_number(
    plan: Plan, record: Record, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        changes.check(plan, record, "lab")
    assert caught.value.lines == (f"stack.jobs.train.grace_seconds: {said}",)


def test_the_seconds_that_no_config_asked_for_are_nobodys_wish() -> None:
    changes.check(planned(None), standing(None), "lab")
