"""Words of a script's command, held against the files that come along, the variables that its pods
have, and what only a shell does. No Pulumi import.

The kubelet starts the words as they are: it puts variables into `$(NAME)` alone, and leaves a name
that it does not know as it is (kubernetes/kubernetes v1.35.4
third_party/forked/golang/expansion/expand.go). The working folder is the image's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import NamedTuple

from stacks.config_errors import nearest
from stacks.plain_values import LONGEST_WORD
from stacks.problems import Problem

# The variable of every pod that says where the files are.
FILES_VARIABLE = "SCRIPT_DIR"
NODES_VARIABLE = "NNODES"
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})
# Options of a shell, of which `-c`, also among others as in `-euxc` and `-ce`, has a line after all
# of them, and `o`, also among others, a word of its own (POSIX.1-2024, sh).
_SHELL_OPTIONS = re.compile(r"[-+][A-Za-z]+")
_SHELL_VALUES = frozenset({"--rcfile", "--init-file"})
_OPERATOR = re.compile(r"&&|\|\|?|;|&|\d?>>?(&\d|/\S*)?|<")
_PLAIN_VARIABLE = re.compile(r"(?<!\$)\$(?:\{(?P<braced>[A-Za-z_]\w*)\}|(?P<bare>[A-Za-z_]\w*))")
_NAMED = re.compile(r"(?<!\$)\$\((?P<name>[^()]*)\)")
_BROUGHT = re.compile(
    rf"\$(?:\({FILES_VARIABLE}\)|\{{{FILES_VARIABLE}\}}|{FILES_VARIABLE}\b)\"?"
    r"/(?P<file>[\w.-]+)(?P<below>(?:/[\w.-]+)*)"
)
# Lines that start a program.
_RUNS = re.compile(r"\s*(exec\s+)?([A-Z_]+=\S*\s+)*(python[\d.]*|torchrun|accelerate|(ba)?sh)\s")
_CHANGES_FOLDER = re.compile(r"\b(cd|pushd)\s")
# What others than a shell put values in for, such as Hydra: `${root}`.
_INTERPOLATION = re.compile(r"[a-z]\w*")
# Programs of other languages have words with variables of theirs.
_OTHER_LANGUAGES = frozenset({"awk", "gawk", "mawk", "perl"})
_PROGRAM_FILE = re.compile(r"\S+\.(py|sh)|\$\(\w+\)/\S+")
# A name with a launcher's in it is none, and nor is the value of an option: `--launcher torchrun`.
_STARTS = r"(?:^|(?<=[\s;&|(`\"'/]))"
_ENDS = r"(?=[\s)`\"']|$)"
_OPTION_BEFORE = re.compile(r"(^|\s)--\w[\w-]*\s+$")
_PYTHON = re.compile(r"python[\d.]*")
# Options in a variable of a shell's, after what is no option that it could be the value of.
_MORE_OPTIONS = re.compile(r"(?:^|\s)(?!--[\w-]+\s)\S*\s+[\"']?\$(?:\{?[A-Za-z_]|[@*])")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
# Where a launcher's own options end and the program's begin.
_PROGRAM = re.compile(r"\s\S+\.py\b|\s-m\s|\s--\s")


class _Launcher(NamedTuple):
    """`nodes` and `processes` are options with their numbers, processes of each pod or `in_all`.
    `join` are options without which pods do not find each other, each with what says it: a
    `constant` is the same in all of them, or an address that is none of theirs. `elsewhere` says it
    in another way, for those that come after the first `join`. `port` is the option that gives the
    pods' own port, where a launcher would choose one by itself."""

    name: str
    pattern: re.Pattern[str]
    nodes: re.Pattern[str]
    processes: re.Pattern[str]
    in_all: bool
    join: Mapping[str, re.Pattern[str]]
    constant: re.Pattern[str]
    elsewhere: re.Pattern[str]
    port: str


# pytorch/pytorch v2.9.0 torch/distributed/run.py, options of nodes as N or N:M and of processes of
# each, 1:1 and 127.0.0.1 where nothing is said; `--standalone` is one node;
# huggingface/accelerate v1.11.0 src/accelerate/commands/launch.py, where processes are all.
_LAUNCHERS = (
    _Launcher(
        name="torchrun",
        pattern=re.compile(
            rf"{_STARTS}torchrun{_ENDS}|\s-m\s+torch\.distributed\.(run|launch){_ENDS}"
        ),
        nodes=re.compile(r"\s--nnodes[= ](?P<least>\d{1,9})(:(?P<most>\d+))?(?=\s|$)"),
        processes=re.compile(r"\s--nproc[-_]per[-_]node[= ](?P<count>\d{1,9})\b"),
        in_all=False,
        join={
            f"--nnodes $({NODES_VARIABLE})": re.compile(r"\s--nnodes\b"),
            "--node-rank $(NODE_RANK)": re.compile(r"\s--node[-_]rank\b"),
            "--master-addr $(MASTER_ADDR)": re.compile(r"\s--master[-_]addr\b"),
        },
        constant=re.compile(
            r"\s(--standalone\b|--node[-_]rank[= ]\d+"
            r"|--(master[-_]addr|rdzv[-_]endpoint)[= ]\"?([\d.]+|localhost)\b(:\d+)?)"
        ),
        elsewhere=re.compile(r"\s--rdzv[-_]endpoint\b"),
        port="--master-port",
    ),
    _Launcher(
        name="accelerate launch",
        pattern=re.compile(rf"{_STARTS}accelerate\s+launch{_ENDS}"),
        nodes=re.compile(r"\s--num[-_]machines[= ](?P<least>\d{1,9})(:(?P<most>\d+))?(?=\s|$)"),
        processes=re.compile(r"\s--num[-_]processes[= ](?P<count>\d{1,9})\b"),
        in_all=True,
        join={
            f"--num_machines $({NODES_VARIABLE})": re.compile(
                r"\s--(num[-_]machines|config[-_]file)\b"
            ),
            "--machine_rank $(NODE_RANK)": re.compile(r"\s--machine[-_]rank\b"),
            "--main_process_ip $(MASTER_ADDR)": re.compile(r"\s--main[-_]process[-_]ip\b"),
        },
        constant=re.compile(
            r"\s(--machine[-_]rank[= ]\d+|--main[-_]process[-_]ip[= ]\"?([\d.]+|localhost)\b)"
        ),
        elsewhere=re.compile(r"\s--rdzv[-_]conf\b"),
        port="--main_process_port",
    ),
)
# accelerate's processes are as many in all as one pod has GPUs, and of pods with one GPU it joins
# none by itself (v1.15.0 src/accelerate/commands/launch.py, _validate_launch_command;
# utils/launch.py, prepare_multi_gpu_env).
_TOTAL = re.compile(r"\s--(num[-_]processes|config[-_]file)\b")
_SEVERAL = re.compile(r"\s--(multi[-_]gpu|use[-_]\w+|config[-_]file)\b")
# Where a program is called, and is no other's word: `pip install deepspeed`.
_CALLED = (
    r"(?:^|[;&|(\n]\s*|\b\w*sh(?:\s+-\S+|\s+pipefail)+\s+|\bexec\s+|\b[A-Z_]+=\S*\s+)(?:\S*/)?"
)
# Launchers that reach other machines by SSH, with the options of processes of each pod and of what
# does without: deepspeedai/DeepSpeed issue 5510 of 2024-05-08, kubeflow/mpi-operator issue 327 of
# 2021-03-02, horovod/horovod docs/running.rst @ 01255ea4, "Failures due to SSH issues".
_BY_SSH = {
    "deepspeed": (
        re.compile(rf"{_CALLED}deepspeed(?=\s)"),
        re.compile(r"\s--num_gpus[= ](?P<count>\d{1,9})\b"),
        re.compile(r"\s--no_ssh\b"),
    ),
    "horovodrun": (
        re.compile(rf"{_CALLED}horovodrun(?=\s)"),
        re.compile(r"\s(?:-np|--num-proc)[= ](?P<count>\d{1,9})\b"),
        None,
    ),
    # What is not of GPUs may be more processes.
    "mpirun": (re.compile(rf"{_CALLED}mpi(?:run|exec)(?=\s)"), None, None),
}
_WORD = re.compile(r"[^\s'\"=;|&<>]+")
_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class _Variables:
    """Variables of pods: `names`, and where these are not `all` any others."""

    names: Collection[str]
    offers: Mapping[str, str]
    all: bool

    def __contains__(self, name: str) -> bool:
        return name in self.names or (not self.all and _NAME.fullmatch(name) is not None)

    def nearest(self, name: str) -> str:
        near = get_close_matches(name, sorted(self.names), n=1, cutoff=0.5)
        offered = [self.offers[name]] if name in self.offers else [f"$({it})" for it in near]
        return ", or ".join([*offered, "bash -c for a command in a command"])


def command_problems(
    field: str,
    words: Sequence[str],
    files: Collection[str],
    variables: Collection[str],
    left_out: Collection[str] = (),
    *,
    offers: Mapping[str, str] | None = None,
    knows_all: bool = True,
) -> Iterator[Problem]:
    """Of a command that cannot work, all that keeps it from that. What is `left_out` of a folder
    is told elsewhere. `offers` say how pods get a variable that they lack, and unless it
    `knows_all`, pods have variables beside `variables`: kubelets put in those of whole Secrets, too
    (kubernetes/kubernetes v1.35.4 pkg/kubelet/kubelet_pods.go, makeEnvironmentVariables)."""
    known = _Variables(variables, offers or {}, all=knows_all)
    line = line_at(words)
    for at, word in enumerate(words):
        if at == line:
            yield from _line_problems(field, word, files, left_out)
        elif line is None or at < line:
            yield from _brought_problems(field, word, {*files, *left_out})
            yield from _word_problems(field, words, at, files, known)


def line_at(words: Sequence[str]) -> int | None:
    """The place of the line that a shell reads."""
    for at, shell in enumerate(words):
        if PurePosixPath(shell).name in _SHELLS and (found := _line_after(words, at)) is not None:
            return found
    return None


def _line_after(words: Sequence[str], shell: int) -> int | None:
    at, has_line = shell + 1, False
    while at < len(words) and words[at][:1] in ("-", "+"):
        letters = words[at][1:] if _SHELL_OPTIONS.fullmatch(words[at]) else ""
        has_line = has_line or ("c" in letters and words[at][0] == "-")
        at += 1 + ("o" in letters.lower() or words[at] in _SHELL_VALUES)
    return at if has_line else None


def names_module(words: Sequence[str], at: int) -> bool:
    """Whether the word is the module that Python runs, and not the value of a program's own -m."""
    before = words[: at - 1]
    return (
        at > 0
        and words[at - 1] == "-m"
        and not any(it == "-m" or _PROGRAM_FILE.fullmatch(it) for it in before)
    )


def _word_problems(
    field: str,
    words: Sequence[str],
    at: int,
    files: Collection[str],
    variables: _Variables,
) -> Iterator[Problem]:
    word = words[at]
    if not at and len(words) > 1 and _ASSIGNED.fullmatch(word):
        name = word.partition("=")[0]
        yield Problem(
            field,
            f"a shell alone takes {name} before a program for a variable; nearest: env as the "
            f"first word, or {name} among the job's variables",
        )
    if _is_operator(words, at) and not _is_value(words, at):
        yield Problem(
            field,
            f'"{word}" is for a shell, and none looks at the words; nearest: '
            "bash -c 'set -e; ...', with the whole line as its one word",
        )
    is_other = any(PurePosixPath(it).name in _OTHER_LANGUAGES for it in words[:at])
    for found in _PLAIN_VARIABLE.finditer(word) if not is_other else ():
        name = found["braced"] or found["bare"]
        if found["braced"] and name not in variables and _INTERPOLATION.fullmatch(name):
            continue
        near = f"$({name})" if name in variables else f"bash -c, or {name} in the environment"
        yield Problem(
            field, f'no shell looks at "{found[0]}", which stays as it is; nearest: {near}'
        )
    for found in _NAMED.finditer(word):
        if found["name"] not in variables:
            yield Problem(
                field,
                f'"{found[0]}" is no variable of the pods, and stays as it is; nearest: '
                f"{variables.nearest(found['name'])}",
            )
    yield from _file_problems(field, words, at, files)


def _is_operator(words: Sequence[str], at: int) -> bool:
    """A semicolon at the end of a word is one after a program, or where a command may follow, and
    no option."""
    word, after = words[at], words[at + 1 :]
    if len(word) > 1 and word.endswith(";"):
        ends = _PROGRAM_FILE.fullmatch(word[:-1]) is not None
        return ends or (bool(after) and not after[0].startswith("-"))
    return _OPERATOR.fullmatch(word) is not None


def _is_value(words: Sequence[str], at: int) -> bool:
    """Whether what a shell would look at is an option's value: `--sep ';'`, `-exec rm {} ';'`."""
    before, after = words[:at], words[at + 1 :]
    if any(it in ("-exec", "-execdir", "-ok") for it in before):
        return words[at] == ";"
    ends = after[0].startswith("-") if after else words[at] != "&"
    return ends and bool(before) and before[-1].startswith("-") and "=" not in before[-1]


def _file_problems(
    field: str, words: Sequence[str], at: int, files: Collection[str]
) -> Iterator[Problem]:
    """Files come into `SCRIPT_DIR`, and the command runs elsewhere."""
    word = words[at]
    before = words[at - 1] if at else ""
    interpreter = PurePosixPath(before).name
    if _is_notebook(word) and (is_python(before) or interpreter in _SHELLS):
        yield Problem(field, notebook_message(PurePosixPath(word).name))
        return
    name = word.partition("=")[2] if word.startswith("-") else word
    if name.removeprefix("./") in files:
        where = f"$({FILES_VARIABLE})/{name.removeprefix('./')}"
        yield Problem(
            field,
            f'"{name}" is not in the folder where the command runs; nearest: '
            f"{word.removesuffix(name)}{where}",
        )
    elif name.startswith("/") and name[1:] in files:
        yield Problem(
            field,
            f'"{name}" is not among the files of an image: in double quotes a shell has taken '
            f"$({FILES_VARIABLE}) away; nearest: $({FILES_VARIABLE}){name}, in single quotes",
        )
    elif names_module(words, at) and f"{word}.py" in files:
        yield Problem(
            field,
            f"the module {word} is not in the folder where the command runs; nearest: "
            f"$({FILES_VARIABLE})/{word}.py without -m",
        )


def _line_problems(
    field: str, line: str, files: Collection[str], left_out: Collection[str]
) -> Iterator[Problem]:
    yield from _brought_problems(field, line, {*files, *left_out})
    if _CHANGES_FOLDER.search(line):
        return
    for name in sorted({it.removeprefix("./") for it in _WORD.findall(line)} & {*files}):
        yield Problem(
            field,
            f'"{name}" is not in the folder where the command runs; nearest: '
            f"${FILES_VARIABLE}/{name}, or cd ${FILES_VARIABLE} before it",
        )


def shell_script_problems(
    field: str, words: Sequence[str], files: Mapping[str, str | None]
) -> Iterator[Problem]:
    """A shell script among the files that no shell can read, or that runs another by its name alone
    and does not go where they are."""
    names = {PurePosixPath(it).name for it in words}
    for script in sorted(it for it in files if it in names and it.endswith(".sh")):
        text = files[script] or ""
        if text.partition("\n")[0].endswith("\r"):
            yield Problem(
                field,
                f"{script}: its lines end as on Windows, and a shell takes the mark for a part of "
                f"each word; nearest: sed -i 's/\\r$//' {script}",
            )
        if _CHANGES_FOLDER.search(text):
            continue
        run = [it for it in text.replace("\\\n", " ").splitlines() if _RUNS.match(it)]
        for line in run:
            for name in sorted({it.removeprefix("./") for it in _WORD.findall(line)} & {*files}):
                yield Problem(
                    field,
                    f'{script}: "{name}" is not in the folder where it runs; nearest: a line '
                    f'cd "${FILES_VARIABLE}" before it',
                )


def _brought_problems(field: str, text: str, files: Collection[str]) -> Iterator[Problem]:
    for found in _BROUGHT.finditer(text):
        below = PurePosixPath(found["below"]).name
        if below in files:
            yield Problem(
                field,
                f'"{found["file"]}{found["below"]}" is not among the files, which lie beside each '
                f"other; nearest: $({FILES_VARIABLE})/{below}",
            )
        elif found["file"] not in files:
            near = nearest(found["file"], sorted(files)) if files else "a FILE that is brought"
            yield Problem(field, f'"{found["file"]}" is not among the files; nearest: {near}')


def brought_names(text: str) -> set[str]:
    """Files and folders that a word, or a shell's line, names where files lie."""
    return {it["file"] for it in _BROUGHT.finditer(text)}


def is_python(word: str) -> bool:
    """Whether the word starts a Python."""
    return _PYTHON.fullmatch(PurePosixPath(word).name) is not None


def launcher_problems(
    field: str, words: Sequence[str], nodes: int, gpus: int, variables: Collection[str] = ()
) -> Iterator[Problem]:
    """What a launcher is told of the pods, held against them: for more nodes than there are it
    waits and never begins, a process without a GPU fails, and pods that are not told of each other
    train each for itself. `variables` are those of the user's own."""
    text = _read(words)
    yield from _by_ssh_problems(field, text, nodes, gpus)
    for it in _LAUNCHERS:
        called = it.pattern.finditer(text)
        found = next(
            (one for one in called if not _OPTION_BEFORE.search(text[: one.start()])), None
        )
        if found is None:
            continue
        own = _PROGRAM.split(text[found.end() :], maxsplit=1)[0]
        asked = it.nodes.search(own)
        if asked is not None and int(asked["least"]) > nodes:
            yield Problem(
                field,
                f"{asked[0].strip()} waits for {asked['least']} nodes, and the job has {nodes}; "
                f"nearest: $({NODES_VARIABLE}) as the number, or nodes: {asked['least']}",
            )
        # torchrun has each of its options by such a variable, too (run.py, `env`).
        elif nodes > 1 and not (
            any(one.startswith("PET_") for one in variables) or _MORE_OPTIONS.search(own)
        ):
            yield from _apart_problems(field, it, own, nodes, gpus)
        started = it.processes.search(own)
        most = gpus * nodes if it.in_all else gpus
        if started is not None and gpus and int(started["count"]) > most:
            yield Problem(
                field,
                f"{started[0].strip()} starts more processes than the {most} GPUs that "
                f"{'the job has' if it.in_all else 'a pod has'}; nearest: {most} as the number, or "
                "more gpus",
            )


def _read(words: Sequence[str]) -> str:
    """The command with no more than one space or end of a line in a row, as far as a person reads
    it: a search goes over a part of a text again and again."""
    lines = (" ".join(it.split()) for it in " ".join(words).splitlines())
    return "\n".join(it for it in lines if it)[:LONGEST_WORD]


def _by_ssh_problems(field: str, text: str, nodes: int, gpus: int) -> Iterator[Problem]:
    torchrun = _LAUNCHERS[0]
    line = " ".join([torchrun.name, *torchrun.join, f"{torchrun.port} $(MASTER_PORT)"])
    for name, (called, processes, without) in _BY_SSH.items():
        found = called.search(text)
        if found is None:
            continue
        own = _PROGRAM.split(text[found.end() :], maxsplit=1)[0]
        if nodes > 1 and (without is None or not without.search(own)):
            yield Problem(
                field,
                f"{name} reaches other pods by SSH, which none of them serves, so it does not make "
                f"one training of {nodes} pods; nearest: {line}, or nodes: 1",
            )
        started = processes.search(own) if processes is not None else None
        if started is not None and gpus and int(started["count"]) > gpus:
            yield Problem(
                field,
                f"{started[0].strip()} starts more processes than the {gpus} GPUs that a pod has; "
                f"nearest: {gpus} as the number, or more gpus",
            )


def _apart_problems(
    field: str, launcher: _Launcher, own: str, nodes: int, gpus: int
) -> Iterator[Problem]:
    """Pods that do not become one training."""
    first, *others = launcher.join.items()
    several, total = "--multi_gpu", f"--num_processes {nodes * gpus}"
    counted = {several: _SEVERAL, total: _TOTAL} if launcher.in_all and gpus else {}
    needed = [first, *([] if launcher.elsewhere.search(own) else others)]
    needed += [(it, given) for it, given in counted.items() if it == total or gpus == 1]
    wrong = [f"no {line.partition(' ')[0]}" for line, given in needed if not given.search(own)]
    asked = launcher.nodes.search(own)
    if asked is not None and int(asked["most"] or asked["least"]) < nodes:
        wrong.append(asked[0].strip())
    wrong += [one[1].strip() for one in launcher.constant.finditer(own)]
    if wrong:
        port = f"{launcher.port} $(MASTER_PORT)"
        yield Problem(
            field,
            f"{launcher.name} with {', '.join(wrong)} does not make one training of "
            f"{'all GPUs of ' if counted else ''}{nodes} pods; "
            f"nearest: {' '.join([launcher.name, *counted, *launcher.join, port])}",
        )


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb")


def notebook_message(name: str) -> str:
    """What is wrong with running a notebook, and what works
    (jupyter/nbconvert docs/source/usage.rst, `--to script`)."""
    return (
        f'"{name}" is a notebook, which no interpreter runs; nearest: '
        f'jupyter nbconvert --to script "{name}", and the .py that it writes'
    )
