"""Amounts of ResourceQuota and LimitRange in memory, where neither limits a pod.

What they refuse is a real API server's to say, in tests/kube/test_teams.py.
"""

from typing import Any

import pytest

from sandbox.kube.amounts import Amount
from sandbox.kube.readiness import health
from sandbox.kube.store import Store
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import cpu_node, make, ref, refusal
from tests.unit.quota_samples import NAMESPACE, objects


@pytest.fixture
def kube() -> MemoryKube:
    made = MemoryKube({}, [cpu_node(cpu="64", memory="256Gi")])
    for obj in objects():
        made.apply(obj)
    return made


def test_a_quota_is_there_once_it_is_counted(kube: MemoryKube) -> None:
    assert kube.readiness(ref("ResourceQuota", "team", NAMESPACE)).ready
    store = Store({})
    uncounted = store.add(objects()[-1])
    assert health(store, uncounted).reason == "quota is not counted yet"


@pytest.mark.parametrize(
    ("kind", "spec", "ending"),
    [
        ("ResourceQuota", {"hard": {"requests.cpu": "-1"}}, "must be greater than or equal to 0"),
        ("ResourceQuota", {"hard": {"requests.cpu": "a"}}, "a unit such as 8, 500m or 64Gi"),
        (
            "LimitRange",
            {
                "limits": [
                    {
                        "type": "Container",
                        "default": {"cpu": "1"},
                        "defaultRequest": {"cpu": "2"},
                    }
                ]
            },
            "is greater than default limit value 1",
        ),
        ("LimitRange", {"limits": [{"type": "Container", "defaultRequest": {"cpu": "x"}}]}, "64Gi"),
    ],
)
def test_amounts_that_are_none_are_refused(
    kube: MemoryKube, kind: str, spec: dict[str, Any], ending: str
) -> None:
    assert refusal(kube, make(kind, "other", spec=spec)).endswith(ending)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0", "0"),
        ("1500m", "1500m"),
        ("2000m", "2"),
        ("1000", "1k"),
        ("1536Mi", "1536Mi"),
        ("65536Mi", "64Gi"),
        ("1e3", "1k"),
        ("512", "512"),
        ("0.5", "500m"),
    ],
)
def test_an_amount_is_shown_as_kubernetes_shows_it(text: str, shown: str) -> None:
    assert str(Amount.read(text)) == shown
