"""The files that users bring, read and judged as a whole. No Pulumi import.

Not by the config's own rules, which see no folder: a config is also checked where its files are
not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from components.job_set_manifest import MAX_FILE_BYTES
from stacks.config_errors import nearest
from stacks.parts.jobs.script import Script
from stacks.problems import Problem

# A key of a ConfigMap (kubernetes/kubernetes apimachinery pkg/util/validation, IsConfigMapKey,
# v1.35.4).
_KEY = re.compile(r"[-._a-zA-Z0-9]{1,200}")
# Room for those of the trainings, the largest of which is a fourth of it.
_LAUNCHER_BYTES = 64 * 1024
_ELSEWHERE = "a bucket in mounts, with the data in it"


@dataclass(frozen=True, kw_only=True)
class Brought:
    """The content of each job's files by their names, and what is wrong with them."""

    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    problems: tuple[Problem, ...] = ()


def read(folder: Path, scripts: Mapping[str, Script]) -> Brought:
    """`folder` is the project's."""
    files: dict[str, Mapping[str, str]] = {}
    problems: list[Problem] = []
    for name, script in scripts.items():
        key = "file" if script.file is not None else "folder"
        brought = script.file or script.folder
        if brought is None:
            files[name] = {}
            continue
        found = _found(folder, brought, f"jobs.{name}.{key}", one=key == "file")
        if isinstance(found, Problem):
            problems.append(found)
            continue
        size = sum(it.stat().st_size for it in found if it.is_file())
        if size > MAX_FILE_BYTES:
            problems.append(too_large(f"jobs.{name}.{key}", f'"{brought}" has', size))
            continue
        texts = {it.name: _text(it) for it in found}
        problems += _problems(f"jobs.{name}.{key}", brought, found, texts)
        files[name] = {file: text for file, text in texts.items() if text is not None}
    problems += _together(scripts, files)
    return Brought(files=files, problems=tuple(problems))


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
        return sorted(it for it in path.iterdir() if not _stays_behind(it))
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


def _stays_behind(path: Path) -> bool:
    return path.name.startswith(".") or path.name == "__pycache__"


def _text(path: Path) -> str | None:
    """None of what is no text, or cannot be read."""
    try:
        # Not read_text, which would change the ends of lines.
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def _problems(
    field: str, brought: str, found: list[Path], texts: Mapping[str, str | None]
) -> Iterator[Problem]:
    if not found:
        yield Problem(field, f'"{brought}" has no files; nearest: leave it out')
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
