"""Bad input: every mistake is reported before any resource, with its field and what works.

`validate` is pure, so nothing here needs an engine or a cloud SDK; what the catalog does not know,
these tests do not know either.
"""

import re
import subprocess
import sys
from typing import Any

import pytest
from stacks.lustre_training_config import LustreTraining

from stacks.config import ConfigError, validate
from tests.conftest import ROOT, TOKEN, changed, kind_of
from tests.unit.bad_configs import BAD

SECRETS = frozenset({"hugging_face_token"})


def mistakes(config: dict[str, Any], secrets: frozenset[str] = SECRETS) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        validate(config, secrets_set=secrets)
    return caught.value.lines


def assert_named(lines: tuple[str, ...], field: str, end: str) -> None:
    """One of the lines is about the field and ends like that."""
    named = [line for line in lines if line.startswith(f"{field}: ")]
    assert named, lines
    # Nothing but further names may follow.
    assert re.search(re.escape(end) + r"[\w-]*(, [\w-]+)*$", named[0]), named[0]


def test_the_configs_of_all_stacks_are_right(b200: dict[str, Any], dev: dict[str, Any]) -> None:
    assert kind_of(validate(b200, secrets_set=SECRETS)) == "lustre-training"
    assert kind_of(validate(dev)) == "dev"


def test_numbers_and_switches_may_come_as_text_as_the_cli_sets_them(b200: dict[str, Any]) -> None:
    config = validate(
        changed(b200, gpu_pool__nodes="16", deletion_protection="true"), secrets_set=SECRETS
    )
    assert isinstance(config, LustreTraining)
    assert config.gpu_pool.nodes == 16
    assert config.deletion_protection is True


@pytest.mark.parametrize(("values", "field", "end"), BAD)
def test_bad_input_names_the_field_and_the_nearest_that_works(
    b200: dict[str, Any], values: dict[str, Any], field: str, end: str
) -> None:
    assert_named(mistakes(changed(b200, **values)), field, end)


def test_a_missing_token_says_how_to_set_it(b200: dict[str, Any]) -> None:
    (line,) = mistakes(b200, frozenset())
    assert line == (
        "hugging_face_token: missing; set it with: pulumi config set --secret hugging_face_token"
    )


def test_the_smallest_stack_needs_no_token(dev: dict[str, Any]) -> None:
    assert validate(dev, secrets_set=frozenset())


def test_all_mistakes_are_reported_together(b200: dict[str, Any]) -> None:
    config = changed(
        b200, project=None, lustre__capacity_gib=9500, ray__worker__gpus=16, network__mtu=1500
    )
    lines = mistakes(config, frozenset())
    assert [line.partition(": ")[0] for line in lines] == [
        *("gcp:project", "hugging_face_token", "stack.ray.worker.gpus"),
        "stack.lustre.capacity_gib",
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
            "marketing_name": "Next",
        },
        "boot_disk_types": ["hyperdisk-balanced"],
    }
    config = changed(
        b200,
        gpu_pool__machine_type="a9-highgpu-8g",
        gpu_pool__compact_placement=False,
        catalog={
            "machine_types": {"a9-highgpu-8g": machine},
            "zones": {"us-east1-b": {"offers": ["a9-highgpu-8g"]}},
        },
    )
    made = validate(config, secrets_set=SECRETS)
    assert isinstance(made, LustreTraining)
    assert made.worker_gpus == 8


def test_no_message_shows_what_a_wrong_key_holds(b200: dict[str, Any]) -> None:
    for path in ("hf_token", "hugging_face_tokn", "job__api_key", "ray__head__anything"):
        config = changed(b200, **{path: TOKEN})
        assert TOKEN not in "\n".join(mistakes(config))


def test_no_message_shows_a_value_of_a_config_that_is_secret(b200: dict[str, Any]) -> None:
    canary = "canaryvalue"
    for path in ("gpu_pool__nodes", "gpu_pool__machine_type", "job__dataset", "lustre__name"):
        config = changed(b200, **{path: f"{canary}_X"})
        with pytest.raises(ConfigError) as caught:
            validate(config, secrets_set=SECRETS, hide_values=True)
        assert canary not in str(caught.value)


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
