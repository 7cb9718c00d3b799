"""What is installed for Kueue and KubeRay beside a real control plane."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cryptography.x509 import load_pem_x509_certificate

from catalog import Catalog
from cli.errors import UserError
from kube.objects import JsonObject, dig, name_of
from sandbox.live_kube.operators import (
    kueue_configuration,
    kueue_objects,
    ray_objects,
    release_configuration,
    webhook_authority,
)
from sandbox.live_kube.operators.kustomization import customized

URL = "https://127.0.0.1:9443"
BUNDLE = "Q0E="
ELSEWHERE = {
    "matchExpressions": [
        {
            "key": "kubernetes.io/metadata.name",
            "operator": "NotIn",
            "values": ["kube-system", "kueue-system"],
        }
    ]
}
SERVICE = {"name": "webhook-service", "namespace": "system"}
ROOT = Path(__file__).resolve().parents[2]


def write(file: Path, *objects: JsonObject) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(yaml.safe_dump_all(objects))


def definition(plural: str) -> JsonObject:
    metadata = {"name": f"{plural}.kueue.x-k8s.io", "annotations": {"made-by": "a generator"}}
    return {"kind": "CustomResourceDefinition", "metadata": metadata, "spec": {"scope": "Cluster"}}


def hook(group: str, plural: str) -> JsonObject:
    path = f"/mutate-{group or 'core'}-{plural}"
    return {
        "name": f"m{plural}.kb.io",
        "clientConfig": {"service": {**SERVICE, "path": path}},
        "failurePolicy": "Fail",
        "rules": [{"apiGroups": [group], "resources": [plural]}],
    }


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    crd, rbac = tmp_path / "kueue" / "crd", tmp_path / "kueue" / "rbac"
    patches = [{"path": "patches/queues.yaml"}]
    write(
        crd / "kustomization.yaml",
        {"resources": ["queues.yaml", "flavors.yaml"], "patches": patches},
    )
    write(crd / "queues.yaml", definition("clusterqueues"))
    write(crd / "flavors.yaml", definition("resourceflavors"))
    client = {"service": {**SERVICE, "path": "/convert"}}
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": client}}
    patched = {"spec": {"conversion": conversion}}
    write(crd / "patches" / "queues.yaml", {**definition("clusterqueues"), **patched})
    write(rbac / "kustomization.yaml", {"resources": ["account.yaml", "role.yaml", "binding.yaml"]})
    account = {"kind": "ServiceAccount", "name": "controller-manager", "namespace": "system"}
    write(rbac / "account.yaml", {"kind": "ServiceAccount", "metadata": {"name": account["name"]}})
    rules = [
        {"resourceNames": ["mutating-webhook-configuration"]},
        {"resourceNames": ["clusterqueues.kueue.x-k8s.io"]},
        {"verbs": ["list"]},
    ]
    role = {"metadata": {"name": "manager-role"}, "rules": rules}
    write(rbac / "role.yaml", {"kind": "ClusterRole", **role}, {"kind": "Role", **role})
    reference = {"roleRef": {"kind": "ClusterRole", "name": "manager-role"}, "subjects": [account]}
    binding = {"kind": "ClusterRoleBinding", "metadata": {"name": "manager-rolebinding"}}
    write(rbac / "binding.yaml", {**binding, **reference})
    hooks = [hook("", "pods"), hook("apps", "deployments"), hook("kueue.x-k8s.io", "clusterqueues")]
    configuration = {"metadata": {"name": "mutating-webhook-configuration"}, "webhooks": hooks}
    kind = {"kind": "MutatingWebhookConfiguration"}
    write(tmp_path / "kueue" / "webhook" / "manifests.yaml", {**kind, **configuration})
    return tmp_path


def release(name: str = "kueue", **config: Any) -> JsonObject:
    integrations = {"integrations": {"frameworks": ["batch/job", "pod"]}}
    text = yaml.safe_dump({"kind": "Configuration", **integrations, **config})
    values = {"managerConfig": {"controllerManagerConfigYaml": text}}
    spec = {"chart": "kueue", "version": "0.19.2", "values": values}
    return {"metadata": {"name": name, "namespace": "kueue-system"}, "spec": spec}


def installed(manifests: Path, **config: Any) -> dict[str, JsonObject]:
    objects = kueue_objects(manifests, release(**config), URL, BUNDLE)
    return {f"{each['kind']} {name_of(each)}": each for each in objects}


def hooks_of(manifests: Path, **config: Any) -> dict[str, JsonObject]:
    found = installed(manifests, **config)
    webhooks = found["MutatingWebhookConfiguration kueue-mutating-webhook-configuration"]
    return {each["name"]: each for each in webhooks["webhooks"]}


def test_kinds_are_made_before_the_account_and_webhooks_last(manifests: Path) -> None:
    assert [name.split()[0] for name in installed(manifests)] == [
        "CustomResourceDefinition",
        "CustomResourceDefinition",
        "ServiceAccount",
        "ClusterRole",
        "Role",
        "ClusterRoleBinding",
        "MutatingWebhookConfiguration",
    ]


def test_a_patched_kind_is_converted_by_url_and_keeps_the_rest(manifests: Path) -> None:
    found = installed(manifests)["CustomResourceDefinition clusterqueues.kueue.x-k8s.io"]
    assert found["spec"]["scope"] == "Cluster"
    assert found["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"url": f"{URL}/convert", "caBundle": BUNDLE}},
    }


def test_a_kind_without_a_patch_is_as_it_was(manifests: Path) -> None:
    found = installed(manifests)["CustomResourceDefinition resourceflavors.kueue.x-k8s.io"]
    assert found == definition("resourceflavors")


def test_names_have_the_release_before_them_wherever_they_are_spoken_of(manifests: Path) -> None:
    found = installed(manifests)
    binding = found["ClusterRoleBinding kueue-manager-rolebinding"]
    assert binding["roleRef"]["name"] == "kueue-manager-role"
    (subject,) = binding["subjects"]
    assert subject["name"] == "kueue-controller-manager"
    assert subject["namespace"] == "kueue-system"
    rules = found["ClusterRole kueue-manager-role"]["rules"]
    assert [rule.get("resourceNames") for rule in rules] == [
        ["kueue-mutating-webhook-configuration"],
        ["clusterqueues.kueue.x-k8s.io"],
        None,
    ]


def test_only_what_lives_in_a_namespace_is_put_in_one(manifests: Path) -> None:
    found = installed(manifests)
    assert (
        found["ServiceAccount kueue-controller-manager"]["metadata"]["namespace"] == "kueue-system"
    )
    assert found["Role kueue-manager-role"]["metadata"]["namespace"] == "kueue-system"
    assert "namespace" not in found["ClusterRole kueue-manager-role"]["metadata"]


def test_a_release_of_another_name_calls_everything_after_itself(manifests: Path) -> None:
    objects = kueue_objects(manifests, release("queues"), URL, BUNDLE)
    accounts = [name_of(each) for each in objects if each["kind"] == "ServiceAccount"]
    assert accounts == ["queues-kueue-controller-manager"]


def test_webhooks_are_called_by_url(manifests: Path) -> None:
    client = hooks_of(manifests)["mpods.kb.io"]["clientConfig"]
    assert client == {"url": f"{URL}/mutate-core-pods", "caBundle": BUNDLE}


def test_system_namespaces_are_left_alone_but_for_kueues_own_kinds(manifests: Path) -> None:
    hooks = hooks_of(manifests)
    assert hooks["mpods.kb.io"]["namespaceSelector"] == ELSEWHERE
    assert hooks["mdeployments.kb.io"]["namespaceSelector"] == ELSEWHERE
    assert "namespaceSelector" not in hooks["mclusterqueues.kb.io"]


def test_the_managed_namespaces_of_the_configuration_are_those_of_the_webhooks(
    manifests: Path,
) -> None:
    chosen = {"matchLabels": {"team": "research"}}
    hooks = hooks_of(manifests, managedJobsNamespaceSelector=chosen)
    assert hooks["mpods.kb.io"]["namespaceSelector"] == chosen


def test_only_kinds_that_kueue_takes_care_of_wait_for_its_manager(manifests: Path) -> None:
    policies = {name: each["failurePolicy"] for name, each in hooks_of(manifests).items()}
    assert policies == {
        "mpods.kb.io": "Fail",
        "mdeployments.kb.io": "Ignore",
        "mclusterqueues.kb.io": "Fail",
    }


def test_manifests_that_were_never_built_say_what_builds_them(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="make kube-tools"):
        customized(tmp_path / "kueue" / "crd")


def test_kueue_trusts_the_webhooks_authority_behind_one_that_it_can_sign_with() -> None:
    secret = webhook_authority(release(), base64.b64encode(b"the real one").decode())
    assert name_of(secret) == "kueue-webhook-server-cert"
    data = {name: base64.b64decode(text) for name, text in secret["data"].items()}
    first, _, real = data["ca.crt"].rpartition(b"-----END CERTIFICATE-----\n")
    own = load_pem_x509_certificate(first + b"-----END CERTIFICATE-----\n")
    key = load_pem_private_key(data["ca.key"], None)
    assert real == b"the real one"
    assert own.public_key() == key.public_key()
    own.verify_directly_issued_by(own)
    assert data["ca.key"].startswith(b"-----BEGIN RSA " + b"PRIVATE KEY-----")


def configured(**config: Any) -> JsonObject:
    return kueue_configuration(
        config, webhook_port=1, certificates=Path("certificates"), health_port=2, metrics_port=3
    )


def test_the_manager_listens_on_loopback_only() -> None:
    config = configured(
        pprofBindAddress=":8083",
        health={"healthProbeBindAddress": ":8081", "readinessEndpointName": "ready"},
        metrics={"bindAddress": ":8443", "enableClusterQueueResources": True},
        webhook={"port": 9443},
    )
    assert config["health"] == {
        "healthProbeBindAddress": "127.0.0.1:2",
        "readinessEndpointName": "ready",
    }
    assert config["metrics"] == {"bindAddress": "127.0.0.1:3", "enableClusterQueueResources": True}
    assert config["webhook"] == {"host": "127.0.0.1", "port": 1, "certDir": "certificates"}
    assert config["featureGates"] == {"VisibilityOnDemand": False}
    assert "pprofBindAddress" not in config


def test_the_manager_is_alone_and_keeps_what_else_it_was_given() -> None:
    config = configured(
        leaderElection={"leaderElect": True, "resourceName": "kueue"},
        clientConnection={"qps": 50},
        featureGates={"PartialAdmission": False},
    )
    assert config["leaderElection"] == {"leaderElect": False, "resourceName": "kueue"}
    assert config["clientConnection"] == {"qps": 50}
    assert config["featureGates"]["PartialAdmission"] is False


def test_a_release_gives_its_manager_the_names_of_its_objects() -> None:
    config = release_configuration(release("queues"))
    assert config["namespace"] == "kueue-system"
    assert config["integrations"] == {"frameworks": ["batch/job", "pod"]}
    assert config["internalCertManagement"] == {
        "enable": True,
        "webhookServiceName": "queues-kueue-webhook-service",
        "webhookSecretName": "queues-kueue-webhook-server-cert",
    }


def test_the_ray_operator_acts_as_an_account_of_its_namespace(tmp_path: Path) -> None:
    crd, rbac = tmp_path / "kuberay" / "crd", tmp_path / "kuberay" / "rbac"
    write(crd / "kustomization.yaml", {"resources": ["clusters.yaml"]})
    write(crd / "clusters.yaml", {"kind": "CustomResourceDefinition", "metadata": {"name": "r"}})
    write(rbac / "kustomization.yaml", {"resources": ["binding.yaml"]})
    subjects = [{"kind": "ServiceAccount", "name": "kuberay-operator"}]
    binding = {"kind": "RoleBinding", "metadata": {"name": "b"}, "roleRef": {"name": "r"}}
    write(rbac / "binding.yaml", {**binding, "subjects": subjects})
    kind, bound = ray_objects(tmp_path, "ray")
    assert kind["kind"] == "CustomResourceDefinition"
    assert bound["metadata"] == {"name": "b", "namespace": "ray"}
    assert bound["roleRef"] == {"name": "r"}
    assert dig(bound["subjects"][0], "namespace") == "ray"


@pytest.mark.parametrize(
    ("component", "module"),
    [
        ("kubernetes", "k8s.io/kubernetes"),
        ("kueue", "sigs.k8s.io/kueue"),
        ("kuberay", "github.com/ray-project/kuberay/ray-operator"),
        ("jobset", "sigs.k8s.io/jobset"),
    ],
)
def test_the_programs_built_are_of_the_versions_that_the_lock_has(
    component: str, module: str
) -> None:
    text = (ROOT / "tools" / "kube" / component / "go.mod").read_text()
    assert re.findall(rf"^\t?(?:require )?{module} v(\S+)", text, re.M) == [
        Catalog.load().component(component).version
    ]
