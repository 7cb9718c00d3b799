"""Runs a MaxText training over the TPU slices of a Ray cluster, on the head of that cluster.

Arguments are key=value pairs. `slices` of `hosts` with `chips` each, their `topology` and Ray's
name of the `accelerator` say what to train on. With `min_slices` below slices the job is elastic:
it goes on with that many. `max_failures` restarts the workers, -1 without end; each lost slice
costs one. The workers install `maxtext`; empty where the image has it. Every other pair goes to
MaxText as an option, as it is.

What cannot work is one line on stderr and exit status 2. With DRY_RUN=1 the job is checked and
printed as JSON, not run.
"""

# pyright: reportMissingImports=false

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import count
from math import prod
from pathlib import Path
from typing import Any

DEFAULTS = {
    "slices": "2",
    "hosts": "4",
    "chips": "4",
    "topology": "4x4",
    "accelerator": "TPU-V6E",
    "max_failures": "0",
    "maxtext": "0.2.1",
}
OWN = {*DEFAULTS, "min_slices"}
ACCELERATORS = ("TPU-V6E", "TPU-V5P", "TPU-V5LITEPOD")
REQUIRED = {"run_name": "NAME", "base_output_directory": "FOLDER", "steps": "NUMBER"}
# With one of these, a training may rightly end without a checkpoint of its last step.
ENDS_EARLY = {"enable_checkpointing", "save_checkpoint_on_completion", "target_eval_loss"}


class JobError(Exception):
    """What a person has to put right, in one line."""

    def __init__(self, what: str, why: str, nearest: object) -> None:
        super().__init__(f"{what}: {why}; nearest: {nearest}")


@dataclass(frozen=True, kw_only=True)
class Job:
    slices: int
    min_slices: int
    hosts: int  # of a slice
    chips: int  # of a host
    topology: str
    accelerator: str
    max_failures: int
    maxtext: str
    options: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.options["run_name"]

    @property
    def steps(self) -> int:
        return int(self.options["steps"])

    @property
    def checkpoints(self) -> Path:
        return Path(self.options["base_output_directory"]) / self.name / "checkpoints"


def read_pairs(arguments: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z][\w.-]*", key):
            raise JobError(argument, "not a key=value pair", "steps=100")
        if key in pairs:
            raise JobError(argument, "given twice", f"{key}={pairs[key]} alone")
        if key not in OWN and (near := get_close_matches(key, sorted(OWN), 1, 0.82)):
            raise JobError(argument, "no such key", f"{near[0]}={value}")
        pairs[key] = value
    return pairs


def whole(pairs: Mapping[str, str], key: str, least: int = 1) -> int:
    text = pairs[key]
    if not re.fullmatch(r"-?\d+", text):
        raise JobError(f"{key}={text}", "not a whole number", least)
    if int(text) < least:
        raise JobError(f"{key}={text}", f"less than {least}", least)
    return int(text)


def read_job(arguments: list[str]) -> Job:
    """Raises JobError for what Ray or MaxText would refuse, and only once the slices are up."""
    pairs = read_pairs(arguments)
    own = {"min_slices": pairs.get("slices", DEFAULTS["slices"])} | DEFAULTS | pairs
    job = Job(
        slices=whole(own, "slices"),
        min_slices=whole(own, "min_slices"),
        hosts=whole(own, "hosts"),
        chips=whole(own, "chips"),
        topology=own["topology"],
        accelerator=own["accelerator"],
        max_failures=whole(own, "max_failures", -1),
        maxtext=own["maxtext"],
        options={key: value for key, value in pairs.items() if key not in OWN},
    )
    check_slices(job)
    check_options(job.options)
    check_mesh(job.options, "ici_fsdp_parallelism", job.hosts * job.chips, "chips of a slice")
    dcn = check_mesh(job.options, "dcn_data_parallelism", job.slices, "slices")
    # Numbers of slices that follow each other share no factor but 1.
    for key, factor in dcn.items() if job.min_slices < job.slices else ():
        if factor != (needed := -1 if key == "dcn_data_parallelism" else 1):
            why = f"cannot shrink from slices={job.slices} to min_slices={job.min_slices}"
            raise JobError(f"{key}={factor}", why, f"{key}={needed}, or min_slices={job.slices}")
    return job


def check_slices(job: Job) -> None:
    chips, kind = job.hosts * job.chips, job.accelerator
    if job.min_slices > job.slices:
        raise JobError(f"min_slices={job.min_slices}", f"more than slices={job.slices}", job.slices)
    if kind not in ACCELERATORS:
        near = get_close_matches(kind.upper(), ACCELERATORS, 1, 0)[0]
        raise JobError(f"accelerator={kind}", "not a name of Ray's", near)
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", job.topology):
        raise JobError(f"topology={job.topology}", "no dimensions of a slice", "4x4")
    if (there := prod(map(int, job.topology.split("x")))) != chips:
        why = f"{there} chips, but hosts={job.hosts} with chips={job.chips} have {chips}"
        near = f"hosts={there // job.chips}" if there % job.chips == 0 else f"hosts=1 chips={there}"
        raise JobError(f"topology={job.topology}", why, near)
    if job.maxtext and not re.fullmatch(r"\d[\w.]*", job.maxtext):
        raise JobError(f"maxtext={job.maxtext}", "not a version", DEFAULTS["maxtext"])


def check_options(options: Mapping[str, str]) -> None:
    for key, example in REQUIRED.items():
        if not options.get(key):
            raise JobError(key, "not given", f"{key}={example}")
    for key in ("steps", "checkpoint_period", "max_target_length"):
        if key in options:
            whole(options, key)
    batch, slices = options.get("per_device_batch_size", "1"), options.get("num_slices")
    if not re.fullmatch(r"\d+(\.\d+)?", batch):
        raise JobError(f"per_device_batch_size={batch}", "not a number", 1)
    if slices is not None:
        raise JobError(f"num_slices={slices}", "MaxText counts them itself", f"slices={slices}")
    name, folder = options["run_name"], options["base_output_directory"]
    if not re.fullmatch(r"[^./][^/]*", name):
        raise JobError(f"run_name={name}", "not the name of one folder", re.sub("^[./]+|/", "", name))
    if not re.match(r"/|\w+://", folder):
        raise JobError(f"base_output_directory={folder}", "each host has its own", f"/{folder}")


def check_mesh(options: Mapping[str, str], default: str, there: int, of: str) -> dict[str, int]:
    """The factors whose product is `there`, -1 where MaxText fills one in, as it does `default`."""
    factors = {default: -1}
    for key in options:
        if key.startswith(default[:4]) and key.endswith("_parallelism"):
            factors[key] = whole(options, key, -1)
    given = " ".join(f"{key}={factor}" for key, factor in factors.items() if factor != 1)
    filled = [key for key, factor in factors.items() if factor == -1]
    if len(filled) > 1:
        raise JobError(given, "only one of them can be -1", f"{filled[0]}=1")
    product = prod(factor for factor in factors.values() if factor != -1)
    if product != there and not (filled and product and there % product == 0):
        rest = prod(factor for key, factor in factors.items() if key not in (default, *filled))
        near = f"{default}={there}, the others 1"
        if rest and there % rest == 0:
            near = f"{default}={there // rest}, the others as they are"
        raise JobError(given, f"product {product} does not make the {there} {of}", near)
    return factors


def last_step(folder: Path) -> int | None:
    """Orbax gives a step's folder its plain number only when the whole of it is written."""
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return max((int(name) for name in names if name.isdecimal()), default=None)


def free_name(base: Path, name: str) -> str:
    stem, _, number = name.rpartition("-")
    if not (stem and number.isdecimal() and (base / stem).exists()):
        stem = name
    return next(f"{stem}-{n}" for n in count(2) if not (base / f"{stem}-{n}").exists())


def start(job: Job) -> str:
    """What becomes of the run_name; JobError where it has nothing left to train."""
    base = job.options["base_output_directory"]
    if "://" in base:
        return f"run_name {job.name}: not looked for in {base}"
    if (last := last_step(job.checkpoints)) is None:
        return f"run_name {job.name}: starts at step 0"
    if last < job.steps - 1:
        return f"run_name {job.name}: continues at step {last + 1}"
    held = f"run_name {job.name} is finished (step {last} of {job.steps} is in {job.checkpoints})"
    raise SystemExit(f"{held}; nearest: {free_name(Path(base), job.name)}")


def plan(job: Job) -> dict[str, dict[str, Any]]:
    most, least = job.slices * job.hosts, job.min_slices * job.hosts
    # The wheel names lower bounds alone, and was tested with just these.
    maxtext = {
        "packages": [f"maxtext[tpu]=={job.maxtext}"],
        "uv_pip_install_options": ["--resolution=lowest"],
    }
    return {
        "scaling_config": {
            "use_tpu": True,
            "num_workers": most if least == most else (least, most),
            "topology": job.topology,
            "accelerator_type": job.accelerator,
            "resources_per_worker": {"TPU": job.chips},
            "placement_strategy": "SPREAD",
        },
        "run_config": {"name": job.name}
        | ({"worker_runtime_env": {"uv": maxtext}} if job.maxtext else {}),
        "failure_config": {"max_failures": job.max_failures},
    }
