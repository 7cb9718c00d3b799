"""The config of a stack's last run, from the engine's own record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from aistack.errors import VerbError
from aistack.stack import Stack, last_config

PLACES = {"gcp:project": "my-project", "gcp:region": "us-central1", "gcp:zone": "us-central1-a"}


def run(
    result: str = "succeeded", kind: str = "update", more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """As `pulumi stack history --json` tells it."""
    plain = {key: {"value": it, "secret": False} for key, it in PLACES.items()}
    stack = {"value": json.dumps({"name": "lab"}), "secret": False}
    config = {**plain, "gke-ai-stacks:stack": stack, **(more or {})}
    return {"result": result, "kind": kind, "config": config}


def read(monkeypatch: pytest.MonkeyPatch, *runs: dict[str, Any]) -> Any:
    def answer(*_: str, **__: Any) -> Any:
        return list(runs)

    monkeypatch.setattr("aistack.stack._pulumi", answer)
    return last_config(Stack(name="lab", resources=()))


def test_it_has_the_stack_its_places_and_the_names_of_its_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = read(
        monkeypatch,
        run(
            more={
                "gke-ai-stacks:hugging_face_token": {"secret": True},
                "gke-ai-stacks:wandb_api_key": {"value": "set in plain", "secret": False},
                "gke-ai-stacks:slack_hook": {"secret": True},
                "kubernetes:kubeconfig": {"secret": True},
            }
        ),
    )
    own = {key.partition(":")[2]: it for key, it in PLACES.items()}
    assert found.values == {"name": "lab", **own}
    assert found.secrets == {"hugging_face_token", "wandb_api_key"}


SECRET = {"gcp:zone": {"secret": True}}
BROKEN = {"gke-ai-stacks:stack": {"value": "foo", "secret": False}}


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], "stack: missing"),
        ([run("failed")], "its last run, update, has failed"),
        ([run(kind="destroy")], "its last run, destroy, has succeeded"),
        ([run(more=SECRET)], "gcp:zone: is a secret, which is not read"),
        ([run(more=BROKEN)], "stack: not a block of keys"),
    ],
)
def test_what_cannot_be_known_is_told(
    monkeypatch: pytest.MonkeyPatch, runs: list[dict[str, Any]], told: str
) -> None:
    with pytest.raises(VerbError) as refused:
        read(monkeypatch, *runs)
    assert told in str(refused.value)
