"""What is said of models: of those that a config names, and of those that are there by default."""

from __future__ import annotations

from typing import Any

import pytest

from stacks.config import ConfigError, validate

TOKEN = frozenset({"hugging_face_token"})
QUEUES = {"queues": {}, "buckets": {"models": {}}}


def said(
    machine: str = "g2-standard-24", *, secrets: frozenset[str] = TOKEN, **parts: Any
) -> list[str]:
    pools = {
        "gpu": {"machine_type": machine, "nodes": 2},
        "cpu": {"machine_type": "e2-standard-8", "nodes": 1},
    }
    places = {"project": "my-project", "region": "us-central1", "zone": "us-central1-a"}
    try:
        validate({"name": "plat", **places, "pools": pools, **parts}, secrets_set=secrets)
    except ConfigError as error:
        return [it.removeprefix("stack.") for it in error.lines]
    return []


def served(machine: str = "g2-standard-24", **server: Any) -> list[str]:
    return said(machine, servers={"chat": server})


NEAREST = [
    ("gemma-2-9b-it", "google/gemma-2-9b-it"),
    ("Gemma-2-9B-it", "google/gemma-2-9b-it"),
    ("llama3", "meta-llama/Llama-3.1-8B"),
    # Of which nothing is known: one that is there by default, and no other.
    ("/data/my-model", "one like google/gemma-2-9b-it"),
    ("gs://models/mine", "one like google/gemma-2-9b-it"),
]


@pytest.mark.parametrize(("model", "near"), NEAREST)
@pytest.mark.parametrize("gpus", [2, 3])
def test_a_wrong_model_brings_no_error_about_another(model: str, near: str, gpus: int) -> None:
    lines = served("g2-standard-24" if gpus == 2 else "g2-standard-48", model=model, gpus=gpus)
    (wrong,) = [it for it in lines if it.startswith("servers.chat.model: ")]
    assert wrong.partition("; nearest: ")[2].split(", ")[0] == near
    others = [it for it in lines if it != wrong]
    named = near.removeprefix("one like ")
    assert all("72B" not in it and ("/" not in it or named in it) for it in others)


def test_what_is_offered_for_a_wrong_model_fits_where_it_is_to_run() -> None:
    tune = {"type": "fine-tune", "model": "llama9"}
    lines = said("g2-standard-8", jobs={"tune": tune}, **QUEUES)
    assert not any("more GPUs" in it for it in lines)


DEFAULTS = [
    ({"gpus": 3}, "g2-standard-48", "heads of google/gemma-2-9b-it (by default) evenly"),
    (
        {"max_model_len": 100000},
        "g2-standard-24",
        "more than google/gemma-2-9b-it (by default) tells",
    ),
]


@pytest.mark.parametrize(("server", "machine", "words"), DEFAULTS)
def test_a_model_that_nobody_named_is_told_as_the_one_by_default(
    server: dict[str, Any], machine: str, words: str
) -> None:
    (line,) = served(machine, **server)
    assert words in line
    (named,) = served(machine, **server, model="google/gemma-2-9b-it")
    assert words.replace(" (by default)", "") in named


TOKENS = [
    ({"servers": {"chat": {}}}, "servers.chat (by default google/gemma-2-9b-it)"),
    ({"servers": {"chat": {"model": "meta-llama/Mine"}}}, "servers.chat (meta-llama/Mine)"),
    (
        {"jobs": {"tune": {"type": "fine-tune"}}, **QUEUES},
        "jobs.tune (by default google/gemma-2-2b)",
    ),
    (
        {"servers": {name: {"model": "m/x"} for name in "abcd"}},
        "servers.a (m/x), servers.b (m/x), servers.c (m/x), and others",
    ),
]


@pytest.mark.parametrize(("parts", "what"), TOKENS)
def test_a_missing_token_is_told_with_what_wants_it(parts: dict[str, Any], what: str) -> None:
    line = next(it for it in said(secrets=frozenset(), **parts) if it.startswith("hugging_face"))
    assert line == (
        f"hugging_face_token: missing, for {what}; set it with: pulumi config set --secret "
        "hugging_face_token"
    )
