"""`make check`'s own rules over the tree: no machine's paths, no dead commands, no dead files in
the docs, no secrets, no code twice."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from aistack.command_line import HANDED_OVER
from stacks.file_secrets import secrets_in_file
from tools.repeats import repeats

ROOT = Path(__file__).resolve().parent.parent
# Folders that only somebody's machine has; written in parts so that this file passes its own rule.
MACHINE_PATH = re.compile(
    r"/(?:home(?!/(?:kubernetes/|ray\b))|Users|root|work|private)/" + r"[\w.-]+"
)
CODE_BLOCK = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.M | re.S)
INLINE = re.compile(r"`([^`\n]+)`")
FILE_NAME = re.compile(r"(?:[\w.-]+/)*[\w.-]+\.(?:py|yaml|md|json|sh|mod|toml)")
# Pages that name the files of other repositories, or what went.
OF_OTHERS = frozenset(["CHANGELOG.md", "docs/compared.md"])
# Commands that a user brings along.
FOREIGN = frozenset(
    [
        "cd",
        "cp",
        "curl",
        "docker",
        "echo",
        "export",
        "gcloud",
        "git",
        "go",
        "kubectl",
        "less",
        "pulumi",
        "ray",
        "sed",
        "sh",
        "vi",
    ]
)


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def machine_paths(files: list[Path]) -> Iterator[str]:
    for file in files:
        if file.suffix in (".sum", ".txt", ".png"):
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            if MACHINE_PATH.search(line):
                yield f"{_name(file)}:{number}: an absolute path of a machine"


def dead_commands(files: list[Path]) -> Iterator[str]:
    """Commands in the docs' shell blocks, and make's verbs in their text, that nothing here answers
    to."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for file in files:
        if file.suffix != ".md":
            continue
        text = file.read_text()
        commands = [it for block in CODE_BLOCK.findall(text) for it in _commands(block)]
        spoken = [] if _name(file) in OF_OTHERS else INLINE.findall(CODE_BLOCK.sub("", text))
        for line in (*commands, *(it for it in spoken if it.startswith("make "))):
            if problem := _dead(line.split(), targets):
                yield f"{_name(file)}: `{line}`: {problem}"


def _commands(block: str) -> Iterator[str]:
    for line in block.replace("\\\n", " ").splitlines():
        text = line.split(" #")[0].strip().removeprefix("$ ")
        if text and not text.startswith("#"):
            yield text


def _dead(words: list[str], targets: set[str]) -> str | None:
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    if not words:
        return None
    program = words[0]
    if program == "make":
        wanted = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
        missing = [word for word in wanted if word not in targets]
        return f"no target {missing[0]}" if missing else None
    if program in ("python", ".venv/bin/python") and words[1:2] == ["-m"]:
        return None if _module_exists(words[2]) else f"no module {words[2]}"
    if program in ("aistack", ".venv/bin/aistack"):
        has = words[1] in HANDED_OVER or (ROOT / f"aistack/verbs/{words[1]}.py").exists()
        return None if has else f"no verb {words[1]}"
    return None if program in FOREIGN else f"{program} is no command of this project"


def _module_exists(name: str) -> bool:
    base = ROOT / name.replace(".", "/")
    return base.with_suffix(".py").exists() or (base / "__main__.py").exists()


def dead_files(files: list[Path]) -> Iterator[str]:
    """Paths that the docs name in code style and that do not exist."""
    known = {_name(file) for file in files}
    names = {file.name for file in files}
    for file in files:
        if file.suffix != ".md" or _name(file) in OF_OTHERS:
            continue
        for code in INLINE.findall(CODE_BLOCK.sub("", file.read_text())):
            if FILE_NAME.fullmatch(code) and code not in known and code not in names:
                yield f"{_name(file)}: `{code}`: there is no such file"


def secrets(files: list[Path]) -> Iterator[str]:
    """By the rules for files that users bring to a cluster."""
    for file in files:
        if file.suffix != ".png":
            for secret in secrets_in_file(file.name, file.read_text(errors="replace")):
                yield f"{_name(file)}:{secret.line}: looks like a secret ({secret.kind})"


def _name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def main() -> int:
    files = tracked()
    problems = [
        *machine_paths(files),
        *dead_commands(files),
        *dead_files(files),
        *secrets(files),
        *repeats(ROOT, files),
    ]
    for problem in problems:
        print(problem)
    print(f"tree: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
