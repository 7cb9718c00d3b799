"""Runs a MaxText training over the TPU slices of a Ray cluster, on the head of that cluster.

Arguments are key=value pairs. `slices` of `hosts` with `chips` each, of which JAX sees each as so
many `devices`, their `topology` and Ray's name of the `accelerator` say what to train on. With
`min_slices` below slices the job is elastic: it goes on with that many. `max_failures` restarts the
workers, -1 without end; each lost slice costs one, and so does a preemption that MaxText itself
ends at. The workers install `maxtext`; empty where the image has it. Each of these keys can be
@FILE: what the file holds. Every other pair goes to MaxText as an option, as it is. With DRY_RUN=1
the job is checked and printed as JSON, not run.
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

LEAST = {"slices": 1, "min_slices": 1, "hosts": 1, "chips": 1, "devices": 1, "max_failures": -1}
DEFAULTS = {"slices": "2", "hosts": "4", "chips": "4", "devices": "1", "max_failures": "0"}
DEFAULTS |= {"topology": "4x4", "accelerator": "TPU-V6E", "maxtext": "0.2.5"}
OWN = {*DEFAULTS, *LEAST}
ACCELERATORS = ("TPU-V6E", "TPU-V5P", "TPU-V5LITEPOD", "TPU-V7X")
# With one of these, a training may rightly end without a checkpoint of its last step.
ENDS_EARLY = {"enable_checkpointing", "save_checkpoint_on_completion", "target_eval_loss"}


class JobError(Exception):
    """What a person has to put right, in one line."""

    def __init__(self, problem: str, nearest: object) -> None:
        super().__init__(f"{problem}; nearest: {nearest}")


@dataclass(frozen=True, kw_only=True)
class Job:
    slices: int
    min_slices: int
    hosts: int  # of a slice
    chips: int  # of a host
    devices: int  # of a chip
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
            raise JobError(f"{argument}: not a key=value pair", "steps=100")
        if key in pairs:
            raise JobError(f"{argument}: given twice", f"{key}={pairs[key]} alone")
        if key not in OWN and (near := get_close_matches(key, sorted(OWN), 1, 0.82)):
            raise JobError(f"{argument}: no such key", f"{near[0]}={value}")
        pairs[key] = from_file(key, value) if key in OWN else value
    return pairs


def from_file(key: str, value: str) -> str:
    """`key=@FILE` is what the file holds when the job starts."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise JobError(f"{key}={value}: {error.strerror}", f"{key}=NUMBER") from None


def whole(pairs: Mapping[str, str], key: str, least: int = 1) -> int:
    text = pairs[key]
    if not re.fullmatch(r"-?\d+(_\d+)*", text) or int(text) < least:
        raise JobError(f"{key}={text}: not a whole number from {least} up", least)
    return int(text)


def read_job(arguments: list[str]) -> Job:
    """Raises JobError for what Ray or MaxText would refuse, and only once the slices are up."""
    pairs = read_pairs(arguments)
    own = {"min_slices": pairs.get("slices", DEFAULTS["slices"])} | DEFAULTS | pairs
    job = Job(
        **{key: whole(own, key, least) for key, least in LEAST.items()},
        topology=own["topology"],
        accelerator=own["accelerator"],
        maxtext=own["maxtext"],
        options={key: value for key, value in pairs.items() if key not in OWN},
    )
    check_slices(job)
    check_options(job.options)
    there, what = job.hosts * job.chips * job.devices, "chips" if job.devices == 1 else "devices"
    check_mesh(job.options, "ici_fsdp_parallelism", there, f"{what} of a slice")
    dcn = check_mesh(job.options, "dcn_data_parallelism", job.slices, "slices")
    # Numbers of slices that follow each other share no factor but 1.
    for key, factor in dcn.items() if job.min_slices < job.slices else ():
        if factor != (-1 if key == "dcn_data_parallelism" else 1):
            why = f"{key}={factor}: cannot shrink to min_slices={job.min_slices}"
            raise JobError(why, "dcn_data_parallelism=-1, the others 1")
    return job


def check_slices(job: Job) -> None:
    chips, kind = job.hosts * job.chips, job.accelerator
    if job.min_slices > job.slices:
        raise JobError(f"min_slices={job.min_slices}: more than slices={job.slices}", job.slices)
    if kind not in ACCELERATORS:
        near = get_close_matches(kind.upper(), ACCELERATORS, 1, 0)[0]
        raise JobError(f"accelerator={kind}: not a name of Ray's", near)
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", job.topology):
        raise JobError(f"topology={job.topology}: no dimensions of a slice", "4x4")
    if (there := prod(map(int, job.topology.split("x")))) != chips:
        have = f"hosts={job.hosts} with chips={job.chips} have {chips}"
        near = f"hosts={there // job.chips}" if there % job.chips == 0 else f"hosts=1 chips={there}"
        raise JobError(f"topology={job.topology}: {there} chips, but {have}", near)
    if job.maxtext and not re.fullmatch(r"\d[\w.]*", job.maxtext):
        raise JobError(f"maxtext={job.maxtext}: not a version", DEFAULTS["maxtext"])


def check_options(options: Mapping[str, str]) -> None:
    for needed in ("run_name=NAME", "base_output_directory=FOLDER", "steps=NUMBER"):
        if not options.get(key := needed.partition("=")[0]):
            raise JobError(f"no {key} given", needed)
    for key in filter(options.__contains__, ("steps", "checkpoint_period", "max_target_length")):
        whole(options, key)
    if (slices := options.get("num_slices")) is not None:
        raise JobError(f"num_slices={slices}: MaxText counts them itself", f"slices={slices}")
    if not re.fullmatch(r"\d+(\.\d+)?", batch := options.get("per_device_batch_size", "1")):
        raise JobError(f"per_device_batch_size={batch}: not a number", 1)
    if not re.fullmatch(r"\w[^/]*", name := options["run_name"]):
        near = re.sub(r"\W+", "-", name).strip("-") or "run"
        raise JobError(f"run_name={name}: not the name of one folder", near)
    if not re.match(r"/|\w+://", folder := options["base_output_directory"]):
        raise JobError(f"base_output_directory={folder}: not from the root", f"/{folder}")


def check_mesh(options: Mapping[str, str], default: str, there: int, of: str) -> dict[str, int]:
    """The factors whose product is `there`, -1 where MaxText fills one in, as it does `default`."""
    factors = {default: -1}
    for key in filter(re.compile(f"{default[:4]}.*_parallelism$").match, options):
        factors[key] = whole(options, key, -1)
    given = " ".join(f"{key}={factor}" for key, factor in factors.items())
    filled = [key for key, factor in factors.items() if factor == -1]
    if len(filled) > 1:
        raise JobError(f"{given}: only one of them can be -1", f"{filled[-1]}=1")
    product = prod(factor for factor in factors.values() if factor != -1)
    if product != there and not (filled and product and there % product == 0):
        rest = prod(factor for key, factor in factors.items() if key not in (default, *filled))
        near = f"{default}={there}, the others 1"
        if rest and there % rest == 0:
            near = f"{default}={there // rest}, the others as they are"
        raise JobError(f"{given}: product {product} does not make the {there} {of}", near)
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
    if "://" in (base := job.options["base_output_directory"]):
        return f"run_name {job.name}: not looked for in {base}"
    if (last := last_step(job.checkpoints)) is None:
        return f"run_name {job.name}: starts at step 0"
    if last < job.steps - 1:
        return f"run_name {job.name}: continues at step {last + 1}"
    held = f"run_name {job.name} is finished (step {last} of {job.steps} is in {job.checkpoints})"
    raise JobError(held, free_name(Path(base), job.name))


def plan(job: Job) -> dict[str, dict[str, Any]]:
    most, least = job.slices * job.hosts, job.min_slices * job.hosts
    run: dict[str, Any] = {"name": job.name}
    if job.maxtext:
        # The wheel gives each package a lower bound and no other; this keeps to those.
        lowest = {"uv_pip_install_options": ["--resolution=lowest"]}
        run["worker_runtime_env"] = {"uv": {"packages": [f"maxtext[tpu]=={job.maxtext}"]} | lowest}
    return {
        "scaling_config": {
            "use_tpu": True,
            "num_workers": most if least == most else (least, most),
            "topology": job.topology,
            "accelerator_type": job.accelerator,
            "resources_per_worker": {"TPU": job.chips},
            "placement_strategy": "SPREAD",
        },
        "run_config": run,
        "failure_config": {"max_failures": job.max_failures},
    }


def train_loop(config: dict[str, Any]) -> None:
    """On each worker. Ray sends it there without the rest of this file.

    MaxText returns from a preemption as from its last step (0.2.5, common/checkpointing.py and
    trainers/pre_train/train.py), and 0.2.1 from a checkpoint that it could not write, too. Raised
    here, it is one of Ray's failures: an elastic job goes on with the slices that are left.
    """
    from importlib.resources import files
    from pathlib import Path

    from maxtext.trainers.pre_train.train import main as maxtext_main

    # Not of `maxtext`, which had no __init__.py before 0.2.5, and so no folder of its own.
    maxtext_main(["maxtext", str(files("maxtext.configs") / "base.yml"), *config["options"]])
    if (folder := config["checkpoints"]) is None:
        return
    # Orbax gives a step's folder its plain number only when the whole of it is written.
    there = Path(folder).iterdir() if Path(folder).is_dir() else ()
    last = max((int(path.name) for path in there if path.name.isdecimal()), default=None)
    if last is None or last < config["last_step"]:
        where = "without a checkpoint" if last is None else f"after step {last}"
        raise RuntimeError(f"{config['name']} stopped {where}; the same job continues it")


def loop_config(job: Job, options: list[str]) -> dict[str, Any]:
    """Without `checkpoints` nobody can say whether a training that returns is at its end."""
    unknown = "://" in job.options["base_output_directory"] or ENDS_EARLY & job.options.keys()
    return {
        "options": options,
        "name": f"run_name {job.name}",
        "checkpoints": None if unknown else str(job.checkpoints),
        "last_step": job.steps - 1,
    }


def train(job: Job, options: list[str]) -> None:
    from ray.train.v2.api.config import FailureConfig, RunConfig, ScalingConfig
    from ray.train.v2.jax import JaxTrainer

    scaling, run, failures = plan(job).values()
    JaxTrainer(
        train_loop_per_worker=train_loop,
        train_loop_config=loop_config(job, options),
        scaling_config=ScalingConfig(**scaling),
        run_config=RunConfig(**run, failure_config=FailureConfig(**failures)),
    ).fit()


def main() -> None:
    try:
        job = read_job(sys.argv[1:])
        print(start(job), file=sys.stderr, flush=True)
    except (JobError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    options = [f"{key}={value}" for key, value in job.options.items()]
    if os.environ.get("DRY_RUN") == "1":
        argv = ["maxtext", "maxtext/configs/base.yml", *options]
        print(json.dumps(plan(job) | {"argv": argv}, indent=2))
    else:
        train(job, options)


if __name__ == "__main__":
    main()
