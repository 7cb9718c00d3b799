"""What no single run makes anew where a person asks for it, by what is on record. No engine here:
tests/stacks/test_by_hand.py runs the commands."""

from __future__ import annotations

import asyncio
from typing import Any

import pulumi
import pytest

from components.base.static_volume import BOUND
from stacks.by_hand import ByHand
from stacks.on_record import Record
from stacks.one_run import PROVIDER
from stacks.refusal import ADDRESS, CLUSTER, NETWORK, RELEASE, SUBNETWORK

CLAIM = "kubernetes:core/v1:PersistentVolumeClaim"
VOLUME = "kubernetes:core/v1:PersistentVolume"
KUEUE = "kubernetes:kueue.x-k8s.io/v1beta2"
NAMED = {"namespace": "default", "name": "data-pvc"}
OUTPUTS: dict[tuple[str, str], dict[str, Any]] = {
    (NETWORK, "network"): {},
    (SUBNETWORK, "network-subnet"): {},
    (ADDRESS, "peering-range"): {"address": "10.10.0.0", "name": "demo-peering"},
    (CLUSTER, "gke-cluster"): {},
    (PROVIDER, "gke-kube"): {},
    (RELEASE, "kueue-release"): {"name": "kueue"},
    (RELEASE, "kuberay-release"): {"name": "kuberay-operator"},
    (f"{KUEUE}:ResourceFlavor", "l4-flavor"): {},
    (f"{KUEUE}:LocalQueue", "lq-queue"): {},
    (VOLUME, "data-volume"): {"metadata": {"uid": "a"}, "spec": {"claimRef": NAMED}},
    (CLAIM, "data-claim"): {"metadata": NAMED},
    ("gke-ai:index:LustreVolume", "data"): {BOUND: "a"},
}
URNS = {name: f"urn:pulumi:s::p::{token}::{name}" for token, name in OUTPUTS}
RECORD = Record(
    {URNS[name]: {"type": token, "outputs": it} for (token, name), it in OUTPUTS.items()}
)


def told(*names: str) -> str:
    """Of resources that the engine makes anew, none of which has changed."""
    return str(ByHand(RECORD).refusal(*(it for it in RECORD.resources if it.name in names)) or "")


def commands(message: str) -> list[str]:
    return [it.strip() for it in message.splitlines() if it.startswith("  pulumi ")]


def untaint() -> str:
    stack = pulumi.get_stack()
    return f"pulumi state untaint --all --yes --stack {stack}, where something is tainted"


def destroy(name: str) -> str:
    return f"--target {URNS[name]} --target-dependents"


@pytest.mark.parametrize(
    ("names", "options", "again", "what"),
    [
        (
            ["gke-cluster"],
            destroy("gke-kube"),
            f" --replace {URNS['gke-cluster']}",
            "gke-cluster would be replaced",
        ),
        # What the cluster is made anew for goes first, and what follows it goes with it.
        (
            ["network-subnet", "gke-cluster", "kueue-release"],
            destroy("gke-kube"),
            f" --replace {URNS['network-subnet']} --replace {URNS['gke-cluster']}",
            "`destroy` deletes what the stack has in gke-cluster",
        ),
        (["network", "gke-cluster"], "", "", "With `destroy` goes everything that the stack made"),
        (["kueue-release"], destroy("kueue-release"), "", "With `destroy` go Kueue, its queues"),
        (["l4-flavor"], destroy("l4-flavor"), "", "Kueue keeps a flavor as long as a queue names"),
        (
            ["peering-range"],
            destroy("peering-range"),
            "",
            "Or, in one run: stack.network.peering with another block",
        ),
    ],
    ids=" ".join,
)
def test_what_is_made_anew_by_hand_in_no_single_run_is_told_with_the_commands(
    names: list[str], options: str, again: str, what: str
) -> None:
    message = told(*names)
    stack = f"--stack {pulumi.get_stack()}"
    assert what in message
    assert commands(message) == [
        untaint(),
        f"pulumi destroy {stack} {options}".strip(),
        f"pulumi up {stack}{again}",
    ]


def test_a_claim_is_made_anew_with_the_volume_that_is_bound_to_it() -> None:
    message = told("data-claim")
    assert message.startswith("data-claim would be replaced without data-volume, and would wait")
    up = f"pulumi up --stack {pulumi.get_stack()} --replace {URNS['data-volume']}"
    assert commands(message) == [untaint(), up]


@pytest.mark.parametrize(
    "names",
    [[], ["kuberay-release"], ["lq-queue"], ["network-subnet"], ["data-claim", "data-volume"]],
)
def test_what_one_run_makes_anew_is_not_refused(names: list[str]) -> None:
    assert told(*names) == ""


def hook(**inputs: Any) -> pulumi.ResourceHookArgs:
    return pulumi.ResourceHookArgs(
        urn=URNS["peering-range"], id="", name="peering-range", type=ADDRESS, new_inputs=inputs
    )


def test_a_preview_goes_on_to_its_end_and_a_run_stops_before_the_create(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hand, same = ByHand(RECORD), hook(address="10.10.0.0")
    monkeypatch.setattr("pulumi.runtime.is_dry_run", lambda: True)
    asyncio.run(hand.before_create(same))
    assert "peering-range would be replaced" in str(hand.refusal())
    monkeypatch.setattr("pulumi.runtime.is_dry_run", lambda: False)
    with pytest.raises(pulumi.RunError, match="peering-range would be replaced"):
        asyncio.run(ByHand(RECORD).before_create(same))


def test_a_create_that_the_config_asks_for_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulumi.runtime.is_dry_run", lambda: False)
    asyncio.run(ByHand(RECORD).before_create(hook(address="10.20.0.0")))
