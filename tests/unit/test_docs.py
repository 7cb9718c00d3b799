"""The docs against the code: keys, outputs, headings, images and verbs that pages name.

That files which they name are there is seen to by `tools/check.py`.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pulumi
import pytest
from pydantic import BaseModel

from cli.project import stack_names
from stacks.build import build
from stacks.config import validate
from stacks.parts.pools.config import Capacity
from stacks.schema import stack_schema
from stacks.schema_tables import takes_by_path
from stacks.tokens import SECRETS
from tests.conftest import ROOT, TOKEN, Register, stack_config
from tests.pages.blocks import PAGES
from tests.programs import WITH_TOKEN

README = PAGES["README.md"]
SANDBOX_PAGE = PAGES["docs/sandbox.md"]
KEYS_PAGE = PAGES["docs/keys.md"]
OUTPUTS_PAGE = PAGES["docs/outputs.md"]
CAPACITY_PAGE = PAGES["docs/get-capacity.md"]
CHANGES_PAGE = PAGES["docs/change-a-running-stack.md"]
PLACES = ("gcp:project", "gcp:region", "gcp:zone")
# Every key of a stack, in its steps; NAME stands for one of the user's.
KEYS = [
    [*path.split("."), *(["NAME"] if takes == "text by name" else [])]
    for path, takes in takes_by_path(stack_schema()).items()
]
PARTS = frozenset(key[0] for key in KEYS)
# What keys were called before.
BEFORE = frozenset({"bucket", "fine_tune", "job", "kueue", "server", "tpu"})
# Pages that name keys of other projects, or keys that went.
OF_OTHERS = ("docs/compared.md", "CHANGELOG.md")
_PATH = r"[a-z_]+(?:\.[\w-]+)+"


def _is_key(path: str) -> bool:
    """Whether a path leads to a key, or to a block that has some."""
    asked = path.split(".")
    return any(
        all(theirs in (ours, "NAME") for ours, theirs in zip(asked, known, strict=False))
        for known in KEYS
        if len(asked) <= len(known)
    )


def _named_keys(page: str) -> Iterator[str]:
    """Paths of keys in code, in `--set` and in `pulumi config set --path`."""
    for found in re.finditer(rf"`({_PATH})`|\bstack\.({_PATH})|--set ({_PATH})=", page):
        path = next(it for it in found.groups() if it)
        if path.partition(".")[0] in PARTS | BEFORE:
            yield path


def _section(page: str, heading: str) -> str:
    return page.split(f"## {heading}\n")[1].split("\n## ")[0]


def _without(page: str, heading: str) -> str:
    return page.replace(_section(page, heading), "") if f"## {heading}\n" in page else page


def _rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the tables of one section, without their header."""
    lines = [line for line in _section(page, heading).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _written(page: str, heading: str) -> dict[str, str]:
    """The first two cells of each row. A key that stands twice is an error."""
    rows = [(row[0].strip("`"), row[1]) for row in _rows(page, heading)]
    found = dict(rows)
    assert len(found) == len(rows)
    return found


def _headings(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^(```+).*?^\1\s*$", "", page, flags=re.S | re.M)
    found = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", it.lower()).replace(" ", "-") for it in found}


def test_every_preset_stands_in_the_readme_with_a_page() -> None:
    rows = re.findall(r"^\| \[([\w-]+)\]\((docs/\S+?)\)", README, re.M)
    assert sorted(name for name, _ in rows) == sorted(stack_names())
    for name, link in rows:
        assert f"Pulumi.{name}.yaml" in PAGES[link.partition("#")[0]]


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(name: str) -> None:
    here, broken = ROOT / name, list[str]()
    for link in re.findall(r"\]\(([^)\s]+)\)", PAGES[name]):
        if link.startswith("https:"):
            continue
        file, _, heading = link.partition("#")
        target = (here.parent / file).resolve() if file else here
        known = target.exists()
        if known and heading:
            known = heading in _headings(target.read_text(encoding="utf-8"))
        broken += [] if known else [link]
    assert broken == []


def test_a_reader_gets_to_every_page_from_the_index_or_the_readme() -> None:
    linked = {
        (ROOT / start).parent.joinpath(link.partition("#")[0]).resolve()
        for start in ("README.md", "docs/README.md")
        for link in re.findall(r"\]\(([^)\s]+)\)", PAGES[start])
    }
    pages = [it for it in PAGES if it.startswith("docs/") and not it.startswith("docs/adr/")]
    assert [it for it in pages if ROOT / it not in linked] == []


@pytest.mark.parametrize("name", [it for it in PAGES if it not in OF_OTHERS])
def test_every_key_that_a_page_names_is_one_of_a_stack(name: str) -> None:
    page = _without(PAGES[name], "From a config with a kind")
    assert [it for it in _named_keys(page) if not _is_key(it)] == []


def test_keys_that_are_none_would_be_found() -> None:
    page = "`pools.gpu.nods` --set job.epochs=1 stack.ray.mine.worker.gpus `pools.gpu.nodes`"
    unknown = [it for it in _named_keys(page) if not _is_key(it)]
    assert unknown == ["pools.gpu.nods", "job.epochs", "ray.mine.worker.gpus"]


def test_what_each_key_is_called_now_is_a_key() -> None:
    rows = _rows(CHANGES_PAGE, "From a config with a kind")
    now = [it for row in rows for it in re.findall(rf"`({_PATH})`", row[1])]
    assert len(now) > 10
    assert [it for it in now if not _is_key(it)] == []


def test_types_of_jobs_stand_beside_the_kinds_that_they_come_from() -> None:
    rows = _rows(CHANGES_PAGE, "From a config with a kind")
    types = {
        row[1].strip("`") for row in rows if row[0].strip("`").endswith(("-training", "serve"))
    }
    assert len(types) == 5
    headings = _headings(KEYS_PAGE)
    assert [it for it in types if f"jobs-type-{it}" not in headings] == []


def test_places_and_secrets_stand_in_the_page_of_keys() -> None:
    places = dict.fromkeys(PLACES, "required")
    assert _written(KEYS_PAGE, "Places and secrets") == {
        **places,
        **dict.fromkeys(SECRETS, "none"),
    }


def test_every_way_to_have_machines_stands_in_its_page() -> None:
    ways = [it.model_fields["mode"].annotation for it in _models_in(Capacity)]
    assert {get_args(it)[0] for it in ways} == _written(
        CAPACITY_PAGE, "Ways to have machines"
    ).keys()


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def test_every_output_stands_in_their_page(register: Register) -> None:
    lab = stack_config("lab")
    key = f"projects/my-keys/locations/{lab['region']}/keyRings/ring/cryptoKeys/key"
    plan = validate({**lab, "cmek": key}, secrets_set=WITH_TOKEN)
    outputs = dict[str, Any]()

    def program() -> None:
        secrets = {"hugging_face_token": pulumi.Output.secret(TOKEN)}
        outputs.update(build(plan, secrets, ROOT))

    register(program)
    assert _written(OUTPUTS_PAGE, "All of them").keys() == outputs.keys()


def test_no_page_has_its_reader_run_a_text_that_the_state_has() -> None:
    """Who may write the state chooses what `pulumi stack output NAME_command` prints."""
    named = {
        (name, command)
        for name, page in PAGES.items()
        for command in re.findall(r"stack\s+output\s+(?:-\S+\s+)*(\w+_command)", page)
    }
    assert named == set()
    assert [it for it, page in PAGES.items() if "kubeconfig_command" in page] == ["docs/outputs.md"]
    said = " ".join(_section(OUTPUTS_PAGE, "All of them").split())
    assert "read a command among them before you run it" in said


def test_every_verb_and_option_of_the_sandbox_stands_in_its_page() -> None:
    import sandbox.__main__ as command

    verbs = {row[0].strip("`") for row in _rows(SANDBOX_PAGE, "Verbs")}
    registered = [*command.app.registered_commands, *command.app.registered_groups]
    known = {it.name or getattr(it.callback, "__name__", "") for it in registered}
    assert verbs == known
    source = (ROOT / "sandbox" / "__main__.py").read_text()
    options = {row[0].strip("`").split()[0] for row in _rows(SANDBOX_PAGE, "Options")}
    assert set(re.findall(r'"(--[a-z]+)"', source)) <= options
