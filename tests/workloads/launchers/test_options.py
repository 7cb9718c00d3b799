"""Every option that the stacks give, against the names that the pinned versions take.

It cannot prove that a value makes sense there, only that the option is there and is of its kind.
"""

import shlex
from typing import Any

import pytest

from catalog.catalog import Catalog
from components.servers.engine import ServedModel
from components.servers.vllm import VLLM
from tests.conftest import Register
from tests.unit.stack_graphs import built, options_of
from tests.workloads.launchers.conftest import OPTIONS, DryRun, table
from workloads.maxtext.maxtext_trainer import OWN

VERL = ("verl-b200", "verl-h200", "verl-b200-autopilot")
TPU = ("tpu-multislice", "tpu-elastic")


def kind(value: Any) -> str:
    """Numbers are one kind, for a whole one may stand for any; so is the text of one."""
    text = str(value)
    if text.lower() in ("true", "false"):
        return "bool"
    return (
        "number" if text.replace("e-", "").replace(".", "", 1).lstrip("-").isdecimal() else "text"
    )


@pytest.mark.parametrize("package", ["maxtext", "verl"])
def test_the_options_are_read_from_the_version_that_the_lock_names(package: str) -> None:
    version = Catalog.load().component(package).version
    assert version is not None
    assert (OPTIONS / f"{package}-{version.removeprefix('v')}.dist-info").is_dir()


@pytest.mark.parametrize("stack", VERL)
def test_verl_has_every_option_and_of_that_kind(
    register: Register, verl_options: dict[str, Any], stack: str
) -> None:
    options = options_of(built(register, stack))
    del options["code"]  # the launcher's own
    assert options.keys() <= verl_options.keys()
    plain = {
        key: it for key, it in options.items() if kind(verl_options[key]) in ("bool", "number")
    }
    assert {key: kind(it) for key, it in plain.items()} == {
        key: kind(verl_options[key]) for key in plain
    }


@pytest.mark.parametrize("stack", TPU)
def test_maxtext_has_every_option_and_the_model(
    register: Register, maxtext_options: dict[str, Any], stack: str
) -> None:
    options = options_of(built(register, stack))
    options = {key: it for key, it in options.items() if key not in OWN}
    assert options.keys() <= maxtext_options.keys()
    models = OPTIONS / "maxtext" / "configs" / "models"
    assert list(models.rglob(f"{options['model_name']}.yml"))
    numbers = {key for key in options if kind(maxtext_options[key]) == "number"}
    assert all(kind(options[key]) == "number" for key in numbers)


def test_nemo_rl_has_every_option_of_this_recipe(register: Register) -> None:
    known = table("nemo_rl_options.yaml")
    options = options_of(built(register, "b200-lustre", keys=("hugging_face_token",)))
    assert options.pop("recipe") == known["recipe"]
    del options["mkdir"], options["fetch"]  # the launcher's own
    assert options.keys() <= {*known["options"]}


def test_tgi_reads_every_variable(register: Register) -> None:
    made = built(register, "kueue-mixed", keys=("hugging_face_token",))
    server = made.one("apps/v1:Deployment").inputs["spec"]["template"]["spec"]["containers"][0]
    names = {it["name"] for it in server["env"]}
    assert names <= {*table("tgi_variables.yaml")["variables"]}


def test_vllm_has_every_option() -> None:
    model = ServedModel(
        name="a/b", source="a/b", shards=2, max_model_len=8192, gpu_memory_utilization=0.9
    )
    _, _, _, *options = VLLM.command(model)
    names = [it.partition("=")[0].removeprefix("--") for it in options]
    assert {*names} <= {*table("vllm_options.yaml")["options"]}


def test_accelerate_has_every_option_of_the_fine_tuning(dry_run: DryRun) -> None:
    where = {"PODS": "2", "GPUS_PER_POD": "8", "HOST_PREFIX": "tune", "SUBDOMAIN": "tune"}
    where |= {"MAIN_PORT": "29500", "MODEL_PATH": "/models", "JOB_COMPLETION_INDEX": "1"}
    where |= {"LOST_PEER_CODE": "75", "LOST_PEER_SECONDS": "120"}
    words = shlex.split(dry_run("fine_tune/launch.sh", **where))
    assert words[:2] == ["accelerate", "launch"]
    source = (OPTIONS / "accelerate" / "commands" / "launch.py").read_text(encoding="utf-8")
    assert all(f'"{word}"' in source for word in words if word.startswith("--"))


def test_workers_of_tpus_have_the_ray_that_is_tested_here() -> None:
    locked = (OPTIONS.parents[1] / "requirements/workloads.txt").read_text(encoding="utf-8")
    assert f"\nray=={Catalog.load().image('ray_tpu').ray_version} " in locked
