"""Enabled APIs, as registered."""

from components.apis import ProjectApis, ProjectApisArgs
from tests.conftest import Register


def test_each_api_is_one_resource_and_stays_on_when_the_stack_goes(register: Register) -> None:
    made = register(
        lambda: ProjectApis("apis", ProjectApisArgs(project="p", services=["compute", "container"]))
    )
    assert made.children("apis") == {"apis-compute", "apis-container"}
    for api in made.of_type(":Service"):
        assert api.inputs["disableOnDestroy"] is False
        assert api.inputs["project"] == "p"
    assert made.named("apis-compute").inputs["service"] == "compute.googleapis.com"
