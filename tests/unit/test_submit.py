"""Jobs that users submit: what becomes of words on a command line, and what is refused before
anything is made."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aistack.__main__ import main
from aistack.errors import VerbError
from aistack.kinds import Shape
from aistack.stack import Config, Stack
from aistack.submit.parcel import packed
from aistack.submit.preflight import checked
from aistack.submit.render import Difference
from aistack.submit.request import Request
from components.base.labels import MANAGED_BY
from kube.jobs import pod_groups
from kube.kinds import Kind
from kube.objects import JsonObject, labels_of, name_of
from stacks.build import build
from stacks.config import validate
from stacks.tokens import SECRETS
from tests.conftest import ROOT, Register, changed, stack_config
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM, PLATFORM_OUTPUTS
from tests.parts.secret_samples import FILE_SECRETS
from tests.unit.test_hand_over import Answering

ALL_SECRETS = frozenset(SECRETS)
NO_LINKS = ', "enableServiceLinks": false'
OTHER = {"file": "folder", "folder": "file"}


def config(stack: str) -> Config:
    return Config(stack_config(stack), ALL_SECRETS)


def on_pods(name: str, *files: Path, **fields: Any) -> Request:
    own = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}
    return Request(name=name, files=files, fields={**own, **fields})


def test_a_submitted_job_is_what_the_stack_itself_would_run(register: Register) -> None:
    plan = validate(stack_config("lab"), secrets_set=ALL_SECRETS)
    secrets = dict.fromkeys(ALL_SECRETS, "")
    recording = register(lambda: build(plan, secrets, ROOT))  # type: ignore[arg-type]
    spec = recording.named("cifar-10-job-set").inputs["spec"]
    found = checked(Request(name="cifar-11", like="cifar-10"), config("lab"), (), "lab").parcel
    made = json.dumps(found.work.obj["spec"]).replace("cifar-11", "cifar-10")
    # What runs would be made anew for it.
    assert made.count(NO_LINKS) == 1
    assert json.loads(made.replace(NO_LINKS, "")) == spec
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
    assert found.planned.hourly({}).endswith(" USD")
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


def test_a_link_that_leaves_the_folder_takes_nothing_along(tmp_path: Path) -> None:
    project, secret = tmp_path / "project", tmp_path / "id_rsa"
    project.mkdir()
    (project / "train.py").write_text("print()\n")
    secret.write_text("private\n")
    (project / "notes.txt").symlink_to(secret)
    with pytest.raises(VerbError, match=r"FILE: notes\.txt is a link that leaves") as it:
        checked(
            Request(name="mine", files=[project], command="python3 train.py"),
            config("lab"),
            (),
            "lab",
        )
    assert "private" not in str(it.value)


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_name_on_the_command_line_that_is_a_link_takes_nothing_along(
    tmp_path: Path, is_folder: bool
) -> None:
    project, private = tmp_path / "project", tmp_path / "private"
    project.mkdir()
    private.mkdir()
    (private / "train.py").write_text("private\n")
    given = project / ("src" if is_folder else "train.py")
    given.symlink_to(private if is_folder else private / "train.py")
    asked = Request(name="mine", files=[given], command="python3 $(SCRIPT_DIR)/train.py")
    with pytest.raises(VerbError, match=rf"FILE: {given.name} is a link that leaves") as refused:
        checked(asked, config("lab"), (), "lab")
    assert "private" not in str(refused.value)


@pytest.mark.parametrize("key", ["file", "folder"])
def test_a_poisoned_config_of_the_last_run_names_no_file_of_the_users(
    tmp_path: Path, key: str
) -> None:
    (tmp_path / "id_rsa").write_text("private\n")
    outside = tmp_path if key == "folder" else tmp_path / "id_rsa"
    for path in (str(outside), os.path.relpath(outside, ROOT), ".git"):
        own = {f"jobs__cifar-10__{key}": path, f"jobs__cifar-10__{OTHER[key]}": None}
        poisoned = Config(changed(stack_config("lab"), **own), ALL_SECRETS)
        with pytest.raises(VerbError, match=rf"jobs\.mine\.{key}: .* is not a relative path"):
            checked(Request(name="mine", like="cifar-10"), poisoned, (), "lab")


def test_a_secret_in_a_file_is_said_before_anything_is_made(script: Path) -> None:
    line, secret = FILE_SECRETS["Hugging Face token"]
    script.write_text(f"import os\n{line}\n")
    for files in ([script], [script.parent]):
        asked = Request(name="mine", files=files, command="python3 $(SCRIPT_DIR)/train.py")
        with pytest.raises(VerbError, match=r"FILE: train\.py: line 2 looks like a sec") as refused:
            checked(asked, config("lab"), (), "lab")
        assert secret not in str(refused.value)
        assert "pulumi config set --secret hugging_face_token" in str(refused.value)


def test_what_the_folder_keeps_out_is_not_submitted(script: Path) -> None:
    folder, (line, secret) = script.parent, FILE_SECRETS["Private Key"]
    (folder / "service-account.json").write_text(line)
    (folder / "data").symlink_to("/")
    (folder / ".gitignore").write_text("service-account.json\ndata\n")
    asked = Request(name="mine", files=[folder], command="python3 $(SCRIPT_DIR)/train.py")
    ready = checked(asked, config("lab"), (), "lab")
    assert ready.left_out == {
        ".gitignore": "it is hidden",
        "data": ".gitignore names it",
        "service-account.json": ".gitignore names it",
    }
    assert "print('step 1')" in str(ready.parcel)
    assert secret not in str(ready.parcel)


def test_what_the_folder_keeps_out_is_said_before_anything_is_made(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script.parent / ".gitignore").write_text("*.json\n")
    (script.parent / ".dockerignore").write_text("notes.txt\n")
    for name in ("key.json", "notes.txt", ".hidden"):
        (script.parent / name).write_text("private\n")
    (script.parent / "__pycache__").mkdir()
    said: list[str] = []

    class Refusing(Answering):
        def create(
            self, kind: Kind, namespace: str, obj: Mapping[str, Any], *, dry_run: bool = False
        ) -> JsonObject:
            said.append(capsys.readouterr().err)
            raise VerbError("the API server takes nothing")

    root = {"urn": "urn:pulumi:lab::p::pulumi:pulumi:Stack::p-lab"}
    lab = Stack(name="lab", resources=[{**root, "outputs": {"namespaces": ["default"]}}])
    monkeypatch.setattr("aistack.verbs.submit.opened", lambda *_: (lab, Refusing()))
    monkeypatch.setattr("aistack.stack.last_config", lambda _: config("lab"))
    words = ["submit", str(script.parent), "--set", "image=python:3.12", "--cpu", "1"]
    words += ["--memory", "1", "--command", "python3 $(SCRIPT_DIR)/train.py"]
    monkeypatch.setattr("sys.argv", ["aistack", *words])
    assert main() != 0
    left_out = [
        ".dockerignore, for it is hidden",
        ".gitignore, for it is hidden",
        ".hidden, for it is hidden",
        "__pycache__, for Python makes it again",
        "key.json, for .gitignore names it",
        "notes.txt, for .dockerignore names it",
    ]
    assert [it for it in said[0].splitlines() if it.startswith("left out: ")] == [
        f"left out: {it}" for it in left_out
    ]


@pytest.mark.parametrize("is_pipe", [False, True])
def test_what_is_neither_a_file_nor_a_folder_is_said_and_not_passed_over(
    script: Path, is_pipe: bool
) -> None:
    odd = script.parent / "odd"
    if is_pipe:
        os.mkfifo(odd)
    else:
        odd.symlink_to("nothing")
    asked = Request(name="mine", files=[script.parent], command="python3 $(SCRIPT_DIR)/train.py")
    what = "neither a file nor a folder" if is_pipe else "a link to nothing"
    with pytest.raises(VerbError, match=f"FILE: odd is {what}"):
        checked(asked, config("lab"), (), "lab")


def test_a_link_to_what_is_hidden_takes_nothing_along(script: Path) -> None:
    (script.parent / ".env").write_text("private\n")
    (script.parent / "cfg.txt").symlink_to(".env")
    asked = Request(name="mine", files=[script.parent], command="python3 $(SCRIPT_DIR)/train.py")
    with pytest.raises(VerbError, match=r"FILE: cfg\.txt is a link that leads to \.env") as refused:
        checked(asked, config("lab"), (), "lab")
    assert "private" not in str(refused.value)


def test_a_command_that_runs_what_stays_behind_is_refused(script: Path) -> None:
    (script.parent / ".gitignore").write_text("*.py\n")
    asked = Request(name="mine", files=[script.parent], command="python3 $(SCRIPT_DIR)/train.py")
    with pytest.raises(VerbError, match=r"command: train\.py is not brought, for \.gitignore"):
        checked(asked, config("lab"), (), "lab")


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
        '--name: "../mine" is not a RayJob name',
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
        "FILE: .hidden.py is hidden, as what is private is: all who may read the job could read "
        "it; nearest: leave it out, and --env for what everybody may know",
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


@pytest.mark.parametrize("plain", [True, False])
def test_a_service_of_the_namespace_gives_a_jobs_pods_no_variables(
    script: Path, plain: bool
) -> None:
    shape = Shape.JOB if plain else None
    request = replace(on_pods("mine", script), shape=shape)
    work = checked(request, config("lab"), (), "lab").parcel.work
    (_, pod) = next(iter(pod_groups(work.kind, work.obj)))
    assert pod["enableServiceLinks"] is False


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
