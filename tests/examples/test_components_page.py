"""docs/components.md: its tables are the code's, and its programs run."""

from __future__ import annotations

import pytest

from tests.examples.runs import Run
from tools.components_page import arguments, gives, main, makes, needs, public_components

COMPONENTS = public_components()


def test_the_page_has_the_tables_of_the_code() -> None:
    assert main(["--check"]) == 0, "run: make inventory"


def test_a_component_makes_what_programs_register_below_it(run: Run) -> None:
    seen = set[str]()
    for made in run.programs.values():
        for it in made:
            component = it.parent.rpartition("::")[0].rpartition("gke-ai:index:")[2]
            if it.custom and component and not it.type.startswith("pulumi:providers:"):
                sdk = "gcp" if it.type.startswith("gcp:") else "k8s"
                kinds = [one.rpartition(".")[2] for one in makes(COMPONENTS[component])[sdk]]
                assert it.type.rpartition(":")[2].lower() in [one.lower() for one in kinds]
                seen.add(component)
    assert len(seen) > len(COMPONENTS) / 2


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_needs_gives_and_makes_something(name: str) -> None:
    component = COMPONENTS[name]
    required, _ = arguments(component)
    assert required
    assert gives(component)
    assert makes(component)


def test_outputs_are_named_whether_they_are_annotated_or_assigned() -> None:
    assert {"kubeconfig", "kubernetes", "reached"} <= {*gives(COMPONENTS["GkeCluster"])}
    assert {"plain_names", "subnetwork_names"} <= {*gives(COMPONENTS["RdmaNetwork"])}
    assert gives(COMPONENTS["ProjectApis"]) == ["services", "project_with()", "full_name()"]


def test_what_a_component_needs_is_what_its_class_says() -> None:
    assert needs(COMPONENTS["LustreInstance"]) == "APIs `lustre`, `compute`"
    assert needs(COMPONENTS["LustreVolume"]) == "the cluster's provider"
    assert needs(COMPONENTS["ProjectApis"]) == ""


def test_the_programs_of_the_page_run(run: Run) -> None:
    pages = [name for name in run.programs if name.startswith("page-")]
    together, beside = (
        {it.type.rpartition(":")[2] for it in run.programs[name] if not it.custom}
        for name in sorted(pages)
    )
    assert {"ClusterNetwork", "GkeCluster", "KubeServiceAccount"} < together
    assert {"NodePool", "KubeServiceAccount"} < beside
    for name in pages:
        (account,) = run.of_type(name, ":ServiceAccount")
        assert "pulumi:providers:kubernetes::" in account.provider
