"""The schema of configs: complete, as strict as the model says, and as it is committed.

Cannot prove what an editor makes of it: a JSON-schema validator stands in for one.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from stacks.__main__ import main, written
from stacks.config import PLACES
from stacks.schema import STACK_FILE, pulumi_schema, stack_schema
from stacks.stack import Stack
from stacks.tokens import SECRETS
from tests.conftest import ROOT

SCHEMA = stack_schema()
DEFINITIONS = {"Stack": SCHEMA, **SCHEMA["$defs"]}
FILES = Registry().with_resource(STACK_FILE, Resource.from_contents(SCHEMA))
WHOLE_FILE = Draft202012Validator(pulumi_schema(), registry=FILES)
SMALLEST: dict[str, Any] = {"name": "own", "pools": {"cpu": {"machine_type": "e2-standard-4"}}}
PRESETS = [path.name for path in sorted(ROOT.glob("Pulumi.*.yaml"))]


def whole(stack: dict[str, Any]) -> dict[str, Any]:
    places = {"gcp:region": "us-central1", "gcp:zone": "us-central1-a"}
    return {"config": {**places, "gke-ai-stacks:stack": stack}}


def mistakes(stack: dict[str, Any]) -> list[str]:
    """The paths of what an editor would underline, below the stack's object."""
    found = WHOLE_FILE.iter_errors(whole(stack))
    return [".".join(map(str, [*it.absolute_path][2:])) for it in found]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _below(model: type[BaseModel], found: dict[str, type[BaseModel]]) -> None:
    if model.__name__ in found:
        return
    found[model.__name__] = model
    for field in model.model_fields.values():
        for inner in _models(field.annotation):
            _below(inner, found)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_every_key_of_every_block_says_what_it_is(name: str) -> None:
    properties = DEFINITIONS[name].get("properties", {})
    assert [key for key, it in properties.items() if not it.get("description")] == []
    assert DEFINITIONS[name].get("description")


def test_the_schema_has_the_fields_of_the_model_and_no_others() -> None:
    models: dict[str, type[BaseModel]] = {}
    _below(Stack, models)
    blocks = {name: it for name, it in DEFINITIONS.items() if "properties" in it}
    # Pydantic names a block that only one other has by its class alone, as here all do.
    assert blocks.keys() == models.keys()
    for name, block in blocks.items():
        ours = {*PLACES, "secrets_set"} if name == "Stack" else set[str]()
        assert block["properties"].keys() | ours == models[name].model_fields.keys()
        assert block["additionalProperties"] is False


def test_what_is_not_written_into_the_object_is_not_offered_there() -> None:
    assert not SCHEMA["properties"].keys() & {*PLACES, "secrets_set"}
    assert SCHEMA["required"] == ["name", "pools"]


def test_descriptions_have_no_line_breaks_of_the_source() -> None:
    texts = [
        it["description"]
        for block in DEFINITIONS.values()
        for it in [block, *block.get("properties", {}).values()]
    ]
    assert not [text for text in texts if "\n" in text.replace("\n\n", "")]


def test_a_small_stack_has_no_mistake() -> None:
    assert mistakes(SMALLEST) == []


def _from_disk(uri: str) -> Resource[Any]:
    contents = json.loads(Path(uri.removeprefix("file://")).read_text())
    return Resource.from_contents(contents, default_specification=DRAFT202012)


def in_editor(file: Path, text: str) -> list[str]:
    """What is wrong by the schema that the file's first line names: its path goes from the file,
    and that of another schema in it from there (redhat-developer/vscode-yaml issue 587)."""
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named is not None, f"{file.name}: its first line names no schema"
    uri = (file.parent / named[1]).resolve().as_uri()
    editor = Draft202012Validator({"$ref": uri}, registry=Registry(retrieve=_from_disk))
    return [it.message for it in editor.iter_errors(yaml.safe_load(text))]


@pytest.mark.parametrize("preset", PRESETS)
def test_an_editor_finds_the_schema_of_a_preset_and_no_mistake(preset: str) -> None:
    file = ROOT / preset
    assert in_editor(file, file.read_text()) == []


def test_an_editor_sees_a_mistake_in_a_preset() -> None:
    text = (ROOT / "Pulumi.dev.yaml").read_text()
    wrong = text.replace("machine_type:", "machin_type:", 1)
    (first, *_) = in_editor(ROOT / "Pulumi.mine.yaml", wrong)
    assert "machin_type" in first


def test_what_pulumi_writes_into_a_file_is_no_mistake() -> None:
    file = whole(SMALLEST)
    file["config"] |= {"gcp:project": "my-project", "other:key": "value"}
    file |= {"encryptionsalt": "v1:abc", "secretsprovider": "passphrase"}
    assert [it.message for it in WHOLE_FILE.iter_errors(file)] == []


POOL = SMALLEST["pools"]["cpu"]


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"nmae": "own"}, ""),
        ({"project": "my-project"}, ""),
        ({"name": "Own"}, "name"),
        ({"pools": {}}, "pools"),
        ({"pools": {"CPU": POOL}}, "pools"),
        ({"pools": {"cpu": {**POOL, "nodes": 1001}}}, "pools.cpu.nodes"),
        ({"pools": {"cpu": {**POOL, "slices": "two"}}}, "pools.cpu.slices"),
        ({"pools": {"cpu": {**POOL, "capacity": {"mode": "spott"}}}}, "pools.cpu.capacity"),
        ({"cluster": {"version": 1.35}}, "cluster.version"),
        ({"cluster": {"mode": "auto"}}, "cluster.mode"),
        ({"jobs": {"train": {"type": "verl", "epoch": 1}}}, "jobs.train"),
        ({"buckets": {"data": {"mount": {"stat_cache_mib": -2}}}}, "buckets.data.mount"),
    ],
)
def test_a_mistake_is_underlined_where_it_is(changed: dict[str, Any], path: str) -> None:
    found = mistakes({**SMALLEST, **changed})
    assert [it for it in found if it.startswith(path)]


@pytest.mark.parametrize(
    "pool",
    [
        {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": 2},
        {"machine_type": "ct6e-standard-4t", "topology": "4x4", "slices": [1]},
        {"machine_type": "ct6e-standard-4t", "libtpu_flags": [{"name": "xla_a", "value": True}]},
    ],
)
def test_every_way_to_write_a_value_is_allowed(pool: dict[str, Any]) -> None:
    assert mistakes({**SMALLEST, "pools": {"tpu": pool}}) == []


def test_a_list_of_pools_may_be_one() -> None:
    head = {"requests": {"cpu": 1, "memory_gib": 4}}
    for pools in ("gpu", ["gpu", "more"]):
        workers = {"all": {**head, "pools": pools}}
        assert mistakes({**SMALLEST, "ray": {"a": {"head": head, "workers": workers}}}) == []


def test_a_plain_token_is_a_mistake_and_a_secret_one_is_none() -> None:
    file = whole(SMALLEST)
    for name in SECRETS:
        file["config"][f"gke-ai-stacks:{name}"] = {"secure": "v1:abc"}
    assert WHOLE_FILE.is_valid(file)
    file["config"][f"gke-ai-stacks:{SECRETS[0]}"] = "token"
    assert not WHOLE_FILE.is_valid(file)


def test_the_names_of_the_file_are_those_of_the_project() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())["name"]
    keys = pulumi_schema()["properties"]["config"]["properties"]
    assert {key.partition(":")[0] for key in keys} == {"gcp", project}


def test_the_files_in_the_tree_are_what_the_command_writes() -> None:
    old = [file.name for file, text in written().items() if file.read_text() != text]
    assert old == [], "nearest: aistack schema"


def test_the_command_writes_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {tmp_path / "schema" / "a.json": "{}\n", tmp_path / "page.md": "# Page\n"}
    monkeypatch.setattr("stacks.__main__.PROJECT_FOLDER", tmp_path)
    monkeypatch.setattr("stacks.__main__.written", lambda: files)
    assert main(["schema"]) == 0
    assert {file: file.read_text() for file in files} == files
    assert capsys.readouterr().out == "schema/a.json: written\npage.md: written\n"
