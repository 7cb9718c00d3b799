"""Who may import whom: what a stack is and what is wrong with it is known without a cloud SDK, and
nothing below knows what is above it.

Imports within functions are not looked at.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests.conftest import ROOT

WITHOUT_SDK = [
    *(ROOT / "stacks" / f"{it}.py" for it in ("stack", "plan", "checks", "problems", "config")),
    *(
        path
        for path in sorted((ROOT / "stacks" / "parts").rglob("*.py"))
        if not path.stem.endswith("build") and path.stem != "interfaces"
    ),
]
# The modules of ours that a preview of the smallest stack loads, all that it is read in: 60 are
# aimed at.
MOST_LOADED = 165
_LOADED = """
import sys
from stacks.build import build
from stacks.config import validate
from tests.conftest import recorded
from tests.parts.samples import DEV
plan = validate(DEV)
recorded(lambda: build(plan, {}), stack="dev")
ours = ("stacks", "components", "catalog")
print(len([it for it in sys.modules if it.split(".")[0] in ours]))
"""

_IN_MEMORY = "sandbox.memory_kube"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    module_of(path): path
    for folder in ("aistack", "catalog", "components", "recovery", "review", "sandbox", "stacks")
    for path in sorted((ROOT / folder).rglob("*.py"))
}


@cache
def imports(name: str) -> frozenset[str]:
    """What a module imports when it is loaded, or to be typed."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(MODULES[name].read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else str(node.module))
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)
    return frozenset(found)


def reached(start: str) -> set[str]:
    """Every module of ours that one imports, near and far."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        new = imports(todo.pop()) & MODULES.keys() - seen
        seen |= new
        todo += new
    return seen


def test_no_cloud_sdk_is_loaded_to_check_a_stack() -> None:
    modules = ", ".join(module_of(it) for it in WITHOUT_SDK)
    code = (
        f"import sys, {modules}\n"
        "from tests.parts.samples import SAMPLES\n"
        "from stacks.config import validate\n"
        "for it in SAMPLES.values(): validate(it, secrets_set=frozenset({'hugging_face_token'}))\n"
        "print([it for it in sys.modules if it.startswith('pulumi')])"
    )
    assert output_of(code) == "[]"


def test_a_preview_of_the_smallest_stack_loads_no_more_than_it_did() -> None:
    loaded = int(output_of(_LOADED))
    print(f"{loaded} modules of ours are loaded; 60 are aimed at")
    assert loaded <= MOST_LOADED


def test_nothing_below_knows_the_stacks() -> None:
    above = {
        name: found
        for name in MODULES
        if name.startswith(("catalog", "components"))
        and (found := {it for it in imports(name) if it.split(".")[0] == "stacks"})
    }
    assert not above


def test_nobody_knows_the_command_line() -> None:
    others = [name for name in MODULES if not name.startswith("aistack")]
    assert not {far for name in others for far in imports(name) if far.startswith("aistack")}


def test_the_catalog_knows_no_components() -> None:
    names = [it for it in MODULES if it.startswith("catalog")]
    assert not {it for name in names for it in imports(name) if it.startswith("components")}


def test_no_modules_import_each_other() -> None:
    near = {name: reached(name) for name in MODULES}
    circles = [
        sorted(it for it in near[name] if name in near[it])
        for name in MODULES
        if name in near[name]
    ]
    assert circles == []


def test_the_simulated_cloud_knows_no_process_and_no_disk() -> None:
    """Of Kubernetes it knows words; which cluster has which API server is known above it."""
    names = [it for it in MODULES if it.startswith("sandbox.cloud.")]
    found = {far for name in names for far in reached(name) if far.startswith("sandbox.")}
    assert names
    assert {it.split(".")[1] for it in found} <= {"cloud", "errors", "faults", "kube"}
    assert not {it for name in names for it in imports(name) & {"os", "shutil", "subprocess"}}


def test_only_who_chooses_between_the_modes_knows_the_one_in_memory() -> None:
    knows = {name for name in MODULES for it in imports(name) if it.startswith(_IN_MEMORY)}
    outside = {it for it in knows if not it.startswith(_IN_MEMORY)}
    assert outside == {"sandbox.clusters", "sandbox.providers.kubernetes"}


def output_of(code: str) -> str:
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return found.stdout.strip()
