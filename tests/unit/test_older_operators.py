"""An operator that a run would set back to an older release is told before it does."""

from __future__ import annotations

import pytest

from stacks.config import validate
from stacks.older_operators import told
from stacks.on_record import Record
from stacks.plan import Plan
from stacks.refusal import RELEASE
from tests.conftest import changed, stack_config
from tests.programs import WITH_ALL_SECRETS, registered

LAB = "lab"


def planned(stack: str = LAB, **values: object) -> Plan:
    return validate(changed(stack_config(stack), **values), secrets_set=WITH_ALL_SECRETS)


def recorded(plan: Plan, **versions: str) -> Record:
    """All releases that a run of the program makes, those of some charts at other versions."""
    made = (it for it in registered(plan).resources if it.type == RELEASE)
    return Record(
        {
            f"urn:pulumi:a::b::{RELEASE}::{it.name}": {
                "type": RELEASE,
                "outputs": {
                    **it.inputs,
                    "version": versions.get(
                        it.inputs["name"].partition("-")[0], it.inputs["version"]
                    ),
                },
            }
            for it in made
        }
    )


def test_kueue_that_goes_back_is_told_with_what_is_lost_and_the_release_that_is_there() -> None:
    there = recorded(planned())
    (line,) = told(planned(queues__version="0.18.6"), there)
    assert line == (
        "kueue: 0.19.2 is in the cluster, and 0.18.6 is older: the definitions of its kinds go "
        "back, too, and queues and workloads lose fields that the older ones lack; what runs and "
        "waits may stop or be looked after no more, so go back while nothing does; nearest: "
        "queues.version: 0.19.2"
    )


@pytest.mark.parametrize(("chart", "version"), [("jobset", "0.13.0"), ("kueue", "0.20.1")])
def test_a_program_that_is_older_than_what_is_there_says_so(chart: str, version: str) -> None:
    (line,) = told(planned(), recorded(planned(), **{chart: version}))
    assert line.startswith(f"{chart}: {version} is in the cluster, and ")
    assert line.endswith("; nearest: the release of this program that made it")


def test_kuberay_that_goes_back_leaves_the_newer_definitions() -> None:
    plan = planned("gcsfuse-checkpoint")
    (line,) = told(plan, recorded(plan, kuberay="1.99.0"))
    assert line.startswith("kuberay: 1.99.0 is in the cluster, and ")
    assert "the definitions of its kinds stay the newer ones" in line


@pytest.mark.parametrize("version", ["0.19.2", "0.18.6", "0.9.9", "None", "another"])
def test_a_release_that_stays_or_goes_forward_is_nothing_to_tell(version: str) -> None:
    assert not [*told(planned(), recorded(planned(), kueue=version))]


def test_nothing_is_told_before_the_first_up_nor_of_an_operator_that_goes() -> None:
    assert not [*told(planned(queues__version="0.18.6"), Record())]
    there = recorded(planned(), kueue="0.20.1", jobset="0.12.0")
    bare = planned("verl-b200-autopilot")
    assert bare.queues is None
    assert not [*told(bare, there)]
