"""Jobs that users submit: what becomes of words on a command line, and what is refused before
anything is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aistack.errors import VerbError
from aistack.job import pod_groups
from aistack.stack import Config
from aistack.submit.parcel import packed
from aistack.submit.preflight import checked
from aistack.submit.render import Difference
from aistack.submit.request import Request
from components.labels import MANAGED_BY
from sandbox.kube.objects import labels_of, name_of
from stacks.build import build
from stacks.config import validate
from stacks.tokens import SECRETS
from tests.conftest import ROOT, Register, changed, stack_config
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM, PLATFORM_OUTPUTS
from tests.parts.machine_samples import NVLINK

ALL_SECRETS = frozenset(SECRETS)


def config(stack: str) -> Config:
    return Config(stack_config(stack), ALL_SECRETS)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "train.py"
    file.write_text("print('step 1')\n")
    return file


def on_pods(name: str, *files: Path, **fields: Any) -> Request:
    own = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}
    return Request(name=name, files=files, fields={**own, **fields})


def test_a_submitted_job_is_what_the_stack_itself_would_run(register: Register) -> None:
    plan = validate(stack_config("lab"), secrets_set=ALL_SECRETS)
    secrets = dict.fromkeys(ALL_SECRETS, "")
    recording = register(lambda: build(plan, secrets, ROOT))  # type: ignore[arg-type]
    spec = recording.named("cifar-10-job-set").inputs["spec"]
    found = checked(Request(name="cifar-11", like="cifar-10"), config("lab"), (), "lab").parcel
    assert json.loads(json.dumps(found.work.obj["spec"]).replace("cifar-11", "cifar-10")) == spec
    assert found.queue == "research"
    assert [it.kind.name for it in found.beside] == ["ConfigMap", "NetworkPolicy"]
    assert {labels_of(it.obj)[MANAGED_BY] for it in (found.work, *found.beside)} == {"aistack"}


def test_files_of_a_job_on_ray_come_beside_those_that_the_head_has(script: Path) -> None:
    found = checked(Request(name="mine", files=[script]), config("lab"), (), "lab").parcel
    names = list(found.files)
    assert len([it for it in names if it.endswith("train.py")]) == 1
    assert any(it in found.work.obj["spec"]["entrypoint"] for it in names)
    assert not [it for it in names if "image_classifier" in it]


def test_what_an_hour_costs_is_known(script: Path) -> None:
    found = checked(on_pods("mine", script, pool="l4", gpus=1), config("lab"), (), "lab")
    assert found.planned.hourly.endswith(" USD")
    assert name_of(found.parcel.work.obj) == "mine"


def test_a_job_of_a_team_has_its_namespace_its_queue_and_its_account(script: Path) -> None:
    request = replace(on_pods("mine", script, pool="l4", gpus=1), team="serving")
    found = checked(request, config("lab"), (), "lab").parcel
    assert {it.obj["metadata"]["namespace"] for it in (found.work, *found.beside)} == {"serving"}
    assert found.queue == "serving"
    assert [it.kind.name for it in found.beside] == ["ConfigMap"]
    ((_, pod),) = pod_groups(found.work.kind, found.work.obj)
    assert pod["serviceAccountName"] == "team"
    assert "secretKeyRef" not in json.dumps(pod)
    mounts = {it["name"]: it["mountPath"] for it in pod["containers"][0]["volumeMounts"]}
    assert {"/data", "/models"} < set(mounts.values())
    assert "lustre" not in mounts


REFUSED: dict[str, tuple[str, Callable[[Path], Request], str]] = {
    "more nodes than there can be": (
        "lab",
        lambda file: on_pods("mine", file, nodes=9),
        "jobs.mine.nodes: 9 are more than cpu can ever have; nearest: 2",
    ),
    "more GPUs than a machine has": (
        "lab",
        lambda file: on_pods("mine", file, pool="l4", gpus=16),
        "jobs.mine.gpus",
    ),
    "more than the queue's quota": (
        "lab",
        lambda file: on_pods("mine", file, pool="l4", queue="nope"),
        'jobs.mine.queue: "nope" is no local queue',
    ),
    "an image without a tag that means one": (
        "lab",
        lambda file: on_pods("mine", file, image="python:3.12 slim"),
        "jobs.mine.image",
    ),
    "a field that jobs have not": (
        "lab",
        lambda file: on_pods("mine", file, node=1),
        "jobs.mine.node",
    ),
    "a name that is one of the stack's own": (
        "lab",
        lambda _: Request(name="cifar-10", like="cifar-10"),
        "--name: the stack has a job cifar-10",
    ),
    "a team that there is not": (
        "lab",
        lambda file: replace(on_pods("mine", file), team="reserch"),
        '--team: "reserch" is no team of this stack; nearest: research',
    ),
    "a team's job on the stack's Ray cluster": (
        "lab",
        lambda file: Request(name="mine", files=[file], team="research", ray="lab"),
        "--team: what runs on a RayCluster of the stack runs in that one's namespace",
    ),
    "what the team's queue has no quota for": (
        "lab",
        lambda file: replace(on_pods("mine", file, pool="h200"), team="serving"),
        "serving has no flavor of h200",
    ),
    "a team's job in a queue of its own choice": (
        "lab",
        lambda file: replace(on_pods("mine", file, queue="serving"), team="research"),
        "--queue",
    ),
    "what a team's pod security refuses": (
        "lab",
        lambda file: replace(on_pods("mine", file, pool="h200", gpus=8), team="research"),
        "which teams.research.pod_security, baseline, refuses",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_run_is_refused(script: Path, name: str) -> None:
    stack, request, told = REFUSED[name]
    with pytest.raises(VerbError) as refused:
        checked(request(script), config(stack), (), stack)
    assert told in str(refused.value)


def test_an_empty_script_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "train.py"
    empty.write_text("\n")
    with pytest.raises(VerbError, match=r"FILE: train\.py is empty"):
        checked(Request(name="mine", files=[empty]), config("lab"), (), "lab")


def test_a_script_that_no_config_map_holds_is_refused(tmp_path: Path) -> None:
    large = tmp_path / "train.py"
    large.write_text("#" * (1024 * 1024 + 1))
    with pytest.raises(VerbError, match="a ConfigMap holds 1048576"):
        checked(Request(name="mine", files=[large]), config("lab"), (), "lab")


MISTAKES: dict[str, tuple[Callable[[Path], Request], str]] = {
    "words that no shell could part": (
        lambda file: Request(name="mine", files=[file], command="python3 'x"),
        "--command: No closing quotation",
    ),
    "an environment that is none": (
        lambda file: Request(
            name="mine", files=[file], ray="lab", fields={"environment": 3}, variables={}
        ),
        "jobs.mine.environment",
    ),
    "a file by a field": (
        lambda file: Request(name="mine", files=[file], ray="lab", fields={"file": 3}),
        "--set: what the job brings is said by FILE",
    ),
    "a path for a name": (
        lambda file: Request(name="../mine", files=[file]),
        'jobs.../mine: "../mine" is not a RayJob name',
    ),
    "two files of a name": (
        lambda file: Request(name="mine", files=[file, file.parent / "lib"]),
        "FILE: there are several train.py",
    ),
    "a folder in a folder": (
        lambda file: Request(name="mine", files=[file.parent / "outer"], command="true"),
        'FILE: "outer" has the folder inner',
    ),
    "what is no file": (
        lambda file: Request(name="mine", files=[Path("/dev/null")]),
        "FILE: /dev/null is neither a file nor a folder",
    ),
    "a command of nothing": (
        lambda file: Request(name="mine", command=" "),
        "--command: is empty; nearest: --command nvidia-smi",
    ),
    "a variable beside an environment that is none": (
        lambda file: Request(
            name="mine", files=[file], ray="lab", fields={"environment": 3}, variables={"A": "1"}
        ),
        "jobs.mine.environment",
    ),
    "a field of a file": (
        lambda file: Request(name="mine", files=[file], ray="lab", fields={"file.name": 3}),
        "--set: what the job brings is said by FILE",
    ),
    "a hidden file": (
        lambda file: Request(name="mine", files=[file.parent / ".hidden.py"]),
        "FILE: .hidden.py is hidden; nearest: hidden.py",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_in_a_sentence(script: Path, name: str) -> None:
    (script.parent / "lib").mkdir()
    (script.parent / "outer" / "inner").mkdir(parents=True)
    for file in ("lib/train.py", ".hidden.py"):
        (script.parent / file).write_text("print()\n")
    request, told = MISTAKES[name]
    with pytest.raises(VerbError) as refused:
        checked(request(script), config("lab"), (), "lab")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("stack", "ended", "request_"),
    [
        ("lab", ["cifar-10", "classifier"], Request(name="again", like="cifar-10")),
        (
            "b200-lustre",
            ["nemo-rl-grpo-test1"],
            Request(name="again", like="nemo-rl-grpo-test1", fields={"max_steps": 30}),
        ),
        ("kueue-mixed", ["finetune-gemma-l4"], Request(name="again", like="finetune-gemma-l4")),
        ("verl-b200", ["verl-grpo"], Request(name="again", like="verl-grpo")),
    ],
)
def test_what_jobs_needed_that_have_ended_is_still_there(
    stack: str, ended: list[str], request_: Request
) -> None:
    assert checked(request_, config(stack), ended, stack).parcel.work.obj["kind"] in (
        "JobSet",
        "RayJob",
        "Job",
    )


def test_a_job_on_an_nvlink_domain_needs_a_compute_domain_that_the_stack_makes() -> None:
    stack = Config(changed(NVLINK, pools__gb200__nodes=4), ALL_SECRETS)
    with pytest.raises(VerbError, match=r"would have to change for this job: again-\S+; nearest: "):
        checked(Request(name="again", like="train"), stack, (), "rack")


def test_a_job_for_which_the_ray_cluster_would_change_is_refused() -> None:
    job = {"kind": "RayJob", "metadata": {"name": "mine"}}
    ray = {"kind": "RayCluster", "metadata": {"name": "lab"}}
    found = Difference(
        new={("kubernetes:ray.io/v1:RayJob", "mine-job"): job},
        changed={("kubernetes:ray.io/v1:RayCluster", "lab-cluster"): (ray, {**ray, "spec": {}})},
    )
    with pytest.raises(VerbError, match="the stack would have to change for this job: lab-cluster"):
        packed(found)


@pytest.mark.parametrize("values", [IN_CLUSTER, ON_NETWORK, ON_PLATFORM])
def test_a_stack_on_parts_of_others_takes_jobs(script: Path, values: dict[str, Any]) -> None:
    there = Config(values, ALL_SECRETS)
    operators = PLATFORM_OUTPUTS["operators"]
    found = checked(on_pods("mine", script), there, (), "lab", operators).parcel
    assert [it.kind.name for it in (*found.beside, found.work)] == [
        "ConfigMap",
        "NetworkPolicy",
        "JobSet",
    ]
    assert "unknown" not in json.dumps([it.obj for it in (*found.beside, found.work)])
