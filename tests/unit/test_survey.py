"""Everything that is wrong with existing parts is told at once."""

from __future__ import annotations

import pulumi
import pytest

from components.base.existing import ExistingPartError, Part
from stacks.problems import BrokenRulesError, Problem
from stacks.survey import Survey

SUBNETWORK = Part(kind="subnetwork", name="x", place="region r", listing="gcloud")


def missing() -> str:
    raise ExistingPartError(SUBNETWORK, '"x" is not in region r')


def misnamed() -> str:
    raise BrokenRulesError([Problem("cluster.stack", '"a" is not ORG/PROJECT/STACK')])


def test_what_can_be_read_is_handed_on() -> None:
    survey = Survey()
    assert survey.read("network.existing", lambda: "found") == "found"
    survey.close()


def test_all_problems_are_told_together_by_their_fields() -> None:
    survey = Survey()
    assert survey.read("network.existing", missing) is None
    assert survey.read("cluster.existing", misnamed) is None
    survey.judge([Problem("lustre.filesystem", "it is another")])
    with pytest.raises(pulumi.RunError) as raised:
        survey.close()
    title, *lines = str(raised.value).splitlines()
    assert title == "The config has 3 mistakes; nothing was changed."
    assert lines == [
        '  stack.network.existing.subnetwork: "x" is not in region r',
        '  stack.cluster.stack: "a" is not ORG/PROJECT/STACK',
        "  stack.lustre.filesystem: it is another",
    ]


def test_advice_is_a_warning_and_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    warned: list[str] = []
    monkeypatch.setattr(pulumi.log, "warn", warned.append)
    survey = Survey()
    survey.judge([], [Problem("network.existing.mtu", "small")])
    survey.close()
    assert warned == ["stack.network.existing.mtu: small"]


def test_errors_of_another_kind_are_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        Survey().read("network.existing", lambda: 1 / 0)
