"""The MaxText job of the TPU stacks: its options, and the trainer's word on each stack's own.

That MaxText trains with them no test here can prove.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog
from stacks.parts.jobs.maxtext import MaxTextTraining
from stacks.parts.jobs.on_ray import Place
from tests.conftest import Recording, Register, Registered
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.unit.maxtext_site import SCRIPT
from tests.unit.stack_graphs import built, options_of

FIXED, ELASTIC = "tpu-multislice", "tpu-elastic"
SLICES, WORKERS = "pools__v6e-16", "ray__maxtext-tpu-cluster__workers__tpu-group"
JOB, ELASTIC_JOB = "jobs__maxtext-llama3-8b", "jobs__maxtext-elastic-8b"
# MaxText's names and defaults: AI-Hypercomputer/maxtext, tag maxtext-v0.2.5 (61fa4f384),
# src/maxtext/configs/base.yml, read 2026-11-21.
MAXTEXT: dict[str, Any] = {
    "run_name": "",
    "base_output_directory": "",
    "model_name": "default",
    "dataset_type": "tfds",
    "steps": 150_001,
    "per_device_batch_size": 12.0,
    "max_target_length": 2048,
    "ici_fsdp_parallelism": -1,
    "ici_tensor_parallelism": 1,
    "ici_data_parallelism": 1,
    "dcn_data_parallelism": -1,
    "dcn_fsdp_parallelism": 1,
    "remat_policy": "full",
    "checkpoint_period": 10_000,
    # None: all of them.
    "max_num_checkpoints_to_keep": None,
    "jax_cache_dir": "~/jax_cache",
}
# The trainer's own (workloads/maxtext/maxtext_trainer.py).
OWN = {"slices", "hosts", "chips", "topology", "accelerator", "maxtext"}
LARGE: dict[str, Any] = {
    f"{SLICES}__topology": "4x8",
    f"{JOB}__model": "llama3-70b",
    f"{JOB}__ici": {"fsdp": 8, "tensor": 4},
    f"{JOB}__per_device_batch_size": 1,
    f"{JOB}__dcn": {"data": 1, "fsdp": 2},
    f"{JOB}__remat_policy": "full",
    f"{JOB}__run_name": "rayjob-multi-slice-70b-fsdp",
}
# (stack, what is changed in it)
RUNS: list[tuple[str, dict[str, Any]]] = [
    (FIXED, {}),
    (FIXED, LARGE),
    (FIXED, ON_AUTOPILOT),
    (FIXED, {f"{SLICES}__slices": 3}),
    (FIXED, {f"{SLICES}__slices": [1]}),
    (FIXED, {f"{JOB}__directory": "runs/first"}),
    (FIXED, {"network": {"dcn": []}, f"{SLICES}__topology": "4x8", f"{JOB}__ici": {}}),
    (ELASTIC, {}),
    (ELASTIC, ON_AUTOPILOT),
    (
        ELASTIC,
        {f"{SLICES}__slices": 4, f"{ELASTIC_JOB}__elastic": {"min_slices": 3, "max_failures": -1}},
    ),
]


def launcher_of(made: Recording) -> Registered:
    return made.named(f"{made.one(':RayCluster').name.removesuffix('-cluster')}-launchers-files")


def dry_run(made: Recording, folder: Path) -> dict[str, Any]:
    """What the trainer makes of the job's own command line and of the files beside it."""
    launcher, bucket = folder / "launcher", folder / "bucket"
    launcher.mkdir()
    for name, content in launcher_of(made).inputs["data"].items():
        (launcher / name).write_text(content, encoding="utf-8")
    command = made.one(":RayJob").inputs["spec"]["entrypoint"]
    here = command.replace("/etc/launcher", str(launcher)).replace("=/data", f"={bucket}")
    python, tools = Path(sys.executable).parent, folder / "bin"
    tools.mkdir()
    # An elastic job is run again by a script that asks Ray for its nodes.
    ray = tools / "ray"
    ray.write_text("#!/bin/sh\necho '[]'\n", encoding="utf-8")
    ray.chmod(0o755)
    done = subprocess.run(
        shlex.split(here),
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": f"{tools}:{python}:{os.environ['PATH']}", "DRY_RUN": "1"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_option_is_one_of_maxtexts_or_of_the_trainer(register: Register) -> None:
    for stack, values in RUNS:
        own = OWN | ({"min_slices", "max_failures"} if stack == ELASTIC else set())
        options = options_of(built(register, stack, **values))
        assert options.keys() - own <= MAXTEXT.keys()
        assert own <= options.keys()


def test_with_all_keys_set_every_option_of_the_table_is_given() -> None:
    job = MaxTextTraining.model_validate(
        {"type": "maxtext", "model": "llama3-8b", "remat_policy": "minimal", "elastic": {}}
    )
    at = Place(name="job", mount_path="/data", workers=2, gpus=0, nccl={}, packages=(), wandb=False)
    topology = Catalog.load().topology("ct6e-standard-4t", "4x4")
    given = job.parameters(at, topology, "0.2.5")
    assert given.keys() == MAXTEXT.keys() | OWN | {"min_slices", "max_failures"}


def test_a_job_that_says_nothing_of_the_mesh_has_maxtexts_own(register: Register) -> None:
    own: dict[str, Any] = {f"{JOB}__ici": {}}
    options = options_of(built(register, FIXED, **own))
    for name in MAXTEXT:
        if name.endswith("_parallelism"):
            assert options[name] == str(MAXTEXT[name])


def test_the_options_for_8b_are_the_scenarios_and_keep_what_a_restart_needs_on_the_bucket(
    register: Register,
) -> None:
    options = options_of(built(register, FIXED))
    assert options == {
        "slices": "@/etc/launcher/slices",
        "hosts": "4",
        "chips": "4",
        "topology": "4x4",
        "accelerator": "TPU-V6E",
        "maxtext": "0.2.5",
        "run_name": "maxtext-llama3-8b",
        "base_output_directory": "/data",
        "model_name": "llama3-8b",
        "dataset_type": "synthetic",
        "steps": "100",
        "per_device_batch_size": "4",
        "max_target_length": "4096",
        "ici_fsdp_parallelism": "4",
        "ici_tensor_parallelism": "4",
        "ici_data_parallelism": "1",
        "dcn_data_parallelism": "-1",
        "dcn_fsdp_parallelism": "1",
        "checkpoint_period": "25",
        "max_num_checkpoints_to_keep": "3",
        "jax_cache_dir": "/data/jax_cache",
    }


def test_the_options_for_70b_are_cut_over_twice_the_scenarios_chips(register: Register) -> None:
    small = options_of(built(register, FIXED))
    assert options_of(built(register, FIXED, **LARGE)) == small | {
        "hosts": "8",
        "topology": "4x8",
        "ici_fsdp_parallelism": "8",
        "model_name": "llama3-70b",
        "per_device_batch_size": "1",
        "dcn_fsdp_parallelism": "2",
        "dcn_data_parallelism": "1",
        "remat_policy": "full",
        "run_name": "rayjob-multi-slice-70b-fsdp",
    }


def test_an_elastic_job_says_with_how_few_slices_and_how_often(register: Register) -> None:
    options = options_of(built(register, ELASTIC))
    assert (options["min_slices"], options["max_failures"]) == ("1", "3")
    fixed = options_of(built(register, FIXED))
    assert not {"min_slices", "max_failures"} & fixed.keys()


@pytest.mark.parametrize(
    ("machine", "topology", "accelerator"),
    [
        ("ct6e-standard-4t", "4x4", "TPU-V6E"),
        ("ct5lp-hightpu-4t", "4x4", "TPU-V5LITEPOD"),
        ("ct5p-hightpu-4t", "2x2x4", "TPU-V5P"),
    ],
)
def test_each_generation_goes_by_rays_name_for_it_which_the_trainer_takes(
    register: Register, tmp_path: Path, machine: str, topology: str, accelerator: str
) -> None:
    made = built(
        register,
        FIXED,
        zone="us-central1-b" if machine.startswith("ct6e") else "us-central1-a",
        network={"dcn": []},
        **{
            SLICES: {"machine_type": machine, "topology": topology, "slices": 2},
            f"{WORKERS}__requests": {"cpu": 8, "memory_gib": 100},
        },
    )
    scaling = dry_run(made, tmp_path)["scaling_config"]
    assert (scaling["accelerator_type"], scaling["topology"]) == (accelerator, topology)


@pytest.mark.parametrize(("stack", "values"), RUNS)
def test_the_trainer_takes_the_command_line_that_the_stack_makes(
    register: Register, tmp_path: Path, stack: str, values: dict[str, Any]
) -> None:
    made = built(register, stack, **values)
    plan = dry_run(made, tmp_path)
    options = {key: it for key, it in options_of(made).items() if key in MAXTEXT}
    for key in ("base_output_directory", "jax_cache_dir"):
        options[key] = options[key].replace("/data", str(tmp_path / "bucket"))
    assert plan["argv"][2:] == [f"{key}={value}" for key, value in options.items()]


@pytest.mark.parametrize(
    ("stack", "values", "workers"),
    [
        (FIXED, {}, 8),
        (FIXED, {f"{SLICES}__slices": 3}, 12),
        (FIXED, {f"{SLICES}__slices": [1]}, 4),
        (ELASTIC, {}, [4, 8]),
        (ELASTIC, {f"{SLICES}__slices": 3}, [4, 12]),
        (ELASTIC, {f"{ELASTIC_JOB}__elastic": {"min_slices": 2}}, 8),
    ],
)
def test_the_trainer_asks_ray_for_a_worker_on_each_host_of_the_slices_that_there_are(
    register: Register, tmp_path: Path, stack: str, values: dict[str, Any], workers: object
) -> None:
    plan = dry_run(built(register, stack, **values), tmp_path)
    assert plan["scaling_config"]["num_workers"] == workers
    assert plan["scaling_config"]["resources_per_worker"] == {"TPU": 4}
    failures = 3 if stack == ELASTIC else 0
    assert plan["failure_config"] == {"max_failures": failures}
    (package,) = plan["run_config"]["worker_runtime_env"]["uv"]["packages"]
    assert package == "maxtext[tpu]==0.2.5"


def test_one_slice_more_is_no_other_job(register: Register) -> None:
    count: dict[str, Any] = {f"{SLICES}__slices": 3}
    two, three = (built(register, ELASTIC, **it) for it in ({}, count))
    assert two.one(":RayJob").inputs == three.one(":RayJob").inputs


def test_a_job_that_was_run_before_runs_again_under_another_name(register: Register) -> None:
    first = built(register, FIXED)
    second = built(
        register, FIXED, **{f"{JOB}__run_name": "second", f"{JOB}__finished_runs": ["first"]}
    )
    assert options_of(second) == options_of(first) | {"run_name": "second"}


def test_the_job_waits_for_ray_and_for_its_trainer(register: Register) -> None:
    made, name = built(register, FIXED), JOB.removeprefix("jobs__")
    assert {"maxtext-tpu-cluster-cluster", "maxtext-tpu-cluster-launchers-files"} <= made.waits_for(
        f"{name}-job"
    )
    launcher = launcher_of(made)
    (script,) = [it for it in launcher.inputs["data"] if it.endswith(".py")]
    text = launcher.inputs["data"][script]
    assert text == SCRIPT.read_text(encoding="utf-8")


def test_without_a_job_there_is_a_cluster_to_submit_one_to(register: Register) -> None:
    made = built(register, FIXED, jobs=None)
    assert made.one(":RayCluster")
    assert not [*made.of_type(":RayJob"), *made.of_type(":ConfigMap")]
