"""Bad input: every mistake is reported before any resource, with its field and what works.

`validate` is pure, so nothing here needs an engine or a cloud SDK; what the catalog does not know,
these tests do not know either.
"""

import subprocess
import sys
from typing import Any

import pytest

from cli.project import stack_names
from stacks.config import validate
from stacks.tokens import required_secrets
from tests.conftest import ROOT, TOKEN, changed, stack_config
from tests.programs import WITH_TOKEN, mistakes

WORKERS = "ray__ray-a4-gpu-spot__workers__gpu-worker-group"


@pytest.mark.parametrize("stack", stack_names())
def test_every_preset_is_right(stack: str) -> None:
    assert validate(stack_config(stack), secrets_set=WITH_TOKEN)


@pytest.mark.parametrize("stack", stack_names())
def test_a_preset_needs_a_token_where_it_says_that_one_is_to_be_set(stack: str) -> None:
    text = (ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    wanted = "--secret hugging_face_token" in text
    lines = mistakes(changed(stack_config(stack), labels={"Team": "x"}), frozenset())
    missing = [it for it in lines if it.startswith("hugging_face_token: ")]
    assert len(missing) == wanted
    for line in missing:
        assert line.startswith("hugging_face_token: missing, for ")
        assert line.endswith("; set it with: pulumi config set --secret hugging_face_token")


@pytest.mark.parametrize(
    ("servers", "wanted"),
    [
        ({"chat": {"model": "Qwen/Qwen3-8B"}}, False),
        ({"chat": {"model": "Qwen/Qwen3-8B"}, "code": {"model": "google/gemma-2-2b-it"}}, True),
        ({"chat": {"model": "somebody/unknown"}}, True),
        ({"chat": {}}, True),
        ({"chat": {"model": ["Qwen/Qwen3-8B"]}}, True),
        ("chat", True),
        ({}, False),
    ],
)
def test_a_server_needs_a_token_unless_its_model_is_known_to_be_anybodys(
    servers: Any, wanted: bool
) -> None:
    assert required_secrets({"servers": servers}) == ("hugging_face_token",) * wanted


@pytest.mark.parametrize("kind", ["lustre-training", "lustre", None, 7])
def test_a_config_with_a_kind_gets_one_error_with_the_page_that_says_what_became_of_it(
    kind: Any,
) -> None:
    old = {"kind": kind, "name": "X y", "gpu_pool": {"nodes": 0}, "network": {"mtu": 9000}}
    (line,) = mistakes(old, frozenset())
    assert line == (
        "stack.kind: a stack has no kind any more, it is a list of parts under names of yours; "
        "nearest: the same stack as docs/change-a-running-stack.md has it under "
        '"From a config with a kind"'
    )


def test_numbers_and_switches_may_come_as_text_as_the_cli_sets_them(b200: dict[str, Any]) -> None:
    config = validate(
        changed(b200, pools__gpu__nodes="16", deletion_protection="true"), secrets_set=WITH_TOKEN
    )
    assert config.stack.pools["gpu"].nodes == 16
    assert config.stack.deletion_protection is True


def test_all_mistakes_are_reported_together(b200: dict[str, Any]) -> None:
    config = changed(
        b200,
        project=None,
        lustre__capacity_gib=9500,
        network__mtu=1500,
        **{f"{WORKERS}__gpus": 16},
    )
    lines = mistakes(config, frozenset())
    assert [line.partition(": ")[0] for line in lines] == [
        *("gcp:project", "hugging_face_token", "stack.lustre.capacity_gib"),
        f"stack.{WORKERS.replace('__', '.')}.gpus",
    ]


def test_what_the_catalog_does_not_know_yet_can_be_added(b200: dict[str, Any]) -> None:
    machine = {
        "vcpus": 300,
        "memory_gib": 4000,
        "accelerator": {
            "kind": "gpu",
            "type": "nvidia-next",
            "count": 8,
            "memory_gib": 200,
        },
        "boot_disk_types": ["hyperdisk-balanced"],
    }
    config = changed(
        b200,
        pools__gpu__machine_type="a9-highgpu-8g",
        pools__gpu__compact_placement=False,
        catalog={
            "machine_types": {"a9-highgpu-8g": machine},
            "zones": {"us-east1-b": {"offers": ["a9-highgpu-8g"]}},
        },
        # It has no RDMA interfaces to test.
        **{"ray__ray-a4-gpu-spot__nccl_test": None},
    )
    made = validate(config, secrets_set=WITH_TOKEN)
    assert made.ray["ray-a4-gpu-spot"].accelerated.gpus == 8


def test_no_message_shows_what_a_wrong_key_holds(b200: dict[str, Any]) -> None:
    for path in ("hf_token", "hugging_face_tokn", "jobs__api_key", f"{WORKERS}__anything"):
        config = changed(b200, **{path: TOKEN})
        assert TOKEN not in "\n".join(mistakes(config))


def test_no_message_shows_a_value_of_a_config_that_is_secret(b200: dict[str, Any]) -> None:
    canary = "canaryvalue"
    job = "jobs__nemo-rl-grpo-test1"
    for path in (
        *("pools__gpu__nodes", "pools__gpu__machine_type", "lustre__name"),
        *(f"{job}__dataset", f"{job}__type", f"{WORKERS}__pools"),
    ):
        config = changed(b200, **{path: f"{canary}_X"})
        assert canary not in "\n".join(mistakes(config, hide_values=True))


def test_checking_a_config_imports_neither_pulumi_nor_a_cloud_sdk() -> None:
    script = (
        "import sys, yaml; from stacks.config import validate;"
        "c = yaml.safe_load(open('Pulumi.dev.yaml'))['config'];"
        "validate({**c['gke-ai-stacks:stack'], 'project': 'my-project',"
        " 'region': c['gcp:region'], 'zone': c['gcp:zone']});"
        "print([m for m in sys.modules if m.startswith('pulumi')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
