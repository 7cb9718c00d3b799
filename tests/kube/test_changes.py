"""The promise of a preview on the real control plane: changes of running stacks, that together are
of every kind of object that the presets have. Work of others is in the cluster, and stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.kube.conftest import LiveSandbox
from tests.parts.bystanders import Bystanders
from tests.parts.sampling import a_sample
from tests.stacks.conftest import changed
from tests.stacks.inventory import FOLDER, file_of

# One after the other; each is a list of options of `--set`.
STEPS: dict[str, list[list[str]]] = {
    "lab": [
        ["labels.purpose=other"],
        ["buckets.data.mount.log_severity=warning"],
        ["jobs.cifar-10.minutes=70", "jobs.classifier.epochs=11"],
        ["servers.chat.requests.cpu=5"],
        ["namespace=elsewhere"],
    ],
    "dev": [
        ["ray.dev.workers.gpu-worker-group.requests.cpu=3"],
        ["service_account=other"],
        ["namespace=elsewhere"],
    ],
    "kueue-mixed": [
        ["labels={purpose: other}"],
        ["jobs.finetune-gemma-l4.epochs=2"],
        ["namespace=elsewhere"],
    ],
    "serve-autopilot": [["labels={purpose: other}"]],
    # Its networks are its own, which GKE knows by objects.
    "verl-b200-autopilot": [["labels.purpose=other"], ["namespace=elsewhere"]],
}
# Where no pod says which pool it is for.
_AUTOPILOT = ("serve-autopilot", "verl-b200-autopilot")
SAMPLE = 1
_PREFIX = "kubernetes:"


@pytest.mark.parametrize("stack", a_sample(list(STEPS), SAMPLE))
def test_what_a_preview_shows_is_what_up_does(
    live_sandbox: Callable[[str], LiveSandbox], stack: str
) -> None:
    sandbox = live_sandbox(stack)
    said: list[str] = []
    sandbox.succeed("up")
    others = Bystanders(sandbox)
    if stack not in _AUTOPILOT:
        others.come()
    for step in STEPS[stack]:
        said += step
        shown = changed(sandbox.succeed("preview", *said))
        done = changed(sandbox.succeed("up", *said))
        # What waits for a value that only the cluster knows is shown as an update.
        assert done.items() <= shown.items()
        assert {shown[it] for it in shown.keys() - done.keys()} <= {"update"}
        assert changed(sandbox.succeed("preview", *said)) == {}
        assert others.stand()
    others.leave()
    assert sandbox.succeed("destroy").cloud == {}


def test_the_changes_are_of_every_kind_of_object_that_a_preset_has() -> None:
    everywhere = {kind for file in FOLDER.glob("*.yaml") for kind in _kinds(file)}
    assert {kind for it in STEPS for kind in _kinds(file_of(it))} == everywhere


def _kinds(inventory: Path) -> set[str]:
    """All of them have the labels, which each of these stacks changes, or are replaced with the
    namespace."""
    counts: dict[str, Any] = yaml.safe_load(inventory.read_text())["counts"]
    return {it for it in counts if it.startswith(_PREFIX)}
