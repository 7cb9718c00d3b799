"""What people type, as public repositories have it and as the eight groups of a review of `submit`:
refused in words with a way on, or rendered, and started here as its pods would start it.

Of the repositories it has the command lines and the names of files, and none of their code. What
needs torch, GPUs or Ray is not started: here are its objects alone.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from aistack.errors import VerbError
from aistack.stack import Config
from aistack.submit.parcel import Parcel
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from components.jobs.job_set_manifest import FILE_DIR
from kube.jobs import pod_groups
from kube.kinds import CONFIG_MAP, RAY_JOB
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.parts.secret_samples import FILE_SECRETS
from tests.unit.platform_samples import PLATFORM

PODS: dict[str, Any] = {"image": "a/b:1", "requests": {"cpu": 1, "memory_gib": 2}}
GPUS: dict[str, Any] = {**PODS, "pool": "gpu", "gpus": 2}
TWO = {**GPUS, "nodes": 2}
SAYS = "import os, sys\nprint(sys.argv[1:], os.environ.get('NODE_RANK'))\n"
WITH_MODEL = f"import model\n{SAYS}"
JOIN = "nearest: torchrun --nnodes $(NNODES) --node-rank $(NODE_RANK) --master-addr $(MASTER_ADDR)"
TOKEN = FILE_SECRETS["Hugging Face token"][0]


@dataclass(frozen=True, kw_only=True)
class Typed:
    """`here` are files in the user's folder, `brought` those that are named as FILE. `refused` is
    told of it; else pods start `command`, and where they can run here each prints `prints`."""

    here: Mapping[str, str]
    brought: Sequence[str] = ()
    command: str | None = None
    arguments: Sequence[str] = ()
    fields: Mapping[str, Any] = field(default_factory=lambda: PODS)
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    refused: str | None = None
    starts: str | None = None
    prints: Sequence[str] = ()


PUBLIC: dict[str, Typed] = {
    # google/flax examples/mnist/README.md @ 14def945.
    "JAX on two pods": Typed(
        here={"train.py": SAYS}, brought=["train.py"], fields=TWO, prints=["[] 0", "[] 1"]
    ),
    # pytorch/examples mnist/README.md @ 19ee7bbc: requirements, data.py, main.py.
    "a folder with requirements": Typed(
        here={"p/main.py": SAYS, "p/data.py": "", "p/requirements.txt": "torch\n"},
        brought=["p"],
        starts="python3 python3 $(SCRIPT_DIR)/main.py",
    ),
    "the same as its page has it": Typed(
        here={"p/main.py": SAYS, "p/requirements.txt": "torch\n"},
        brought=["p"],
        command="pip install -r requirements.txt && python main.py",
        refused='"&&" is for a shell, and none looks at the words; nearest: bash -c',
    ),
    # pytorch/examples imagenet/README.md @ 37ce9402.
    "options of one letter": Typed(
        here={"main.py": SAYS},
        brought=["main.py"],
        arguments=["-a", "alexnet", "--lr", "0.01", "/data/imagenet"],
        prints=["['-a', 'alexnet', '--lr', '0.01', '/data/imagenet'] 0"],
    ),
    # karpathy/nanoGPT README.md @ 0110f3c8.
    "a config in a folder beside the program": Typed(
        here={"train.py": WITH_MODEL, "model.py": "", "config/train_shakespeare_char.py": ""},
        brought=["train.py", "model.py"],
        arguments=["config/train_shakespeare_char.py", "--device=cpu", "--compile=False"],
        refused="nearest: config/train_shakespeare_char.py beside FILE, and "
        "'$(SCRIPT_DIR)/train_shakespeare_char.py' in its place",
    ),
    "that one brought": Typed(
        here={"train.py": WITH_MODEL, "model.py": "", "config/train_shakespeare_char.py": "a = 1"},
        brought=["train.py", "model.py", "config/train_shakespeare_char.py"],
        arguments=["$(SCRIPT_DIR)/train_shakespeare_char.py", "--device=cpu"],
        prints=["['DIR/train_shakespeare_char.py', '--device=cpu'] 0"],
    ),
    "torchrun for eight GPUs": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        command="torchrun --standalone --nproc_per_node=8 train.py",
        fields=GPUS,
        refused="--nproc_per_node=8 starts more processes than the 2 GPUs that a pod has; nearest:",
    ),
    "torchrun with an address of its author's": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        command="torchrun --nproc_per_node=2 --nnodes=2 --node_rank=0 "
        "--master_addr=123.456.123.456 --master_port=1234 train.py",
        fields=TWO,
        refused=JOIN,
    ),
    # huggingface/accelerate examples/README.md @ 066f808d.
    "accelerate with a config beside it": Typed(
        here={"cv_example.py": SAYS, "config.yaml": "a: 1\n"},
        brought=["cv_example.py", "config.yaml"],
        command="accelerate launch --config_file config.yaml ./cv_example.py --data_dir /data",
        refused="nearest: $(SCRIPT_DIR)/config.yaml",
    ),
    "torchrun that meets at an address": Typed(
        here={"nlp_example.py": SAYS},
        brought=["nlp_example.py"],
        command="torchrun --nproc_per_node 2 --nnodes 2 --rdzv_id 2299 --rdzv_backend c10d "
        "--rdzv_endpoint $(MASTER_ADDR):29500 $(SCRIPT_DIR)/nlp_example.py",
        fields=TWO,
        starts="--rdzv_endpoint $(MASTER_ADDR):29500 $(SCRIPT_DIR)/nlp_example.py",
    ),
    # huggingface/trl docs/source/grpo_trainer.md @ 010dd23f.
    "accelerate on two nodes": Typed(
        here={"train_grpo.py": SAYS},
        brought=["train_grpo.py"],
        command="accelerate launch $(SCRIPT_DIR)/train_grpo.py",
        fields=TWO,
        refused="nearest: accelerate launch --multi_gpu --num_processes 4 --num_machines $(NNODES)",
    ),
    # kubernetes-sigs/jobset site/static/examples/pytorch/gpu-training/gpu-training.yaml @ 6668491d.
    "torchrun in a shell's line": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        command="bash -xc 'torchrun --nproc_per_node=2 --nnodes=2 --rdzv_backend=c10d "
        "--rdzv_endpoint=$MASTER_ADDR:$MASTER_PORT --rdzv_id=jobset-gpu train.py --epochs=10'",
        fields=TWO,
        refused="nearest: $SCRIPT_DIR/train.py, or cd $SCRIPT_DIR before it",
    ),
    # karpathy/minGPT demo.ipynb @ 7569ab9d.
    "a notebook": Typed(
        here={"demo.ipynb": "{}\n"},
        brought=["demo.ipynb"],
        refused='nearest: jupyter nbconvert --to script "demo.ipynb"',
    ),
    # KellerJordan/modded-nanogpt run.sh @ 09cafccb.
    "a shell script that runs its neighbour": Typed(
        here={
            "run.sh": "torchrun --standalone --nproc_per_node=1 train_gpt.py\n",
            "train_gpt.py": "",
        },
        brought=["run.sh", "train_gpt.py"],
        refused='run.sh: "train_gpt.py" is not in the folder where it runs; nearest: a line '
        'cd "$SCRIPT_DIR" before it',
    ),
    "that one where its files are": Typed(
        here={"run.sh": 'cd "$SCRIPT_DIR"\npython3 train.py "$@"\n', "train.py": SAYS},
        brought=["run.sh", "train.py"],
        arguments=["--lr", "a b"],
        prints=["['--lr', 'a b'] 0"],
    ),
    # google-deepmind/dm-haiku examples/README.md @ 21f1a47e.
    "a module of a folder": Typed(
        here={"examples/mnist.py": SAYS},
        brought=["examples"],
        command="python -m examples.mnist",
        refused="nearest: '$(SCRIPT_DIR)/mnist.py' without -m, with examples/mnist.py as FILE",
    ),
    # huggingface/diffusers examples/textual_inversion/README.md @ 26293823.
    "tokens that a tokenizer has": Typed(
        here={"textual_inversion.py": SAYS},
        brought=["textual_inversion.py"],
        command="accelerate launch $(SCRIPT_DIR)/textual_inversion.py "
        "--placeholder_token='<cat-toy>' --initializer_token='toy' --use_auth_token",
        fields=GPUS,
        starts="--placeholder_token=<cat-toy> --initializer_token=toy --use_auth_token",
    ),
    # huggingface/transformers examples/pytorch/summarization/README.md @ fc4459fd.
    "a prefix that ends in a blank": Typed(
        here={"run_summarization.py": SAYS},
        brought=["run_summarization.py"],
        arguments=["--source_prefix", "summarize: ", "--output_dir", "/tmp/tst"],
        prints=["['--source_prefix', 'summarize: ', '--output_dir', '/tmp/tst'] 0"],
    ),
    # vllm-project/vllm docs/getting_started/quickstart.md @ 00bd1493.
    "a key that is none": Typed(
        here={"client.py": SAYS},
        brought=["client.py"],
        variables={"OPENAI_API_KEY": "EMPTY"},
        prints=["[] 0"],
    ),
    # NVIDIA/Megatron-LM examples/gpt3/train_gpt3_175b_distributed.sh @ 4b36c6c4.
    "torchrun's options in a list": Typed(
        here={"pretrain_gpt.py": SAYS},
        brought=["pretrain_gpt.py"],
        command="bash -c 'DISTRIBUTED_ARGS=(--nproc_per_node 2 --nnodes $NNODES "
        "--node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT)\n"
        "torchrun ${DISTRIBUTED_ARGS[@]} $SCRIPT_DIR/pretrain_gpt.py --bf16'",
        fields=TWO,
        starts="torchrun ${DISTRIBUTED_ARGS[@]} $SCRIPT_DIR/pretrain_gpt.py --bf16",
    ),
    # StrongResearch/isc-demos tiny_training/run.sh @ 96bc7b94.
    "a script with an address of its own": Typed(
        here={
            "run.sh": "export MASTER_ADDR=localhost\n"
            "torchrun --nnodes=1 --rdzv_endpoint=$MASTER_ADDR:29500 train.py $@\n",
            "train.py": SAYS,
        },
        brought=["run.sh", "train.py"],
        refused='run.sh: "train.py" is not in the folder where it runs',
    ),
    # pc2005/BiSeNet run.sh @ 2bf02b97.
    "a variable before the launcher": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        command="CUDA_VISIBLE_DEVICES=0 python -m torch.distributed.launch --nproc_per_node=1 "
        "$(SCRIPT_DIR)/train.py",
        fields=GPUS,
        refused="nearest: env as the first word, or CUDA_VISIBLE_DEVICES among",
    ),
    # Fenriro37/GRPO-Summarization train.sh @ d487b47d.
    "a program of the image": Typed(
        here={"train.sh": 'torchrun --nproc_per_node=$NUM_GPUS /workspace/train.py "$@"\n'},
        brought=["train.sh"],
        arguments=["--fast"],
        starts="bash $(SCRIPT_DIR)/train.sh --fast",
    ),
    # ray-project/kuberay ray-operator/config/samples/pytorch-text-classifier/
    # ray-job.pytorch-distributed-training.yaml @ 0b7a8979.
    "a program of Ray's with packages": Typed(
        here={"p/fine-tune.py": SAYS, "p/requirements.txt": "pytorch-lightning==1.8.5\n"},
        brought=["p"],
        fields={},
        starts="pytorch-lightning==1.8.5",
    ),
}
# Groups S1 to S8 of the review, one for each.
GROUPS: dict[str, Typed] = {
    "S1, a program with its arguments": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        arguments=["--lr", "3e-4"],
        prints=["['--lr', '3e-4'] 0"],
    ),
    "S2, a folder whose first file is no program": Typed(
        here={"p/model.py": "", "p/train.py": WITH_MODEL}, brought=["p"], prints=["[] 0"]
    ),
    "S3, packages by a shell": Typed(
        here={"p/train.py": SAYS, "p/requirements.txt": "einops\n"},
        brought=["p"],
        command="bash -c 'cd $SCRIPT_DIR && pip install -r requirements.txt && python3 train.py'",
        starts="bash -c cd $SCRIPT_DIR && pip install",
    ),
    "S4, a name that is wrong": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        command="python3 $(SCRIPT_DIR)/trian.py",
        refused='"trian.py" is not among the files; nearest: train.py',
    ),
    "S5, a variable that no shell looks at": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        command="torchrun --nnodes $NNODES --node-rank $(NODE_RANK) --master-addr $(MASTER_ADDR) "
        "$(SCRIPT_DIR)/train.py",
        fields=TWO,
        refused='no shell looks at "$NNODES", which stays as it is; nearest: $(NNODES)',
    ),
    "S6, a secret in a variable": Typed(
        here={"train.py": SAYS},
        brought=["train.py"],
        variables={"HF_TOKEN": "private"},
        refused="nearest: --secret NAME=KEY, with a Secret of the job's namespace",
    ),
    "S7, a token in a file": Typed(
        here={"train.py": f"{TOKEN}\n"}, brought=["train.py"], refused="line 1 looks like a secret"
    ),
    "S8, data that are too large": Typed(
        here={"p/train.py": SAYS, "p/data.csv": "1\n" * 700_000},
        brought=["p"],
        refused="a ConfigMap holds 1048576 (1 MiB); nearest: a bucket in mounts",
    ),
}
ALL = {**PUBLIC, **GROUPS}


def lie_in(folder: Path, typed: Typed) -> None:
    """Has the user's files in the folder."""
    for name, text in typed.here.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def submitted(folder: Path, typed: Typed) -> Parcel:
    lie_in(folder, typed)
    on_ray = not typed.fields
    config = Config(stack_config("lab") if on_ray else PLATFORM, frozenset(SECRETS))
    request = Request(
        name="mine",
        files=[Path(it) for it in typed.brought],
        command=typed.command,
        arguments=typed.arguments,
        fields=typed.fields,
        variables=typed.variables,
    )
    return checked(request, config, (), "lab" if on_ray else "plat").parcel


def started(parcel: Parcel, folder: Path, rank: int) -> str:
    """What the container of a pod prints, with its files in the folder: variables are put into its
    words as the kubelet does it, and into no other."""
    for it in parcel.beside:
        for name, text in it.obj["data"].items() if it.kind == CONFIG_MAP else ():
            (folder / name).write_text(text)
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    (container,) = pod["containers"]
    variables = {it["name"]: it.get("value", str(rank)) for it in container["env"]}
    assert variables["SCRIPT_DIR"] == FILE_DIR
    variables["SCRIPT_DIR"] = str(folder)
    words = [
        re.sub(r"\$\((\w+)\)", lambda it: variables.get(it[1], it[0]), word)
        for word in container["command"]
    ]
    done = subprocess.run(
        words,
        cwd="/",
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.replace(str(folder), "DIR")


@pytest.mark.parametrize("name", ALL)
def test_what_people_type_is_refused_with_a_way_on_or_starts_as_they_mean_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    typed, home, pod = ALL[name], tmp_path / "home", tmp_path / "pod"
    home.mkdir()
    pod.mkdir()
    monkeypatch.chdir(home)
    if typed.refused is not None:
        with pytest.raises(VerbError) as refused:
            submitted(home, typed)
        assert typed.refused in str(refused.value)
        return
    parcel = submitted(home, typed)
    if typed.starts is not None:
        assert typed.starts in shown(parcel)
    for rank, printed in enumerate(typed.prints):
        assert started(parcel, pod, rank) == f"{printed}\n"


def shown(parcel: Parcel) -> str:
    if parcel.work.kind == RAY_JOB:
        return str(parcel.work.obj["spec"]["runtimeEnvYAML"])
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    return " ".join(pod["containers"][0]["command"])
