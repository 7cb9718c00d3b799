"""The docs against the code: config keys with their defaults, outputs, verbs, and the picture.

Cannot prove that the README's picture is of the stack as it is now: that needs a run of the engine
(`python -m tools.picture --check README.md`). Here the drawing itself is tested.
"""

import re
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from stacks.blocks.bucket_stack import BucketStack
from stacks.blocks.cluster_stack import SECRETS, ClusterStack
from stacks.blocks.gpu_ray_stack import GpuRayStack
from stacks.blocks.gpu_stack import GpuStack
from stacks.blocks.queue_stack import QueueStack
from stacks.blocks.ray_stack import RayStack

from catalog import Catalog
from stacks import KINDS
from stacks.blocks import capacity
from stacks.outputs import StackOutputs
from tools.picture import MARKER, fenced, is_current, main, picture

ROOT = Path(__file__).parent.parent.parent
SANDBOX_PAGE = (ROOT / "docs" / "sandbox.md").read_text()
SHARED_PAGE = (ROOT / "docs" / "config.md").read_text()
PAGES = {
    kind: (ROOT / "docs" / name).read_text()
    for kind, name in {
        "lustre-training": "b200-lustre.md",
        "verl-training": "verl.md",
        "tpu-training": "tpu.md",
        "train-and-serve": "kueue-mixed.md",
        "checkpoint-training": "gcsfuse-checkpoint.md",
        "dev": "dev.md",
    }.items()
}
PLACES = ("project", "region", "zone")
# Sections of the shared page: which stacks they are for, and what their keys begin with.
SECTIONS: dict[str, tuple[type[ClusterStack], str]] = {
    "Keys": (ClusterStack, ""),
    "Keys of stacks with GPUs": (GpuStack, ""),
    "Keys of stacks with Ray": (RayStack, "ray."),
    "Keys of stacks with Ray on GPUs": (GpuRayStack, ""),
    "Keys of stacks with a bucket": (BucketStack, "bucket."),
    "Keys of stacks with queues": (QueueStack, "kueue."),
}
# Blocks by a name of the user's that have the keys of another block, which the page names.
LIKE_ANOTHER = ("catalog.machine_types", "catalog.zones", "extra_gpu_pools")


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _shown(value: Any) -> str:
    if value is PydanticUndefined:
        return "required"
    plain = value.value if isinstance(value, Enum) else value
    if isinstance(plain, bool):
        return str(plain).lower()
    if isinstance(plain, tuple):
        whole = any(isinstance(it, BaseModel) for it in plain)
        return f"{len(plain)} below" if whole or len(plain) > 3 else str([*plain])
    if isinstance(plain, dict) and plain:
        return ", ".join(plain)
    return "none" if plain is None else str(plain)


def _keys(model: type[BaseModel], prefix: str, given: object) -> Iterator[tuple[str, str]]:
    """Every key below a model with its default; `given` is the model's own default, if any."""
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        default = field.get_default(call_default_factory=True, validated_data={})
        value = getattr(given, name) if isinstance(given, model) else default
        below = list(_models_in(field.annotation))
        if not below or path in LIKE_ANOTHER or isinstance(value, str):
            yield path, _shown(value)
            continue
        if value is None or isinstance(value, tuple | dict):
            yield path, _shown(value)
        if isinstance(value, dict):
            path += ".NAME"
        # Of the members of a union, the default's.
        for inner in [it for it in below if isinstance(value, it)] or below:
            yield from _keys(inner, f"{path}.", value)


def _config_keys(kind: str) -> dict[str, str]:
    model, required = KINDS[kind].config_class(), KINDS[kind].required_secrets()
    found = {k: v for k, v in _keys(model, "", None) if k != "secrets_set"}
    found |= {name: "required" if name in required else "none" for name in SECRETS}
    return {f"gcp:{key}" if key in PLACES else key: value for key, value in found.items()}


def _common_keys(above: type[ClusterStack], prefix: str) -> dict[str, str]:
    """What is the same in every kind of stack of that class, default included."""
    kinds = [kind for kind in KINDS if issubclass(KINDS[kind].config_class(), above)]
    first, *others = (_config_keys(kind) for kind in kinds)
    same = set(first.items()).intersection(*(it.items() for it in others))
    return {key: value for key, value in same if key.startswith(prefix)}


def _section_keys() -> dict[str, dict[str, str]]:
    """The keys of each section of the shared page, without those of the sections before."""
    found: dict[str, dict[str, str]] = {}
    for heading, of in SECTIONS.items():
        before = {key for keys in found.values() for key in keys}
        found[heading] = {k: v for k, v in _common_keys(*of).items() if k not in before}
    return found


def _rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the tables of one section, without their header."""
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _written(page: str, heading: str) -> dict[str, str]:
    """The first two cells of each row. A key that stands twice is an error."""
    rows = [(row[0].strip("`"), row[1]) for row in _rows(page, heading)]
    found = dict(rows)
    assert len(found) == len(rows)
    return found


def test_every_kind_of_stack_has_a_page() -> None:
    assert PAGES.keys() == KINDS.keys()


@pytest.mark.parametrize("heading", SECTIONS)
def test_keys_that_stacks_have_alike_stand_in_the_shared_page_with_their_defaults(
    heading: str,
) -> None:
    assert _written(SHARED_PAGE, heading) == _section_keys()[heading]


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_has_the_keys_of_its_stack_that_the_shared_page_has_not(kind: str) -> None:
    model, shared = KINDS[kind].config_class(), set[str]()
    for heading, (above, _) in SECTIONS.items():
        shared |= _section_keys()[heading].keys() if issubclass(model, above) else set()
    own = {key: value for key, value in _config_keys(kind).items() if key not in shared}
    assert _written(PAGES[kind], "Config") == own


def test_every_way_to_have_machines_stands_in_the_shared_page_with_its_own_keys() -> None:
    ways = {it: it.model_fields for it in _models_in(capacity.Capacity)}
    modes = {it: get_args(found["mode"].annotation)[0] for it, found in ways.items()}
    assert set(modes.values()) == _written(SHARED_PAGE, "Ways to have machines").keys()
    expected: dict[str, tuple[str, set[str]]] = {}
    for way, found in ways.items():
        for name, field in found.items():
            if name != "mode":
                _, others = expected.get(name, ("", set[str]()))
                expected[name] = (_shown(field.default), {*others, modes[way]})
    rows = _rows(SHARED_PAGE, "Capacity keys")
    written = {row[0].strip("`"): (row[1], set(row[2].split(", "))) for row in rows}
    assert written == expected


def test_images_without_a_digest_stand_in_the_shared_page() -> None:
    lock = Catalog.load().versions
    images = {it.reference for it in lock.images.values()}
    for nccl in lock.nccl.values():
        images |= {nccl.plugin_image, nccl.diagnostic_image, nccl.pause_image}
    by_tag = {it for it in images if "@sha256:" not in it}
    assert _written(SHARED_PAGE, "Images").keys() == by_tag


def test_every_output_stands_in_one_page() -> None:
    written = [
        row[0].strip("`")
        for page in (SHARED_PAGE, *PAGES.values())
        for row in _rows(page, "Outputs")
    ]
    assert sorted(written) == sorted(field.name for field in fields(StackOutputs))


def test_every_verb_and_option_of_the_sandbox_stands_in_its_page() -> None:
    import sandbox.__main__ as command

    verbs = {row[0].strip("`") for row in _rows(SANDBOX_PAGE, "Verbs")}
    registered = [*command.app.registered_commands, *command.app.registered_groups]
    known = {it.name or getattr(it.callback, "__name__", "") for it in registered}
    assert verbs == known
    source = (ROOT / "sandbox" / "__main__.py").read_text()
    options = {row[0].strip("`").split()[0] for row in _rows(SANDBOX_PAGE, "Options")}
    assert set(re.findall(r'"(--[a-z]+)"', source)) <= options


def test_the_readme_has_a_picture_between_its_markers() -> None:
    before, drawn, after = (ROOT / "README.md").read_text().split(MARKER)
    assert before
    assert after
    assert drawn.strip().startswith("```mermaid\nflowchart LR\n")


def _urn(name: str) -> str:
    return f"urn:pulumi:s::p::t::{name}"


def _resource(name: str, kind: str, parent: str = "stack", needs: tuple[str, ...] = ()) -> Any:
    return {
        "urn": _urn(name),
        "type": kind,
        "parent": _urn(parent),
        "dependencies": [_urn(it) for it in needs],
    }


COMPONENT = "gke-ai-stacks:module:Component"
STATE = [
    {"urn": _urn("stack"), "type": "pulumi:pulumi:Stack"},
    _resource("net-part", COMPONENT),
    _resource("vpc", "gcp:compute/network:Network", "net-part"),
    _resource("left", "gcp:compute/subnetwork:Subnetwork", "net-part", ("vpc",)),
    _resource("right", "gcp:compute/subnetwork:Subnetwork", "net-part", ("vpc",)),
    _resource("gke", COMPONENT),
    _resource("cluster", "gcp:container/cluster:Cluster", "gke", ("left",)),
    _resource("kube", "pulumi:providers:kubernetes", "gke", ("cluster",)),
    _resource("ray", COMPONENT),
    {
        **_resource("ray-cluster", "kubernetes:ray.io/v1:RayCluster", "ray"),
        "propertyDependencies": {"spec": [_urn("vpc")]},
        "provider": f"{_urn('kube')}::some-id",
    },
]


def test_a_picture_has_components_with_their_children_and_no_arrow_that_others_imply() -> None:
    assert picture(STATE) == "\n".join(
        [
            "flowchart LR",
            '    net_part["<b>net-part</b><br/>Network<br/>2 x Subnetwork"]',
            '    gke["<b>gke</b><br/>Cluster"]',
            '    ray["<b>ray</b><br/>RayCluster"]',
            "    net_part --> gke",
            "    gke --> ray",
        ]
    )


def test_a_picture_does_not_depend_on_the_order_in_the_state() -> None:
    assert picture(reversed(STATE)) == picture(STATE)


def test_a_picture_is_current_only_when_it_is_the_same() -> None:
    page = f"# Title\n{MARKER}\n{fenced(picture(STATE))}\n{MARKER}\nmore"
    assert is_current(picture(STATE), page)
    assert not is_current(picture(STATE[:-1]), page)
    assert not is_current(picture(STATE), page.replace(MARKER, ""))


def test_a_stack_that_was_never_up_is_an_error_with_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--stack", "dev", "--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("nearest: python -m sandbox up --stack dev\n")
