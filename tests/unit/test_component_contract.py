"""What holds for every component, whichever it is."""

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pulumi.provider.experimental.analyzer import Analyzer, PropertyDefinition, is_resource

from catalog.strict_yaml import load_yaml
from components.base.arguments import ArgumentError
from components.base.component import Component
from components.base.tokens import PACKAGE
from components.project.apis import ProjectApis, ProjectApisArgs
from sandbox.cloud.kinds import KINDS
from stacks.config import validate
from tests.conftest import (
    ROOT,
    Recording,
    Register,
    changed,
    recorded,
    stack_config,
)
from tests.parts.claim_samples import CLAIMED
from tests.parts.machine_samples import IRONWOOD, NVLINK
from tests.parts.preset_samples import ON_AUTOPILOT
from tests.parts.samples import AUTOPILOT, KEPT, TPU
from tests.programs import WITH_TOKEN, registered
from tests.unit.job_set_samples import beside_the_stacks
from tests.unit.team_samples import make_teams
from tests.unit.team_stack import LAB

FOLDER = ROOT / "components"
FILES = sorted(FOLDER.rglob("*.py"))
NAMES = {path: path.relative_to(FOLDER).with_suffix("").as_posix() for path in FILES}
# Their first lines say so.
PURE = [path for path in FILES if "Pure." in (ast.get_docstring(ast.parse(path.read_text())) or "")]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _components() -> list[type[Component]]:
    found: list[type[Component]] = []
    for path in FILES:
        module = import_module(module_of(path))
        found += [
            value
            for value in vars(module).values()
            if inspect.isclass(value)
            and issubclass(value, Component)
            and value.__module__ == module.__name__
            and value is not Component
        ]
    return found


COMPONENTS = _components()
IN_CLUSTER = [it for it in COMPONENTS if it.is_in_cluster()]
TOKENS: dict[str, list[str]] = load_yaml((ROOT / "tests/unit/component_tokens.yaml").read_text())
TOKENS_BY_CLASS = {token.rpartition(":")[2]: token for token in TOKENS}


def args_class(component: type[Component]) -> Any:
    return inspect.signature(component.__init__).parameters["args"].annotation


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda it: it.__name__)
def test_a_component_takes_a_name_args_and_options(
    component: type[Component],
) -> None:
    parameters = inspect.signature(component.__init__).parameters
    assert list(parameters) == ["self", "name", "args", "opts"]
    assert parameters["opts"].default is None


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda it: it.__name__)
def test_args_are_frozen_keyword_only_and_named_after_the_component(
    component: type[Component],
) -> None:
    args = args_class(component)
    assert args.__name__ == f"{component.__name__}Args"
    assert args.__dataclass_params__.frozen
    assert all(one.kw_only for one in dataclasses.fields(args))
    assert "dict[str, typing.Any]" not in str(inspect.get_annotations(args))


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda it: it.__name__)
def test_a_schema_can_be_derived_for_other_languages(
    component: type[Component],
) -> None:
    assert _Analyzer(PACKAGE).analyze_component(component).inputs


class _Analyzer(Analyzer):
    """Refers to components of this package, too, and has for resources of any type and for custom
    objects the schema's word for anything: Pulumi's own knows neither (3.272)."""

    def analyze_property(
        self, arg: Any, typ: type, name: str, *, optional: bool | None = None, **how: Any
    ) -> PropertyDefinition:
        if not is_resource(arg) or hasattr(arg, "pulumi_type"):
            return super().analyze_property(arg, typ, name, optional=optional, **how)
        own = TOKENS_BY_CLASS.get(arg.__name__)
        reference = "pulumi.json#/Any" if own is None else f"#/resources/{own}"
        return PropertyDefinition(ref=reference, optional=bool(optional))


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda it: it.__name__)
def test_the_type_token_is_the_listed_one(component: type[Component]) -> None:
    tokens = re.findall(rf'"({PACKAGE}:[^"]*)"', inspect.getsource(component))
    assert tokens == [TOKENS_BY_CLASS[component.__name__]]


def test_a_token_that_was_released_once_is_kept(everything: list[Recording]) -> None:
    """A state may have any of them: `tests/unit/component_tokens.yaml` only grows."""
    aliases: dict[str, set[str]] = {}
    for made in everything:
        for one in made.resources:
            if not one.custom:
                aliases.setdefault(one.type, set()).update(one.alias_types)
    assert aliases == {token: set(former) for token, former in TOKENS.items()}


def test_only_components_name_what_earlier_releases_called_them() -> None:
    """Whoever else looks for a part of such a token finds it in no state of this release."""
    former = {it.partition(":")[2] for names in TOKENS.values() for it in names}
    former -= {it.partition(":")[2] for it in TOKENS}
    folders = ("aistack", "cli", "kube", "recovery", "review", "sandbox", "stacks")
    files = [path for it in folders for path in (ROOT / it).rglob("*.py")]
    words = re.compile("|".join(rf"(?<![\w/]){re.escape(it)}\b" for it in sorted(former)))
    found = {path.name: words.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {name: tokens for name, tokens in found.items() if tokens} == {}


@pytest.mark.parametrize("path", FILES, ids=NAMES.__getitem__)
def test_options_go_to_the_component_alone_and_no_resource_is_made_in_an_apply(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert ".merge(opts" not in text
    for call in ast.walk(ast.parse(text)):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "apply":
            inside = ast.unparse(call)
            assert not re.search(r"\b(gcp|k8s)\.", inside), inside


@pytest.mark.parametrize("path", FILES, ids=NAMES.__getitem__)
def test_constructors_are_short_and_files_hold_one_thing(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            assert function.end_lineno is not None
            assert function.end_lineno - function.lineno < 100
    classes = [c for c in COMPONENTS if c.__module__ == module_of(path)]
    assert len(classes) <= 1


@pytest.mark.parametrize("path", PURE, ids=NAMES.__getitem__)
def test_pure_helpers_import_no_pulumi(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert not any(name.startswith("pulumi") for name in imported)


_ARGS: dict[type[Component], Any] = {}


@pytest.fixture(scope="module")
def everything() -> Iterator[list[Recording]]:
    """Stacks, and what no config makes yet, that together use all components."""
    build = Component.__init__

    def built(self: Component, token: str, name: str, args: Any, opts: Any) -> None:
        _ARGS.setdefault(type(self), args)
        build(self, token, name, args, opts)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Component, "__init__", built)
        yield _everything()


@pytest.fixture(scope="module")
def built_with(everything: list[Recording]) -> dict[type[Component], Any]:
    """Arguments that each component was built with."""
    assert everything
    return _ARGS


def _everything() -> list[Recording]:
    stacks = [
        registered(validate(config, secrets_set=WITH_TOKEN))
        for config in (
            changed(stack_config("b200-lustre"), namespace="rl"),
            stack_config("verl-b200"),
            stack_config("verl-b200-autopilot"),
            changed(
                stack_config("verl-b200"),
                pools__gpu__capacity={"mode": "queued"},
                pools__gpu__autoscaling={"min": 0, "max": 2},
            ),
            stack_config("tpu-multislice"),
            changed(stack_config("tpu-elastic"), **ON_AUTOPILOT),
            stack_config("kueue-mixed"),
            stack_config("gcsfuse-checkpoint"),
            changed(TPU, **IRONWOOD),
            NVLINK,
            KEPT,
            CLAIMED,
            changed(AUTOPILOT, pools__gpu__interfaces="managed"),
            LAB,
        )
    ]
    return [*stacks, recorded(beside_the_stacks), recorded(make_teams)]


def test_programs_use_every_component(everything: list[Recording]) -> None:
    used = {
        it.type.rpartition(":")[2] for made in everything for it in made.resources if not it.custom
    }
    assert used == {component.__name__ for component in COMPONENTS}


def test_every_component_registers_its_outputs_once(everything: list[Recording]) -> None:
    for made in everything:
        components = sorted(it.urn for it in made.resources if not it.custom)
        assert sorted(made.output_registrations) == components


def test_outputs_are_registered_under_the_attributes_names(everything: list[Recording]) -> None:
    declared = {TOKENS_BY_CLASS[it.__name__]: inspect.get_annotations(it) for it in COMPONENTS}
    for made in everything:
        for one in made.resources:
            if not one.custom:
                public = {name for name in declared[one.type] if not name.startswith("_")}
                assert public - {"mount"} <= set(made.outputs[one.urn]), one.name


def test_what_makes_kubernetes_objects_says_so(everything: list[Recording]) -> None:
    for made in everything:
        by_urn = {it.urn: it for it in made.resources}
        for one in made.resources:
            if one.custom and one.type.startswith("kubernetes:"):
                of = by_urn[one.parent].type.rpartition(":")[2]
                assert of in {it.__name__ for it in IN_CLUSTER}, one.name


@pytest.mark.parametrize("component", IN_CLUSTER, ids=lambda it: it.__name__)
def test_without_a_provider_a_component_in_a_cluster_names_the_missing_line(
    component: Any, built_with: dict[type[Component], Any], register: Register
) -> None:
    args = built_with[component]
    line = r"opts=pulumi\.ResourceOptions\(provider=cluster\.kubernetes\)$"
    with pytest.raises(ArgumentError, match=f"^{component.__name__} alone: opts: .*{line}"):
        register(lambda: component("alone", args))


def test_a_component_names_the_apis_of_all_that_it_makes(everything: list[Recording]) -> None:
    classes = {it.__name__: it for it in COMPONENTS}
    for made in everything:
        by_urn = {it.urn: it for it in made.resources}
        for one in made.resources:
            if one.custom and one.type in KINDS and one.parent in by_urn:
                api = KINDS[one.type].api
                component = classes[by_urn[one.parent].type.rpartition(":")[2]]
                if api is not None:
                    assert api.removesuffix(".googleapis.com") in component.required_apis()


def test_what_is_given_apis_waits_for_them_and_names_one_that_is_missing(
    register: Register,
) -> None:
    from components.network.network import ClusterNetwork, ClusterNetworkArgs

    def program(*services: str) -> None:
        apis = ProjectApis("apis", ProjectApisArgs(project="p", services=services))
        network = ClusterNetworkArgs(
            project="p",
            apis=apis,
            region="r",
            base_name="demo",
            mtu=8896,
            subnet_range="10.0.0.0/20",
            pods_range="10.8.0.0/16",
            services_range="10.9.0.0/20",
        )
        ClusterNetwork("network", network)

    made = register(lambda: program("iam.googleapis.com", "compute.googleapis.com", "compute"))
    assert {it.inputs["service"] for it in made.of_type(":Service")} == {
        "compute.googleapis.com",
        "iam.googleapis.com",
    }
    assert "apis-compute" in made.waits_for("network-vpc")
    assert "apis-iam" not in made.waits_for("network-vpc")
    missing = r'^ClusterNetwork network: apis: .*; nearest: "compute" in services of ProjectApis$'
    with pytest.raises(ArgumentError, match=missing):
        register(lambda: program("iam"))


def test_an_api_that_is_not_on_is_named_with_the_nearest(register: Register) -> None:
    def program() -> None:
        apis = ProjectApis("apis", ProjectApisArgs(project="p", services=["iam", "compute"]))
        apis.project_with("computer")

    near = '"computer" is none of iam, compute; nearest: compute, or computer among services$'
    with pytest.raises(ArgumentError, match=f"^ProjectApis apis: services: {near}"):
        register(program)


def test_children_hang_on_their_component_and_carry_its_name(everything: list[Recording]) -> None:
    for made in everything:
        by_urn = {it.urn: it for it in made.resources}
        for one in made.resources:
            if one.type == "pulumi:providers:gcp":
                continue
            if one.custom:
                parent = by_urn[one.parent]
                assert not parent.custom, f"{one.name} hangs on {parent.name}"
                assert one.name.startswith(f"{parent.name}-")
            else:
                assert one.parent not in by_urn


def test_two_of_a_component_never_have_a_urn_in_common(register: Register) -> None:
    from components.network.network import ClusterNetwork, ClusterNetworkArgs
    from components.pools.node_service_account import NodeServiceAccount, NodeServiceAccountArgs

    def program() -> None:
        for name in ("one", "two"):
            ClusterNetwork(
                f"{name}-network",
                ClusterNetworkArgs(
                    project="p",
                    region="r",
                    base_name=name,
                    mtu=8896,
                    subnet_range="10.0.0.0/20",
                    pods_range="10.8.0.0/16",
                    services_range="10.9.0.0/20",
                ),
            )
            NodeServiceAccount(
                f"{name}-nodes",
                NodeServiceAccountArgs(project="p", base_name=name, pool="cpu"),
            )

    urns = [it.urn for it in register(program).resources]
    assert len(urns) == len(set(urns))


def test_every_resource_has_a_urn_of_its_own(everything: list[Recording]) -> None:
    for made in everything:
        urns = [it.urn for it in made.resources]
        assert len(urns) == len(set(urns))
