"""Commands of submitted jobs: taken as every command line takes them, and refused where what is
known already says that they cannot work."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aistack.__main__ import main
from aistack.errors import VerbError
from aistack.stack import Config
from aistack.submit.preflight import checked
from aistack.submit.request import Request, job_of
from aistack.verbs.submit import report
from kube.jobs import pod_groups
from stacks.parts.jobs.command_words import (
    command_problems,
    launcher_problems,
    shell_script_problems,
)
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.unit.platform_samples import PLATFORM
from tests.unit.why_samples import job as queued_job

PODS = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}}
LAB = Config(stack_config("lab"), frozenset(SECRETS))


def submitted(files: Sequence[Path], command: str | None = None, *, on_ray: bool = False) -> Any:
    fields = {} if on_ray else PODS
    request = Request(name="mine", files=files, command=command, fields=fields)
    return checked(request, LAB, (), "lab").parcel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "proj"
    made.mkdir()
    for name in ("train.py", "model.py", "config.yaml"):
        (made / name).write_text("print()\n")
    return made


# What is refused, and what is offered; the rest stands in tests/parts/refused/brought.yaml.
REFUSED: dict[str, tuple[str, str]] = {
    "a name that nobody brings": (
        "python3 $(SCRIPT_DIR)/trian.py",
        '--command: "trian.py" is not among the files; nearest: train.py',
    ),
    "two commands": (
        "pip install -r requirements.txt && python3 train.py",
        '"&&" is for a shell',
    ),
    "a notebook": (
        "python3 $(SCRIPT_DIR)/train.ipynb",
        'nearest: jupyter nbconvert --to script "train.ipynb"',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_command_that_cannot_work_is_refused_with_one_that_can(folder: Path, name: str) -> None:
    command, told = REFUSED[name]
    if "ipynb" in command:
        (folder / "train.ipynb").write_text("{}\n")
    with pytest.raises(VerbError) as refused:
        submitted([folder], command)
    assert told in str(refused.value)


# Of what is here beside the folder: the words, and what is said of each.
HERE: dict[str, str] = {
    "python3 $(SCRIPT_DIR)/train.py --config_file conf/acc.yaml": (
        '--command: "conf/acc.yaml" is a file of this machine, which the pods do not have; '
        "nearest: conf/acc.yaml beside FILE, and '$(SCRIPT_DIR)/acc.yaml' in its place"
    ),
    "python3 $(SCRIPT_DIR)/train.py --config=acc2.yaml": '"acc2.yaml" is a file of this machine',
    "python3 $(SCRIPT_DIR)/train.py config=acc2.yaml": '"acc2.yaml" is a file of this machine',
    "bash -c 'cd $SCRIPT_DIR && python3 train.py --config acc2.yaml > acc2.log'": "acc2.yaml",
    "python3 proj/train.py": (
        '"proj/train.py" is not in the folder where the command runs; nearest: '
        "'$(SCRIPT_DIR)/train.py' in its place"
    ),
    "python3 $(SCRIPT_DIR)/proj/train.py": (
        '"proj/train.py" is not among the files, which lie beside each other; nearest: '
        "$(SCRIPT_DIR)/train.py"
    ),
}
NOT_HERE = (
    "python3 $(SCRIPT_DIR)/train.py --config configs/of-the-image.yaml",
    "python3 $(SCRIPT_DIR)/train.py --output acc2.yaml",
    "python3 $(SCRIPT_DIR)/train.py --config /app/acc2.yaml",
    "bash -c 'cd /app && python3 main.py --config acc2.yaml'",
    "bash -c 'cd $SCRIPT_DIR && python3 train.py --config config.yaml > acc2.yaml'",
)


@pytest.fixture
def beside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the user is in, with the one that is brought in it."""
    (folder.parent / "conf").mkdir()
    for name in ("conf/acc.yaml", "acc2.yaml"):
        (folder.parent / name).write_text("a: 1\n")
    monkeypatch.chdir(folder.parent)
    return folder.parent


@pytest.mark.parametrize("command", HERE)
def test_a_file_of_this_machine_that_pods_do_not_have_is_refused(
    beside: Path, folder: Path, command: str
) -> None:
    with pytest.raises(VerbError) as refused:
        submitted([folder], command)
    assert HERE[command] in str(refused.value)


@pytest.mark.parametrize("command", NOT_HERE)
def test_a_file_that_may_be_the_images_or_is_written_is_taken(
    beside: Path, folder: Path, command: str
) -> None:
    assert submitted([folder], command)


def test_what_is_offered_for_a_file_of_this_machine_works(beside: Path, folder: Path) -> None:
    files = [folder / "train.py", beside / "conf" / "acc.yaml"]
    words = ["--config_file", "conf/acc.yaml"]
    request = Request(name="mine", files=files[:1], arguments=words, fields=PODS)
    with pytest.raises(VerbError, match=r"the words after FILE: \"conf/acc\.yaml\" is a file of"):
        checked(request, LAB, (), "lab")
    words = ["--config_file", "$(SCRIPT_DIR)/acc.yaml"]
    request = Request(name="mine", files=files, arguments=words, fields=PODS)
    assert checked(request, LAB, (), "lab").parcel


def test_a_folder_of_the_folder_comes_along_where_it_is_named_too(folder: Path) -> None:
    (folder / "conf").mkdir()
    (folder / "conf" / "acc.yaml").write_text("a: 1\n")
    command = "python3 $(SCRIPT_DIR)/train.py --config $(SCRIPT_DIR)/acc.yaml"
    with pytest.raises(VerbError, match='FILE: "proj" has the folder conf'):
        submitted([folder, folder.parent / "more.py"][:1], command)
    for files in ([folder, folder / "conf"], [folder / "conf", folder, folder / "train.py"]):
        (brought,) = [it for it in submitted(files, command).beside if it.kind.name == "ConfigMap"]
        names = {"train.py", "model.py", "config.yaml", "acc.yaml"}
        assert names <= {*brought.obj["data"]}


SAID: dict[str, tuple[str, ...]] = {
    "--nodes: 9 are more than": ("--nodes", "9"),
    "--set nodes: 9 are more than": ("--set", "nodes=9"),
    '--queue: "nope" is no local queue': ("--queue", "nope"),
    "--set requests.ephemeral_storage_gib: ": ("--set", "requests.ephemeral_storage_gib=x"),
    "--cpu: 900 CPUs are more than": ("--cpu", "900"),
    "--env SCRIPT_DIR: each pod has its own": ("--env", "SCRIPT_DIR=/tmp"),
}


@pytest.mark.parametrize("told", SAID)
def test_a_refusal_names_the_option_and_not_a_field_that_the_user_has_not_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], told: str
) -> None:
    words = [
        "--image",
        "a/b:1",
        "--memory",
        "2",
        *([] if "--cpu" in SAID[told] else ["--cpu", "1"]),
    ]
    request, _ = words_of(monkeypatch, capsys, *words, *SAID[told], str(folder / "train.py"))
    assert request is not None
    with pytest.raises(VerbError) as refused:
        checked(request, LAB, (), "lab")
    assert told in str(refused.value).splitlines()[1]


TAKEN = (
    "python3 $(SCRIPT_DIR)/train.py --lr 3e-4 --pad-token <pad> --glob *.txt",
    "bash -c 'cd $SCRIPT_DIR && pip install einops && exec python3 train.py > /tmp/log 2>&1'",
    "bash -c 'python3 $SCRIPT_DIR/train.py --procs $(nproc) | tee /tmp/log'",
    "bash -euxc 'for i in 1 2; do python3 ${SCRIPT_DIR}/train.py; done'",
    "torchrun --nnodes $(NNODES) --node-rank $(NODE_RANK) $(SCRIPT_DIR)/train.py",
    "python3 -c 'print(1)'",
    "python3 /opt/app/train.py --price $$5",
)


GPUS = {"image": "a/b:1", "pool": "l4", "gpus": 2, "requests": {"cpu": 1, "memory_gib": 2}}
# By what READMEs of public repositories say to type: what the pods of a node with two GPUs lack.
TOO_MANY: dict[str, str] = {
    # karpathy/nanoGPT README.md, 3adf61e1.
    "torchrun --nproc_per_node=8 --nnodes=2 --node_rank=0 $(SCRIPT_DIR)/train.py": (
        "--nnodes=2 waits for 2 nodes, and the job has 1"
    ),
    "torchrun --standalone --nproc_per_node=8 $(SCRIPT_DIR)/train.py": (
        "--nproc_per_node=8 starts more processes than the 2 GPUs that a pod has"
    ),
    "bash -c 'cd $SCRIPT_DIR && torchrun --nproc-per-node 4 train.py'": (
        "--nproc-per-node 4 starts more processes than the 2 GPUs"
    ),
    # huggingface/accelerate examples/README.md, v1.11.0.
    "accelerate launch --num_machines 2 $(SCRIPT_DIR)/train.py": (
        "--num_machines 2 waits for 2 nodes"
    ),
    "accelerate launch --num_processes 7 $(SCRIPT_DIR)/train.py": (
        "--num_processes 7 starts more processes than the 2 GPUs that the job has"
    ),
    # microsoft/DeepSpeed issue 662 of 2021-01-12; horovod/horovod docs/running.rst @ 01255ea4.
    "deepspeed --num_gpus=8 $(SCRIPT_DIR)/train.py --deepspeed ds.json": (
        "--num_gpus=8 starts more processes than the 2 GPUs that a pod has; nearest: 2 as"
    ),
    "horovodrun -np 4 -H localhost:4 python3 $(SCRIPT_DIR)/train.py": (
        "-np 4 starts more processes than the 2 GPUs that a pod has"
    ),
}


def with_gpus(folder: Path, command: str, nodes: int = 1) -> Any:
    fields = {**GPUS, "pool": "gpu", "nodes": nodes}
    request = Request(name="mine", files=[folder], command=command, fields=fields)
    return checked(request, Config(PLATFORM, frozenset()), (), "platform").parcel


@pytest.mark.parametrize("command", TOO_MANY)
def test_a_launcher_is_held_against_the_pods_that_it_has(folder: Path, command: str) -> None:
    with pytest.raises(VerbError) as refused:
        with_gpus(folder, command)
    assert TOO_MANY[command] in str(refused.value)


JOIN = "torchrun --nnodes $(NNODES) --node-rank $(NODE_RANK) --master-addr $(MASTER_ADDR)"
# What of a launcher's line keeps two pods from being one training.
APART: dict[str, str] = {
    "torchrun --nproc-per-node 2 $(SCRIPT_DIR)/train.py --nnodes 2": (
        "torchrun with no --nnodes, no --node-rank, no --master-addr does not make one training of "
        f"2 pods; nearest: {JOIN} --master-port $(MASTER_PORT)"
    ),
    "torchrun --nnodes=1 --node_rank=$(NODE_RANK) --master_addr=$(MASTER_ADDR) a.py": "--nnodes=1",
    # karpathy/nanoGPT README.md, 3adf61e1.
    "torchrun --nproc_per_node=2 --nnodes=2 --node_rank=0 --master_addr=123.456.123.456 "
    "--master_port=1234 $(SCRIPT_DIR)/train.py": "--node_rank=0, --master_addr=123.456.123.456",
    "torchrun --standalone --nproc_per_node=2 $(SCRIPT_DIR)/train.py": "--standalone",
    "torchrun --nnodes=2 --rdzv-endpoint=localhost:29400 $(SCRIPT_DIR)/train.py": "localhost:29400",
    "bash -c 'cd $SCRIPT_DIR && torchrun --nnodes $NNODES train.py'": "no --node-rank",
    "bash -c 'torchrun --nnodes=$NNODES --nproc_per_node $N $SCRIPT_DIR/a.py'": "no --node-rank",
    "python3 -m torch.distributed.launch --nproc_per_node=2 $(SCRIPT_DIR)/train.py": "no --nnodes",
    "accelerate launch $(SCRIPT_DIR)/train.py": (
        "nearest: accelerate launch --multi_gpu --num_processes 4 --num_machines $(NNODES) "
        "--machine_rank $(NODE_RANK) --main_process_ip $(MASTER_ADDR) "
        "--main_process_port $(MASTER_PORT)"
    ),
    "accelerate launch --num-machines $(NNODES) --machine-rank $(NODE_RANK) "
    "--main-process-ip $(MASTER_ADDR) $(SCRIPT_DIR)/train.py": (
        "with no --num_processes does not make one training of all GPUs of 2 pods"
    ),
    "accelerate launch --config_file $(SCRIPT_DIR)/config.yaml $(SCRIPT_DIR)/train.py": (
        "with no --machine_rank, no --main_process_ip"
    ),
    # deepspeedai/DeepSpeed issue 5510 of 2024-05-08, kubeflow/mpi-operator issue 327 of 2021-03-02.
    "deepspeed $(SCRIPT_DIR)/train.py --deepspeed ds.json": (
        "deepspeed reaches other pods by SSH, which none of them serves, so it does not make one "
        f"training of 2 pods; nearest: {JOIN} --master-port $(MASTER_PORT), or nodes: 1"
    ),
    "bash -c 'pip install x && NCCL_DEBUG=INFO deepspeed --hostfile /etc/hosts.txt train.py'": (
        "deepspeed reaches other pods by SSH"
    ),
    "mpirun --allow-run-as-root -np 4 python3 $(SCRIPT_DIR)/train.py": "mpirun reaches other pods",
    "/usr/bin/mpiexec -n 4 python3 $(SCRIPT_DIR)/train.py": "mpirun reaches other pods by SSH",
    "bash -c 'horovodrun -np 2 python3 $SCRIPT_DIR/train.py'": "horovodrun reaches other pods",
}
ACCELERATE = (
    "accelerate launch --num_processes 4 --num_machines $(NNODES) --machine_rank $(NODE_RANK)"
)
TOGETHER: tuple[str, ...] = (
    f"{JOIN} $(SCRIPT_DIR)/train.py",
    f"bash -c 'cd $SCRIPT_DIR && {JOIN} train.py --node_rank 0'",
    "torchrun --nnodes=1:2 --rdzv-backend=c10d --rdzv_endpoint=$(MASTER_ADDR):29400 "
    "$(SCRIPT_DIR)/train.py",
    f"{ACCELERATE} --main_process_ip $(MASTER_ADDR) $(SCRIPT_DIR)/train.py",
    # NVIDIA/Megatron-LM examples/gpt3/train_gpt3_175b_distributed.sh @ 4b36c6c4, in a variable.
    'bash -c \'ARGS="--nnodes $NNODES --node_rank $NODE_RANK --master_addr $MASTER_ADDR"; '
    "torchrun $ARGS train.py'",
    "bash -c 'torchrun --nproc_per_node 2 ${ARGS[@]} train.py'",
    "bash -c 'exec torchrun \"$@\"' run --nnodes 2",
    "deepspeed --no_ssh --node_rank $(NODE_RANK) --master_addr $(MASTER_ADDR) "
    "--hostfile $(SCRIPT_DIR)/hosts $(SCRIPT_DIR)/train.py",
    f"bash -c 'pip install deepspeed mpirun && {JOIN} train.py --deepspeed ds.json'",
)


@pytest.mark.parametrize("command", APART)
def test_a_launcher_that_keeps_pods_apart_is_refused_with_the_line_that_joins_them(
    command: str,
) -> None:
    (found,) = launcher_problems("--command", shlex.split(command), 2, 2)
    assert APART[command] in found.message


def test_accelerate_of_pods_with_a_gpu_each_is_told_that_there_are_several() -> None:
    line = f"{ACCELERATE} --main_process_ip $(MASTER_ADDR) a.py".replace("4", "2")
    (found,) = launcher_problems("--command", shlex.split(line), 2, 1)
    assert "with no --multi_gpu does not" in found.message
    assert "nearest: accelerate launch --multi_gpu --num_processes 2 --num_m" in found.message
    assert not [
        *launcher_problems("", shlex.split(line.replace("launch", "launch --use_fsdp")), 2, 1)
    ]


@pytest.mark.parametrize("command", TOGETHER)
def test_a_launcher_that_joins_its_pods_is_taken(command: str) -> None:
    assert [*launcher_problems("--command", shlex.split(command), 2, 2)] == []


def test_of_a_launcher_the_option_is_told_that_the_user_wrote(folder: Path) -> None:
    plain = next(iter(APART))
    with pytest.raises(VerbError, match=r"\n--command: torchrun with no --nnodes"):
        with_gpus(folder, plain, nodes=2)
    words = ["torchrun", "$(SCRIPT_DIR)/train.py"]
    (folder / "run.sh").write_text('exec "$@"\n')
    fields = {**GPUS, "pool": "gpu", "nodes": 2}
    request = Request(name="mine", files=[folder / "run.sh"], arguments=words, fields=fields)
    with pytest.raises(VerbError, match=r"\nthe words after FILE: torchrun with no --nnodes"):
        checked(request, Config(PLATFORM, frozenset()), (), "platform")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("python train.py\n", 1),
        ("set -e\nCUDA_VISIBLE_DEVICES=0 torchrun \\\n  --nproc_per_node=2 ./train.py\n", 1),
        ("exec bash other.sh\n", 1),
        ('cd "$(dirname "$0")"\npython train.py\n', 0),
        ("python $SCRIPT_DIR/train.py\n", 0),
        ("# python train.py\necho python train.py\n", 0),
        ("python /app/main.py\n", 0),
    ],
)
def test_a_shell_script_runs_its_neighbours_from_where_they_are(text: str, told: int) -> None:
    files = {"run.sh": text, "train.py": "", "other.sh": "python train.py\n"}
    words = ["bash", "$(SCRIPT_DIR)/run.sh"]
    assert len([*shell_script_problems("FILE", words, files)]) == told


def test_torchruns_own_variables_say_what_its_options_do() -> None:
    words = ["torchrun", "train.py"]
    assert [*launcher_problems("command", words, 2, 0, {"PET_NNODES"})] == []
    assert [*launcher_problems("command", words, 2, 0, {"EPOCHS"})] != []


@pytest.mark.parametrize(
    "command",
    [
        "torchrun --nnodes=1:4 --nproc_per_node=2 $(SCRIPT_DIR)/train.py --nproc_per_node 9",
        "torchrun --nnodes $(NNODES) --nproc-per-node $(GPUS_PER_NODE) $(SCRIPT_DIR)/train.py",
        "torchrun --nproc_per_node=gpu -m torch.utils.collect_env --nnodes 3",
        "accelerate launch --num_processes 2 $(SCRIPT_DIR)/train.py --num_machines 3",
    ],
)
def test_a_launcher_that_fits_its_pods_is_taken(folder: Path, command: str) -> None:
    assert with_gpus(folder, command).work.obj["metadata"]["name"] == "mine"


def test_the_folder_that_one_is_in_has_its_own_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "train.py").rename(folder / "a.py")
    with pytest.raises(VerbError) as refused:
        submitted([Path()])
    assert "for proj has a.py, model.py" in str(refused.value)
    # In double quotes a shell would look for a command of that name.
    assert str(refused.value).endswith("--command 'python3 $(SCRIPT_DIR)/a.py'")
    (folder / "data").mkdir()
    (folder / "data" / "a.txt").write_text("a\n")
    with pytest.raises(VerbError, match='"proj" has the folder data'):
        submitted([Path()], "python3 $(SCRIPT_DIR)/a.py")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (None, ["requirements-a.txt"]),
        (
            "bash -c 'pip install -r $SCRIPT_DIR/requirements-a.txt; python3 $SCRIPT_DIR/train.py'",
            [],
        ),
        ("bash $(SCRIPT_DIR)/run.sh", []),
    ],
)
def test_packages_that_nothing_installs_are_told(
    folder: Path, command: str | None, told: list[str]
) -> None:
    (folder / "requirements-a.txt").write_text("einops\n")
    (folder / "run.sh").write_text("pip install einops\n")
    request = Request(name="mine", files=[folder], command=command, fields=PODS)
    if command is None:
        (folder / "run.sh").unlink()
    assert checked(request, LAB, (), "lab").uninstalled == told


@pytest.mark.parametrize("command", TAKEN)
def test_a_command_that_can_work_is_taken(folder: Path, command: str) -> None:
    assert submitted([folder], command).work.obj["metadata"]["name"] == "mine"


def test_on_ray_a_command_is_held_against_what_the_head_has(folder: Path) -> None:
    with pytest.raises(VerbError, match=r'"\$\(NODE_RANK\)" is no variable of the pods'):
        submitted([folder / "train.py"], "python3 $(SCRIPT_DIR)/train.py $(NODE_RANK)", on_ray=True)
    with pytest.raises(VerbError, match=r"nearest: \$\(SCRIPT_DIR\)/train\.py"):
        submitted([folder / "train.py"], "python3 train.py", on_ray=True)


@pytest.mark.parametrize("of", ["tokens", "servers"])
def test_variables_that_pods_have_of_the_stack_may_be_named(of: str) -> None:
    words = {"tokens": "$(HF_TOKEN) $(WANDB_API_KEY)", "servers": "$(JAX_COORDINATOR_ADDRESS)"}[of]
    assert checked(
        Request(name="mine", command=f"curl {words}", fields=PODS), LAB, (), "lab"
    ).parcel


ENTRY: dict[str, tuple[Mapping[str, str], str]] = {
    "train.py beside other modules": ({"model.py": "", "train.py": ""}, "train.py"),
    "main.py": ({"a.py": "", "main.py": "", "z.py": ""}, "main.py"),
    "the only program": ({"cifar.py": "", "notes.txt": ""}, "cifar.py"),
    "the only shell script": ({"go.sh": ""}, "go.sh"),
}


@pytest.mark.parametrize("name", ENTRY)
def test_a_folder_runs_what_people_call_its_program(tmp_path: Path, name: str) -> None:
    files, program = ENTRY[name]
    for file in files:
        (tmp_path / file).write_text("true\n")
    words = job_of(Request(name="mine", files=[tmp_path], arguments=["--lr", "3"]), LAB.values)
    runs = "bash" if program.endswith(".sh") else "python3"
    assert words["command"] == [runs, f"$(SCRIPT_DIR)/{program}", "--lr", "3"]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["train.py", "main.py"], "has train.py, main.py, and which one runs is not said"),
        (["one.py", "two.py"], "has one.py, two.py, and which one runs is not said"),
        (["data.csv"], "has no program, .py or .sh"),
        (["a.ipynb", "data.csv"], 'nearest: jupyter nbconvert --to script "a.ipynb"'),
    ],
)
def test_a_folder_with_several_programs_is_asked_which(
    tmp_path: Path, files: list[str], told: str
) -> None:
    for file in files:
        (tmp_path / file).write_text("true\n")
    with pytest.raises(VerbError) as refused:
        job_of(Request(name="mine", files=[tmp_path]), LAB.values)
    assert told in str(refused.value)


def test_a_notebook_is_refused_with_how_it_becomes_a_program() -> None:
    with pytest.raises(VerbError) as refused:
        job_of(Request(name="mine", files=[Path("My Notebook.ipynb")]), LAB.values)
    assert 'nearest: jupyter nbconvert --to script "My Notebook.ipynb"' in str(refused.value)


def words_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str
) -> tuple[Request | None, str]:
    """What the command line asks for, and what is said of it where it is refused."""
    asked: list[Request] = []
    monkeypatch.setattr("aistack.verbs.submit.opened", lambda stack, _: (stack, None))

    def stop(request: Request, stack: object, _: object) -> Any:
        asked.append(request)
        raise VerbError(f"stack {stack}")

    monkeypatch.setattr("aistack.verbs.submit._submitted", stop)
    monkeypatch.setattr("sys.argv", ["aistack", "submit", *words])
    assert main() != 0
    return (asked[0] if asked else None), capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("--stack", "lab", "FILE", "--lr", "3", "-v"),
        ("FILE", "--stack", "lab", "--lr", "3", "-v"),
        ("FILE", "--stack=lab", "--", "--lr", "3", "-v"),
        ("-s", "lab", "FILE", "--", "--lr", "3", "-v"),
    ],
)
def test_the_programs_own_words_come_after_its_file(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    named = [str(folder / "train.py") if it == "FILE" else it for it in words]
    request, told = words_of(monkeypatch, capsys, *named)
    assert request is not None
    assert list(request.arguments) == ["--lr", "3", "-v"]
    assert "stack lab" in told


@pytest.mark.parametrize("word", ["-seed", "-s3", "-sandbox"])
def test_a_word_of_one_dash_after_the_file_is_the_programs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    file = str(folder / "train.py")
    request, told = words_of(monkeypatch, capsys, "--stack", "lab", file, word, "3")
    assert request is not None, told
    assert list(request.arguments) == [word, "3"]
    request, told = words_of(monkeypatch, capsys, word, "3", file)
    assert request is None
    assert f"{word}: after one dash there is one letter" in told


def test_an_option_that_may_be_the_programs_or_ours_is_asked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(folder / "train.py")
    request, told = words_of(monkeypatch, capsys, file, "--lr", "3", "--gpus", "2")
    assert request is None
    assert "nearest: --gpus before --lr, or -- before --lr" in told
    request, _ = words_of(monkeypatch, capsys, file, "--", "--lr", "3", "--gpus", "2")
    assert request is not None
    assert list(request.arguments) == ["--lr", "3", "--gpus", "2"]


def test_an_unknown_option_before_the_file_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    request, told = words_of(monkeypatch, capsys, "--stakc", "lab", str(folder / "train.py"))
    assert request is None
    assert "--stakc" in told


def test_the_programs_words_reach_its_pods(folder: Path) -> None:
    request = Request(name="mine", files=[folder], arguments=["--lr", "3"], fields=PODS)
    work = checked(request, LAB, (), "lab").parcel.work
    ((_, pod),) = pod_groups(work.kind, work.obj)
    assert pod["containers"][0]["command"][-2:] == ["--lr", "3"]


def test_all_that_is_wrong_with_a_command_is_told_at_once() -> None:
    words = ["pip", "install", "x", "&&", "python3", "$HOME/a.py", "b.py"]
    assert len([*command_problems("command", words, ["b.py"], ["HOME"])]) == 3


def test_of_a_pod_that_does_not_fit_with_its_bucket_the_sidecar_is_named(folder: Path) -> None:
    mixed = Config(stack_config("kueue-mixed"), frozenset(SECRETS))
    request = Request(name="mine", files=[folder], fields=PODS)
    with pytest.raises(VerbError) as refused:
        checked(request, mixed, (), "kueue-mixed")
    assert "2 GiB with the container that mounts buckets, 35 GiB, are more than" in str(
        refused.value
    )
    assert "nearest: no mounts ([]), or a larger machine type" in str(refused.value)
    without = Request(name="mine", files=[folder], fields={**PODS, "mounts": []})
    assert checked(without, mixed, (), "kueue-mixed").parcel


def shared_memory(folder: Path, **fields: Any) -> list[str]:
    request = Request(name="mine", files=[folder], fields={**PODS, **fields})
    work = checked(request, LAB, (), "lab").parcel.work
    ((_, pod),) = pod_groups(work.kind, work.obj)
    return [it["emptyDir"]["sizeLimit"] for it in pod["volumes"] if it["name"] == "dshm"]


def test_a_pod_with_gpus_has_shared_memory_and_another_what_it_asks_for(folder: Path) -> None:
    sizes = {"requests": {"cpu": 1, "memory_gib": 8}, "mounts": []}
    assert shared_memory(folder, **sizes, pool="l4", gpus=2) == ["4Gi"]
    assert shared_memory(folder, **sizes, pool="l4", gpus=2, shm_gib=2) == ["2Gi"]
    assert shared_memory(folder, **sizes) == []


@pytest.mark.parametrize(
    ("waiting", "told"),
    [(0, "no others wait"), (1, "1 other waits"), (5, "5 others wait")],
)
def test_how_many_wait_is_told_and_not_who_goes_first(waiting: int, told: str) -> None:
    """Kueue lets a job that fits go before others that do not."""
    said = {"hourly": "1 USD", "waiting_before": waiting, "short_of": [], "ready_minutes": None}
    said |= {"installs": [], "disk_gib": None, "launch": None}
    first = report(queued_job(queue="research").job, said)[0]
    assert first.startswith(f"Job default/train is in research, where {told}. An hour")


# What reads like something that a shell, Python or a launcher has to see, and is none.
READS_ALIKE: dict[str, str] = {
    "a value that a shell would split at": "python3 $(SCRIPT_DIR)/train.py --sep ';' --bar '|'",
    "a word of the program's that ends with a semicolon": "python3 $(SCRIPT_DIR)/train.py 'a fox;'",
    "one before another option": "python3 $(SCRIPT_DIR)/train.py 'fox;' --fast",
    "a launcher as a word": "python3 $(SCRIPT_DIR)/train.py deepspeed mpirun",
    "a launcher's name at the end of a path": "python3 $(SCRIPT_DIR)/train.py -c /d/deepspeed -v",
    "find's own end of a command": "find /data -name '*.tmp' -exec rm {} ';'",
    "a value of Hydra's": "python3 $(SCRIPT_DIR)/train.py 'dir=${root}/x'",
    "a variable of awk's": "awk '{print $NF}' /data/list",
    "a shell's options each by itself": "bash -l -c 'python3 $SCRIPT_DIR/train.py'",
    "an option with a word": "bash -euo pipefail -c 'python3 $SCRIPT_DIR/train.py | tee /tmp/log'",
    "the line's option before others": "bash -ce 'cd $SCRIPT_DIR && python3 train.py'",
    "an option after the line's": "bash -c -x 'cd $SCRIPT_DIR; python3 train.py'",
    "a program's own -m": "python3 $(SCRIPT_DIR)/train.py -m model",
    "a variable before a program, by env": "env A=1 python3 $(SCRIPT_DIR)/train.py B=2",
    "a launcher in a file's name": "bash $(SCRIPT_DIR)/torchrun.sh",
    "a launcher at the end of one": "python3 $(SCRIPT_DIR)/train-torchrun.py",
    "a launcher as a value": "python3 $(SCRIPT_DIR)/train.py --launcher torchrun",
}


@pytest.mark.parametrize("name", READS_ALIKE)
def test_what_only_reads_like_a_mistake_is_taken(name: str) -> None:
    words = shlex.split(READS_ALIKE[name])
    files = ["train.py", "model.py", "torchrun.sh", "train-torchrun.py"]
    assert [*command_problems("command", words, files, ["SCRIPT_DIR"])] == []
    assert [*launcher_problems("command", words, 2, 2)] == []


@pytest.mark.parametrize(
    "command",
    [
        "python3 $(SCRIPT_DIR)/train.py --fast | tee log",
        "python3 $(SCRIPT_DIR)/train.py --fast &",
        "cd /data; ls",
        "python3 $(SCRIPT_DIR)/train.py; ls",
        "python3 $(SCRIPT_DIR)/train.py;",
        "python3 $(SCRIPT_DIR)/train.py --root ${SCRIPT_DIR}",
        "bash $(SCRIPT_DIR)/run.sh -c $SCRIPT_DIR",
        "torchrun -m model",
    ],
)
def test_what_is_one_is_refused_all_the_same(command: str) -> None:
    files = ["train.py", "model.py", "run.sh"]
    found = [*command_problems("command", shlex.split(command), files, ["SCRIPT_DIR"])]
    assert len(found) == 1


def test_a_launcher_is_one_wherever_it_is_called_from() -> None:
    for command in (
        "/opt/venv/bin/torchrun train.py",
        "bash -c '(torchrun train.py)'",
        "bash -c 'pip install x&&torchrun train.py'",
    ):
        assert len([*launcher_problems("command", shlex.split(command), 2, 2)]) == 1


def test_a_program_may_have_a_module_of_this_machine_for_a_value(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    request = Request(name="mine", files=[Path("train.py")], arguments=["-m", "model"], fields=PODS)
    assert checked(request, LAB, (), "lab")


def test_of_an_empty_file_only_a_program_is_a_mistake(folder: Path) -> None:
    (folder / "labels.txt").write_text("")
    command = "python3 $(SCRIPT_DIR)/train.py /data/labels.txt --more $(SCRIPT_DIR)/labels.txt"
    assert submitted([folder], command)
    (folder / "train.py").write_text("\n")
    with pytest.raises(VerbError, match=r"FILE: train\.py is empty"):
        submitted([folder], command)


# What a first file is started by.
STARTED: dict[str, tuple[str, str]] = {
    "TRAIN.PY": ("", "python3"),
    "run.bash": ("", "bash"),
    "train": ("#!/usr/bin/env python3\n", "python3"),
    "run": ("#!/bin/sh\n", "bash"),
    "bare": ("echo\n", "bash"),
}


@pytest.mark.parametrize("name", STARTED)
def test_a_program_is_started_by_what_its_name_or_its_first_line_says(
    tmp_path: Path, name: str
) -> None:
    text, interpreter = STARTED[name]
    (tmp_path / name).write_text(text)
    found = job_of(Request(name="mine", files=[tmp_path / name]), LAB.values)
    assert found["command"] == [interpreter, f"$(SCRIPT_DIR)/{name}"]


@pytest.mark.parametrize(
    ("names", "near"),
    [
        (["config.yaml", "train.py"], "train.py before it"),
        (["requirements.txt"], "--command, with $(SCRIPT_DIR)/requirements.txt"),
        (["fit.R"], "--command, with $(SCRIPT_DIR)/fit.R"),
    ],
)
def test_a_first_file_that_is_no_program_is_refused(
    tmp_path: Path, names: list[str], near: str
) -> None:
    files = [tmp_path / it for it in names]
    with pytest.raises(VerbError, match=f"FILE: the first one runs, and {names[0]} is no") as no:
        job_of(Request(name="mine", files=files), LAB.values)
    assert str(no.value).endswith(f"nearest: {near}")


def test_what_a_job_lacks_is_told_by_the_options_that_say_it(folder: Path) -> None:
    script = folder / "train.py"
    request = Request(name="mine", files=[script], fields={"minutes": 60})
    with pytest.raises(VerbError) as refused:
        checked(request, LAB, (), "lab")
    _, image, requests = str(refused.value).splitlines()
    assert image.startswith("--image: missing; nearest: ")
    assert requests == "--cpu and --memory: missing; nearest: --cpu 1 --memory 2"
    request = replace(request, fields={"image": "a/b:1", "requests": {"cpu": 1}})
    with pytest.raises(VerbError, match=r"\n--memory: missing"):
        checked(request, LAB, (), "lab")


def test_a_name_that_no_job_can_have_is_told_by_its_option(folder: Path) -> None:
    request = Request(name="Train_1", files=[folder / "train.py"], fields=PODS)
    with pytest.raises(VerbError, match=r"\n--name: \"Train_1\" is not .*; nearest: train-1"):
        checked(request, LAB, (), "lab")


def test_a_shell_script_of_windows_is_refused_with_what_mends_it() -> None:
    words = ["bash", "$(SCRIPT_DIR)/run.sh"]
    (found,) = shell_script_problems("FILE", words, {"run.sh": "#!/bin/bash\r\necho\r\n"})
    assert found.message.endswith(r"nearest: sed -i 's/\r$//' run.sh")


def test_of_a_file_with_a_name_that_cannot_be_nothing_else_is_told(tmp_path: Path) -> None:
    (tmp_path / "my train.py").write_text("print()\n")
    request = Request(name="mine", files=[tmp_path / "my train.py"], fields=PODS)
    with pytest.raises(VerbError) as refused:
        checked(request, LAB, (), "lab")
    _, *told = str(refused.value).splitlines()
    assert len(told) == 1
    assert told[0].endswith("nearest: my-train.py")
