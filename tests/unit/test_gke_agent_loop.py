"""One part of GKE's stand-in that fails keeps no other from its work, and is tried again.

What each part does on a real API server, tests/kube says.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from sandbox.gke.agent import agent as module
from sandbox.gke.agent.agent import Agent, Options
from sandbox.live_kube.api import ApiError

PARTS = (
    "keep_networks",
    "keep_domains",
    "keep_requests",
    "keep_nodes",
    "mount",
    "end_job_pods",
    "keep_load_balancers",
)


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Agent:
    """One whose cluster is there and has nothing in it."""
    live = SimpleNamespace(store=lambda: None)
    cloud = SimpleNamespace(read=lambda: ("cluster", "cloud"))
    monkeypatch.setattr(module, "Api", lambda *_: None)
    monkeypatch.setattr(module, "Live", lambda *_: live)
    monkeypatch.setattr(module, "CloudFile", lambda *_: cloud)
    monkeypatch.setattr(module, "ScaleEvents", lambda *_: SimpleNamespace(tell=lambda *_: None))
    monkeypatch.setattr(module, "lustre_mounts", lambda *_: {})
    here = Path()
    return Agent(
        Options(
            kubeconfig=here,
            cloud=here,
            cluster="c",
            webhook_port=0,
            health_port=0,
            dashboard_port=0,
            certificates=here,
        )
    )


@pytest.mark.parametrize("broken", PARTS)
@pytest.mark.parametrize("error", [ApiError(404, "pods gone not found"), KeyError("spec")])
def test_what_fails_keeps_nothing_else_and_is_told_once(
    agent: Agent,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: str,
    error: Exception,
) -> None:
    did: list[str] = []

    def fails(*_: object) -> None:
        raise error

    for part in PARTS:
        monkeypatch.setattr(module, part, lambda *_, part=part: did.append(part))
    monkeypatch.setattr(module, broken, fails)
    assert not agent._step()
    assert not agent._step()
    assert did == 2 * [it for it in PARTS if it != broken]
    assert len(capsys.readouterr().err.splitlines()) == 1
    monkeypatch.setattr(module, broken, lambda *_: None)
    assert agent._step()
