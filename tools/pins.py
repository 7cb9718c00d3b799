"""docs/pins.md: what the program runs and installs, and what each is held by.

`make inventory` writes the page's tables; `--check` says instead whether the page has them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from catalog import Catalog
from catalog.image_name import ImageName
from catalog.strict_yaml import read_yaml
from cli.project import PROJECT_FOLDER, stack_names
from stacks.parts.jobs.fine_tune import FineTuning
from stacks.parts.jobs.nemo_rl import NemoRlJob
from stacks.parts.jobs.verl import VerlTraining
from stacks.parts.servers.config import ModelServer
from tools.plugins import plugin_table, plugin_version
from tools.written_page import table_row, write_or_check

PAGE = PROJECT_FOLDER / "docs" / "pins.md"
_BY_NAME = "by name alone"
# MaxText's `model` is the name of an architecture, whose weights its training makes itself.
_WITH_MODELS: tuple[tuple[str, str, type[BaseModel]], ...] = (
    ("servers.NAME", "server", ModelServer),
    ("jobs.NAME", "verl", VerlTraining),
    ("jobs.NAME", "nemo-rl", NemoRlJob),
    ("jobs.NAME", "fine-tune", FineTuning),
)
_TABLE = "catalog/data/versions.yaml"
# Where a digest goes: a key of the config where one names the image, else the table itself.
_KEYS = {
    "nemo_rl": "`ray.NAME.image`",
    "verl": "`ray.NAME.image`",
    "ray_gpu": "`ray.NAME.image`",
    "ray_tpu": "`ray.NAME.image`",
    "tgi": "`servers.NAME.image`",
    "vllm": "`servers.NAME.image`",
    "gemma_fine_tuning": "`jobs.NAME.image`",
    "pause": f"`{_TABLE}`",
}


def plugin_rows() -> Iterator[Sequence[str]]:
    for name, plugin in plugin_table().plugins.items():
        release = plugin_version(name)
        systems = ", ".join(plugin.checksums.get(release, {}))
        yield f"`{name}`", release, f"SHA256 for {systems}" if systems else _BY_NAME


def chart_rows() -> Iterator[Sequence[str]]:
    """Every version of every chart that a config may install."""
    for component in Catalog.load().versions.components.values():
        if (chart := component.chart) is None:
            continue
        of = f" of {chart.repository}" if chart.repository else ""
        for release in component.releases:
            known = chart.digests.get(release)
            held = _BY_NAME
            if known is not None:
                checked = "Helm pulls it by it" if chart.in_oci_registry else "Helm compares none"
                held = f"`sha256:{known.sha256}`; {checked}"
            yield f"`{chart.name}`{of}", release, held


def image_rows() -> Iterator[Sequence[str]]:
    """Every container image that the version lock or a preset names."""
    lock = Catalog.load().versions
    named = {it.reference: _KEYS[name] for name, it in lock.images.items()}
    for nccl in lock.nccl.values():
        for reference in (nccl.plugin_image, nccl.pause_image):
            named.setdefault(reference, f"`{_TABLE}`")
    for stack in stack_names():
        config = read_yaml(PROJECT_FOLDER / f"Pulumi.{stack}.yaml")["config"]
        for reference, key in _images(config["gke-ai-stacks:stack"]):
            named.setdefault(reference, f"`{key}` of `{stack}`")
    for reference, key in named.items():
        name = ImageName.parse(reference)
        held = f"`{name.digest}`" if name.digest else _BY_NAME
        yield f"`{name.repository}:{name.tag}`", held, key


def _images(config: Any, *keys: str) -> Iterator[tuple[str, str]]:
    """Images in a config, each with its key."""
    if isinstance(config, Mapping):
        for key, value in config.items():
            yield from _images(value, *keys, key)
    elif keys and keys[-1] == "image" and isinstance(config, str):
        yield config, ".".join(keys)


def model_rows() -> Iterator[Sequence[str]]:
    """Every kind of server and job that takes a model from a hub, and the key that holds it."""
    for place, kind, config in _WITH_MODELS:
        default = config.model_fields["model"].get_default()
        pinned = "revision" in config.model_fields
        yield (
            f"`{place}.model` ({kind})",
            f"`{default}`" if isinstance(default, str) else "none, the config names it",
            f"`{place}.revision`; without, the newest of its main branch" if pinned else _BY_NAME,
        )


def hole_rows() -> Iterator[Sequence[str]]:
    """Known holes of every image and Python package that the version lock names."""
    catalog = Catalog.load()
    lock, holes = catalog.versions, catalog.known_holes
    named: dict[str, dict[str, str]] = {}
    for image in lock.images.values():
        name = image.name
        named[f"{name.repository}:{name.tag}"] = image.versions
    for name, component in lock.components.items():
        if name in holes.software and component.version is not None:
            named[name] = {name: component.version}
    for name, versions in named.items():
        had = [f"{name} {version}" for name, version in versions.items() if name in holes.software]
        found = [hole.id for _, hole in holes.of(versions)]
        first = holes.closing(versions).items()
        closes = ", ".join(f"{software} {version}" for software, version in first)
        judged = ", ".join(had) or "nobody states what is in it"
        yield f"`{name}`", judged, ", ".join(found) or _NO_HOLE[bool(had)], closes


_NO_HOLE = {True: "none of the list", False: "not known"}


_SECTIONS = {
    "Provider plugins": (("plugin", "version", "held by"), plugin_rows),
    "Helm charts": (("chart", "version", "held by"), chart_rows),
    "Models": (("key", "by default", "held by"), model_rows),
    "Known holes": (("image or package", "with", "open to", "closed by"), hole_rows),
    "Container images": (("image", "held by", "where another digest goes"), image_rows),
}


def page(current: str) -> str:
    """The page with its tables written again; the text around them is left as it is."""
    lines, skipping = list[str](), False
    for line in current.splitlines():
        skipping = skipping and line.startswith("|")
        if not skipping:
            lines.append(line)
        mark = line.removeprefix("<!-- table: ").removesuffix(" -->")
        if line.startswith("<!-- table: "):
            head, rows = _SECTIONS[mark]
            lines += [table_row(*head), table_row(*("---" for _ in head))]
            lines += [table_row(*row) for row in rows()]
            skipping = True
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    current = PAGE.read_text(encoding="utf-8")
    remedy = "docs/pins.md is not what the tables say; nearest: make inventory"
    return write_or_check(PAGE, page(current), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
