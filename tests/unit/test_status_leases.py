"""Until when `status` says that machines stay which are had for a time alone."""

from __future__ import annotations

from datetime import timedelta

from aistack.status.leases import Lease, leases
from kube.kinds import NODE
from tests.unit.status_samples import NOW, POOL, node, obj, pool, snapshot


def test_machines_that_are_had_for_a_time_alone_say_until_when() -> None:
    got = {"type": "Provisioned", "status": "True", "lastTransitionTime": NOW.isoformat()}
    request = obj("queued", status={"conditions": [got]})
    short = {"parameters": {"maxRunDurationSeconds": "3600"}}
    gone = {**got, "type": "CapacityRevoked"}
    it = snapshot(
        pool(maxRunDuration="7200s"),
        seen={NODE: [node(hours=1), node("b", hours=0)]},
        requests=[
            request,
            obj("waits", spec=short),
            obj("over", spec=short, status={"conditions": [got, gone]}),
        ],
    )
    assert leases(it) == [
        Lease(of=f"pool {POOL}", until=NOW + timedelta(hours=1)),
        Lease(of="request default/queued", until=NOW + timedelta(days=7)),
    ]
    assert leases(snapshot(pool(), seen={NODE: [node()]})) == []
    assert leases(snapshot(pool(maxRunDuration="7200s"))) == []
