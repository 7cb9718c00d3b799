"""What the in-memory Kueue claims: rows of the table that the real one is held to."""

import re

import pytest

from sandbox.kube.store import Store
from tests.kube.queue_scenarios import Scenario, ground, scenarios, wanted
from tests.unit.kueue_samples import with_kueue


@pytest.mark.parametrize("scenario", scenarios(memory=True))
def test_every_workload_is_in_the_state_of_the_table(scenario: Scenario) -> None:
    state: dict[str, object] = {}
    kube = with_kueue(state=state)
    for each in ground():
        kube.apply(each)
    for step in scenario.steps:
        for each in scenario.made(step):
            kube.apply(each)
        for ref in scenario.gone(step):
            kube.delete(ref)
        seen, look = scenario.seen(step, Store(state).all("Workload", "ClusterQueue")), wanted(step)
        assert [it for it in look if not re.match(look[it], seen[it])] == [], seen
