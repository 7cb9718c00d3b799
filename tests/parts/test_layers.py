"""Who may import whom: what a stack is and what is wrong with it is known without a cloud SDK, and
nothing below knows what is above it. Imports within functions count.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

# What a config is checked by; `stacks.parts.registry` has the rules of all parts.
WITHOUT_SDK = ("stacks.config", "stacks.checks", "stacks.plan", "stacks.parts.registry")

_IN_MEMORY = "sandbox.memory_kube"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    module_of(path): path
    for folder in (
        "aistack",
        "catalog",
        "cli",
        "components",
        "kube",
        "recovery",
        "review",
        "sandbox",
        "stacks",
    )
    for path in sorted((ROOT / folder).rglob("*.py"))
}


def absolute(importer: str, node: ast.ImportFrom) -> str:
    """The module that a statement of a module's imports from."""
    if not node.level:
        return str(node.module)
    inside = MODULES[importer].name == "__init__.py"
    package = importer.split(".")
    package = package[: len(package) - node.level + inside]
    return ".".join((*package, *filter(None, [node.module])))


@cache
def imports(name: str) -> frozenset[str]:
    """What a module imports, within its functions, too."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(MODULES[name].read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = absolute(name, node)
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                found.add(whole if whole in MODULES else module)
        else:
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
    code = (
        f"import sys, {', '.join(WITHOUT_SDK)}\n"
        "from tests.parts.samples import SAMPLES\n"
        "from stacks.config import validate\n"
        "for it in SAMPLES.values(): validate(it, secrets_set=frozenset({'hugging_face_token'}))\n"
        "print([it for it in sys.modules if it.startswith('pulumi')])"
    )
    assert output_of(code) == "[]"


# A command that is no part of what its package gives to others, and what else it may import.
COMMANDS = {
    "recovery.__main__": {"cli"},
    "recovery.pulumi_stack": {"cli"},
    "stacks.__main__": {"cli"},
}
# By package, those that it may import besides itself.
BELOW = {
    "catalog": (),
    "components": ("catalog",),
    "recovery": (),
    "stacks": ("catalog", "components", "recovery"),
    "kube": ("catalog", "components"),
    "cli": ("catalog", "stacks"),
    "sandbox": ("catalog", "cli", "components", "kube", "recovery", "review", "stacks"),
    "review": ("catalog", "cli", "components", "kube", "sandbox", "stacks"),
    "aistack": ("catalog", "cli", "components", "kube", "recovery", "review", "sandbox", "stacks"),
}


@pytest.mark.parametrize("package", BELOW)
def test_a_package_knows_only_those_below_it(package: str) -> None:
    ours = {it.split(".")[0] for it in MODULES}
    found = {
        f"{name} imports {far}"
        for name in MODULES
        if name.split(".")[0] == package
        for far in imports(name)
        if far.split(".")[0] in ours - {package, *BELOW[package]} - COMMANDS.get(name, set())
    }
    assert found == set()


def test_a_state_is_put_in_order_without_packages() -> None:
    code = (
        "import sys; before = {*sys.modules}; import recovery.__main__\n"
        "print({it.partition('.')[0] for it in {*sys.modules} - before})"
    )
    ours = {it.split(".")[0] for it in MODULES}
    assert ast.literal_eval(output_of(code)) - ours <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("package", "module"),
    [("aistack", "aistack.sandbox_stack"), ("review", "review.sandbox_engine")],
)
def test_one_module_knows_the_sandbox(package: str, module: str) -> None:
    knows = {
        name
        for name in MODULES
        if name.split(".")[0] == package
        for far in imports(name)
        if far.split(".")[0] == "sandbox"
    }
    assert knows == {module}


_OF_STACKS = "sandbox.of_stacks."
# The others that know them: who begins a stack's run, and words that both say.
OF_STACKS = {
    "__main__",
    "demo",
    "errors",
    "existing",
    "plan",
    "providers.kubernetes",
    "providers.operations",
    "removal",
    "report",
    "run",
    "secrets",
    "workspace",
}


def test_the_rest_of_the_sandbox_knows_no_stacks() -> None:
    knows = {
        name
        for name in MODULES
        if name.startswith("sandbox.")
        and any(far.split(".")[0] == "stacks" for far in imports(name))
    }
    assert {it for it in knows if not it.startswith(_OF_STACKS)} == {
        f"sandbox.{it}" for it in OF_STACKS
    }


# They run by the Python of somebody's program or tests, beside modules of the names of ours.
ALONE = ("own_program.run_program", "own_program.language_host", "pytest_plugin")


@pytest.mark.parametrize("name", ALONE)
def test_what_runs_beside_a_program_imports_nothing_of_ours(name: str) -> None:
    ours = {it.split(".")[0] for it in MODULES}
    assert not {it for it in imports(f"sandbox.{name}") if it.split(".")[0] in ours}


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
    assert {it.split(".")[1] for it in found} <= {"cloud", "errors", "faults"}
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
