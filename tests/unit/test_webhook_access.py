"""The firewall rule for webhooks, as registered; that calls get through is for a network."""

import yaml

from components.cluster.webhook_access import WebhookAccess, WebhookAccessArgs
from tests.conftest import Recording, Register
from tests.unit.stack_graphs import built

ARGS = WebhookAccessArgs(
    project="p",
    network_id="projects/p/global/networks/demo-net",
    base_name="demo",
    key="kueue",
    control_plane_range="10.10.1.0/28",
    ports=[9443],
)
TOKEN = ("hugging_face_token",)


def made(register: Register) -> Recording:
    return register(lambda: WebhookAccess("access", ARGS))


def test_it_is_a_rule_of_the_nodes_network_that_can_be_made_again(register: Register) -> None:
    rule = made(register).named("access-rule")
    assert rule.inputs["network"] == "projects/p/global/networks/demo-net"
    assert rule.inputs["name"] == "demo-kueue-webhook"
    assert rule.delete_before_replace


def test_its_output_is_the_rules_name(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("access").urn] == {"rule_name": "demo-kueue-webhook"}


def test_kueue_is_installed_once_the_port_that_it_listens_on_is_open(register: Register) -> None:
    stack = built(register, "kueue-mixed", keys=TOKEN)
    rule = stack.named("kueue-webhook-rule").inputs
    values = stack.named("kueue-release").inputs["values"]
    text = values["managerConfig"]["controllerManagerConfigYaml"]
    assert rule["allows"][0]["ports"] == [str(yaml.safe_load(text)["webhook"]["port"])]
    plane = stack.one(":Cluster").inputs["privateClusterConfig"]["masterIpv4CidrBlock"]
    assert rule["sourceRanges"] == [plane]
    assert rule["network"] == stack.one(":Cluster").inputs["network"]
    assert "kueue-webhook-rule" in stack.waits_for("kueue-release")


def test_kueues_webhook_leaves_gkes_own_pods_alone(register: Register) -> None:
    values = built(register, "kueue-mixed", keys=TOKEN).named("kueue-release").inputs["values"]
    text = values["managerConfig"]["controllerManagerConfigYaml"]
    (expression,) = yaml.safe_load(text)["managedJobsNamespaceSelector"]["matchExpressions"]
    assert expression["operator"] == "NotIn"
    own = {"kube-system", "gmp-system", "gke-managed-system", "gke-managed-cim", "kueue-system"}
    assert own <= set(expression["values"])
    assert "llm" not in expression["values"]


def test_a_stack_without_kueue_has_no_such_rule(register: Register) -> None:
    stack = built(register, "b200-lustre", keys=TOKEN)
    assert not [it for it in stack.resources if it.name == "kueue-webhook-rule"]
