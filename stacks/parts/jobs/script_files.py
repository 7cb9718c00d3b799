"""The files that users bring, read and judged as a whole. No Pulumi import.

Not by the config's own rules, which see no folder: a config is also checked where its files are
not.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from components.jobs.job_set_manifest import MAX_FILE_BYTES
from stacks.commands import setting
from stacks.config_errors import nearest
from stacks.file_secrets import NO_SECRET, FileSecret, secrets_in_file
from stacks.ignored_files import git_ignores, ignore_files_of, ignored_by
from stacks.parts.jobs.command_words import (
    brought_names,
    command_problems,
    shell_script_problems,
)
from stacks.parts.jobs.requirements import requirements_problems
from stacks.parts.jobs.script import Script
from stacks.problems import Problem
from stacks.stack import Stack
from stacks.token_shapes import HuggingFaceDetector, WeightsAndBiasesDetector
from stacks.tokens import SERVER_KEY_VARIABLE, VARIABLES

# A key of a ConfigMap (kubernetes/kubernetes apimachinery pkg/util/validation, IsConfigMapKey,
# v1.35.4).
_KEY = re.compile(r"[-._a-zA-Z0-9]{1,200}")
# Room for those of the trainings, the largest of which is a fourth of it.
_LAUNCHER_BYTES = 64 * 1024
_CACHE = "__pycache__"
_PROGRAMS = (".py", ".sh")
_HIDDEN = "it is hidden"
_NAMES = " names it"
_ELSEWHERE = "a bucket in mounts, with the data in it"
_KEYS_OF_SECRETS = {
    HuggingFaceDetector().secret_type: "hugging_face_token",
    WeightsAndBiasesDetector().secret_type: "wandb_api_key",
}


@dataclass(frozen=True, kw_only=True)
class Brought:
    """The content of each job's files by their names, and what is wrong with them."""

    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tokens:
    """Variables that pods have of the stack's secrets; `submit` offers Secrets of the job's own
    namespace for what they lack."""

    of_stack: Collection[str]
    submitted: bool = False

    def offer(self, key: str) -> str:
        """How pods get the token of the config's `key`."""
        variable = VARIABLES[key]
        if not self.submitted:
            return f"{variable}, which pods have from `{setting(key)}`"
        if variable in self.of_stack:
            return f"{variable}, which the job's pods have from the stack"
        return f"--secret NAME={variable}, with a Secret of the job's namespace"


def tokens_of(stack: Stack, script: Script) -> Tokens:
    """Those of a job in the stack's own namespace."""
    found = {VARIABLES[it] for it in stack.secrets_set if it in VARIABLES}
    server = None if script.server is None else stack.servers.get(script.server)
    if server is not None and server.api_key:
        found.add(SERVER_KEY_VARIABLE)
    return Tokens(of_stack=found)


def read(folder: Path, scripts: Mapping[str, Script], tokens: Mapping[str, Tokens]) -> Brought:
    """`folder` is the project's, and `tokens` are by the names of scripts."""
    files: dict[str, Mapping[str, str]] = {}
    problems: list[Problem] = []
    for name, script in scripts.items():
        key = "file" if script.file is not None else "folder"
        at, brought = f"jobs.{name}.{key}", script.file or script.folder
        if brought is None:
            files[name] = {}
            problems += _command_problems(name, script, {}, tokens[name])
            continue
        if not_named := [*named_problems(at, folder, brought)]:
            problems += not_named
            continue
        found = _found(folder, brought, at, one=key == "file")
        if isinstance(found, Problem):
            problems.append(found)
            continue
        within = folder if key == "file" else folder / brought
        if unfit := [*path_problems(at, found, within)]:
            problems += unfit
            continue
        size = sum(it.stat().st_size for it in found if it.is_file())
        if size > MAX_FILE_BYTES:
            problems.append(too_large(at, f'"{brought}" has', size))
            continue
        texts = {it.name: _text(it) for it in found}
        problems += _problems(at, brought, found, texts, within)
        problems += secret_problems(at, texts, _offered(script, tokens[name]))
        left_out: Collection[str] = ()
        if key == "folder":
            left_out = left_out_of(within)
            problems += left_out_problems(f"jobs.{name}.command", within, script.command)
        files[name] = {file: text for file, text in texts.items() if text is not None}
        problems += _command_problems(name, script, texts, tokens[name], left_out)
        problems += shell_script_problems(at, script.command, files[name])
        if script.install_requirements:
            on_ray = script.ray is not None
            problems += requirements_problems(at, files[name], on_ray=on_ray)
    problems += _together(scripts, files)
    return Brought(files=files, problems=tuple(problems))


def _offered(script: Script, tokens: Tokens) -> Tokens:
    """What runs on a RayCluster has the tokens of the cluster's pods."""
    return tokens if script.ray is None else Tokens(of_stack=tokens.of_stack)


def _command_problems(
    name: str,
    script: Script,
    texts: Collection[str],
    tokens: Tokens,
    left_out: Collection[str] = (),
) -> Iterator[Problem]:
    if not all(_KEY.fullmatch(it) for it in texts):
        # What is said of such a name would be said again of the word that has it.
        return
    yield from command_problems(
        f"jobs.{name}.command",
        script.command,
        texts,
        script.variables(with_files=bool(texts), of_stack=tokens.of_stack),
        left_out,
        offers={it: _offered(script, tokens).offer(key) for key, it in VARIABLES.items()},
        # On a RayCluster no kubelet puts them in.
        knows_all=script.ray is not None or not script.has_whole_secret,
    )


def _together(
    scripts: Mapping[str, Script], files: Mapping[str, Mapping[str, str]]
) -> Iterator[Problem]:
    """All jobs of a RayCluster have one ConfigMap."""
    sizes: Counter[str] = Counter()
    for name, script in scripts.items():
        if script.ray is not None:
            sizes[script.ray] += sum(len(it.encode()) for it in files.get(name, {}).values())
            if sizes[script.ray] > MAX_FILE_BYTES - _LAUNCHER_BYTES:
                what = f"with launchers of {_LAUNCHER_BYTES} bytes, scripts of {script.ray} have"
                size = sizes[script.ray] + _LAUNCHER_BYTES
                yield too_large(f"jobs.{name}.ray", what, size)


def named_problems(field: str, project: Path, brought: str) -> Iterator[Problem]:
    """A config names files for whoever runs it, and is often written by somebody else: it gets no
    file from outside of the project, and none that its user keeps out of Git."""
    path = project / brought
    if _leads_out(path, project):
        yield _link_problem(field, path, "leaves the folder")
    elif path.exists() and git_ignores(project.resolve() / brought):
        yield Problem(
            field,
            f'"{brought}" is a file that .gitignore names, so that no clone has it; nearest: a '
            "file that Git keeps",
        )


def path_problems(field: str, paths: Iterable[Path], folder: Path) -> Iterator[Problem]:
    """Links out of the folder, links in it to what stays behind, and what is neither a file nor a
    folder: whoever reads a pipe waits."""
    for path in paths:
        target = path.resolve()
        if _leads_out(path, folder):
            yield _link_problem(field, path, "leaves the folder")
        elif path.is_symlink() and _is_kept_out(target, folder.resolve()):
            yield _link_problem(field, path, f"leads to {target.name}, which stays behind")
        elif not path.is_file() and not path.is_dir():
            what = "a link to nothing" if path.is_symlink() else "neither a file nor a folder"
            yield Problem(field, f"{path.name} is {what}; nearest: a file, or to delete it")


def _leads_out(path: Path, folder: Path) -> bool:
    """Whether it is a link, or on the way of one, to what is not in the folder."""
    return not path.resolve().is_relative_to(folder.resolve())


def _is_kept_out(target: Path, folder: Path) -> bool:
    """Whether a file in the folder is hidden, or ignored, or below what is."""
    hidden = any(it.startswith(".") for it in target.relative_to(folder).parts)
    return hidden or ignored_by(target, ignore_files_of(folder)) is not None


def _link_problem(field: str, path: Path, what: str) -> Problem:
    return Problem(
        field,
        f"{path.name} is a link that {what}: all who may read the job could read what it leads "
        "to; nearest: a copy of the file, if they may",
    )


def files_in(folder: Path) -> list[Path]:
    """What the folder brings."""
    left_out = left_out_of(folder)
    return sorted(it for it in folder.iterdir() if it.name not in left_out)


def left_out_of(folder: Path) -> dict[str, str]:
    """Files and folders in the folder that stay behind, and why: what is hidden, Python's caches,
    and what its user keeps out of Git or of images."""
    ignore_files = ignore_files_of(folder.resolve())
    found: dict[str, str] = {}
    for it in sorted(folder.iterdir()):
        if it.name == _CACHE:
            found[it.name] = "Python makes it again"
        elif it.name.startswith("."):
            found[it.name] = _HIDDEN
        elif by := ignored_by(folder.resolve() / it.name, ignore_files):
            found[it.name] = f"{by}{_NAMES}"
    return found


def left_out_problems(field: str, folder: Path, command: Iterable[str]) -> Iterator[Problem]:
    """The command would find no such file. A word that only reads alike, such as `/data` of the
    image or `wandb` of a program's option, is none of the folder's."""
    named = {name for word in command for name in (*brought_names(word), _as_program(word))}
    for name, why in left_out_of(folder).items():
        if name in named:
            by, names, _ = why.partition(_NAMES)
            near = f"a line !{name} in the folder's own {by}" if names else "another file"
            yield Problem(field, f"{name} is not brought, for {why}; nearest: {near}")


def _as_program(word: str) -> str:
    name = word.removeprefix("./")
    return name if name.endswith(_PROGRAMS) else ""


def secret_problems(
    field: str, texts: Mapping[str, str | None], tokens: Tokens
) -> Iterator[Problem]:
    """One for each line, which is named and not repeated."""
    for name, text in texts.items():
        for secret in secrets_in_file(name, text or ""):
            yield Problem(field, _secret_message(name, secret, tokens))


def _secret_message(name: str, secret: FileSecret, tokens: Tokens) -> str:
    key = _KEYS_OF_SECRETS.get(secret.kind)
    if key is not None:
        near = tokens.offer(key)
    elif tokens.submitted:
        near = "--secret NAME=KEY, with a Secret of the job's namespace"
    else:
        near = "a Secret of the cluster that the program reads"
    return (
        f"{name}: line {secret.line} looks like a secret ({secret.kind}), which all who may read "
        f"the job could read; nearest: {near}. A file that .gitignore names stays behind; a line "
        f'that ends with "{NO_SECRET}" has no secret'
    )


def too_large(field: str, what: str, size: int) -> Problem:
    return Problem(
        field,
        f"{what} {size} bytes, and a ConfigMap holds {MAX_FILE_BYTES} (1 MiB); "
        f"nearest: {_ELSEWHERE}",
    )


def _found(folder: Path, brought: str, field: str, *, one: bool) -> list[Path] | Problem:
    path = folder / brought
    if one and path.is_file():
        return [path]
    if not one and path.is_dir():
        return files_in(path)
    other = path.is_dir() if one else path.is_file()
    if other:
        what, key = ("folder", "folder") if one else ("file", "file")
        near = f"{field.rpartition('.')[0]}.{key}"
        return Problem(field, f'"{brought}" is a {what}; nearest: {near}')
    beside = [it.name for it in path.parent.glob("*") if it.is_file() == one]
    near = "a path below the project's folder"
    if beside:
        near = (Path(brought).parent / nearest(path.name, sorted(beside))).as_posix()
    return Problem(field, f'"{brought}" is not in the project\'s folder; nearest: {near}')


def _text(path: Path) -> str | None:
    """None of what is no text, or cannot be read."""
    try:
        # Not read_text, which would change the ends of lines.
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def _problems(
    field: str, brought: str, found: list[Path], texts: Mapping[str, str | None], folder: Path
) -> Iterator[Problem]:
    if not found:
        reasons = {*left_out_of(folder).values()}
        names = sorted(it.removesuffix(_NAMES) for it in reasons if it.endswith(_NAMES))
        why = f", for {' and '.join(names)} names all in it" if names else ""
        yield Problem(field, f'"{brought}" has no files{why}; nearest: leave it out')
    for path in found:
        if path.is_dir():
            yield Problem(
                field,
                f'"{brought}" has the folder {path.name}, and files lie beside each other; '
                f"nearest: its files in {brought}, or {_ELSEWHERE}",
            )
        elif texts[path.name] is None:
            yield Problem(
                field,
                f"{path.name} cannot be read as text (UTF-8); nearest: {_ELSEWHERE}",
            )
        if not _KEY.fullmatch(path.name):
            plain = re.sub(r"[^-._a-zA-Z0-9]+", "-", path.name)[:200]
            yield Problem(
                field,
                f'"{path.name}": names have letters of ASCII, digits, ".", "-" and "_", 200 at '
                f"most; nearest: {plain}",
            )
