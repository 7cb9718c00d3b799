"""What is installed for JobSet beside a real control plane."""

from __future__ import annotations

from pathlib import Path

import pytest

from kube.objects import JsonObject, name_of
from sandbox.live_kube.operators import job_set_configuration, job_set_objects
from tests.unit.test_operator_manifests import BUNDLE, URL, hook, write


@pytest.fixture
def job_sets(tmp_path: Path) -> dict[str, JsonObject]:
    """What JobSet's manifests bring into the namespace `jobs`, by kind and name."""
    folder = tmp_path / "jobset"
    kind = {"kind": "CustomResourceDefinition", "metadata": {"name": "jobsets.jobset.x-k8s.io"}}
    write(folder / "crds" / "jobset.x-k8s.io_jobsets.yaml", kind)
    hooks = [hook("jobset.x-k8s.io", "jobsets"), hook("", "pods")]
    configuration = {"metadata": {"name": "mutating-webhook-configuration"}, "webhooks": hooks}
    kind = {"kind": "MutatingWebhookConfiguration"}
    write(folder / "webhook" / "manifests.yaml", {**kind, **configuration})
    rbac = folder / "rbac"
    write(rbac / "kustomization.yaml", {"resources": ["account.yaml", "binding.yaml"]})
    account = {"kind": "ServiceAccount", "metadata": {"name": "controller-manager"}}
    write(rbac / "account.yaml", account)
    subjects = [{"kind": "ServiceAccount", "name": "controller-manager", "namespace": "system"}]
    reference = {"roleRef": {"kind": "ClusterRole", "name": "manager-role"}, "subjects": subjects}
    binding = {"kind": "ClusterRoleBinding", "metadata": {"name": "manager-rolebinding"}}
    write(rbac / "binding.yaml", {**binding, **reference})
    objects = job_set_objects(tmp_path, "jobs", URL, BUNDLE)
    return {f"{each['kind']} {name_of(each)}": each for each in objects}


def test_jobsets_controller_acts_as_the_account_of_its_chart(
    job_sets: dict[str, JsonObject],
) -> None:
    assert job_sets["ServiceAccount jobset-controller"]["metadata"]["namespace"] == "jobs"
    (subject,) = job_sets["ClusterRoleBinding jobset-manager-rolebinding"]["subjects"]
    assert (subject["name"], subject["namespace"]) == ("jobset-controller", "jobs")


def test_jobsets_webhooks_are_called_by_url_and_of_pods_for_its_own_alone(
    job_sets: dict[str, JsonObject],
) -> None:
    found = job_sets["MutatingWebhookConfiguration jobset-mutating-webhook-configuration"]
    hooks = {each["name"]: each for each in found["webhooks"]}
    own = {"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}
    assert hooks["mpods.kb.io"]["objectSelector"] == {"matchExpressions": [own]}
    assert "objectSelector" not in hooks["mjobsets.kb.io"]
    assert hooks["mpods.kb.io"]["clientConfig"]["url"] == f"{URL}/mutate-core-pods"


def test_jobsets_controller_listens_on_loopback_only_with_a_certificate_that_it_was_given() -> None:
    given = {
        "clientConnection": {"qps": 50},
        "internalCertManagement": {"enable": True, "webhookSecretName": "s"},
        "leaderElection": {"leaderElect": True},
    }
    config = job_set_configuration(
        given, webhook_port=1, certificates=Path("certificates"), health_port=2
    )
    assert config == {
        "clientConnection": {"qps": 50},
        "health": {"healthProbeBindAddress": "127.0.0.1:2"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": 1, "certDir": "certificates"},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
    }
