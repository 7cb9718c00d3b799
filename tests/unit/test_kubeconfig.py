"""The kubeconfig names the cluster and holds no credentials."""

import json

import pytest

from components.cluster.kubeconfig import kubeconfig
from sandbox.providers.kubeconfig import certificate_problem, credentials_problem
from tests.conftest import DNS_NAME


def test_it_points_at_the_cluster_and_asks_googles_plugin_for_a_token() -> None:
    config = json.loads(kubeconfig("demo", "203.0.113.7", "Y2E="))
    assert config["clusters"][0]["cluster"] == {
        "server": "https://203.0.113.7",
        "certificate-authority-data": "Y2E=",
    }
    user = config["users"][0]["user"]
    assert user.keys() == {"exec"}
    assert user["exec"]["command"] == "gke-gcloud-auth-plugin"
    assert config["current-context"] == config["contexts"][0]["name"] == "demo"


def test_kubernetes_calls_are_of_the_identity_that_the_gcp_provider_has() -> None:
    text = kubeconfig("demo", "203.0.113.7", "Y2E=")
    plugin = json.loads(text)["users"][0]["user"]["exec"]
    assert plugin["args"] == ["--use_application_default_credentials"]
    assert credentials_problem(text) == ""


def test_the_sandbox_refuses_a_kubeconfig_that_asks_gcloud_for_its_account() -> None:
    config = json.loads(kubeconfig("demo", "203.0.113.7", "Y2E="))
    del config["users"][0]["user"]["exec"]["args"]
    reason = credentials_problem(json.dumps(config))
    assert reason.endswith("nearest: args: [--use_application_default_credentials]")


def test_a_name_of_google_clouds_goes_without_the_clusters_own_authority() -> None:
    text = kubeconfig("demo", DNS_NAME, None)
    assert json.loads(text)["clusters"][0]["cluster"] == {"server": f"https://{DNS_NAME}"}
    assert certificate_problem(text) == ""


def test_no_other_host_goes_without_an_authority() -> None:
    with pytest.raises(ValueError, match="is no name of a control plane"):
        kubeconfig("demo", "203.0.113.7", None)


def test_the_sandbox_refuses_the_clusters_own_authority_for_a_name() -> None:
    assert certificate_problem(kubeconfig("demo", DNS_NAME, "Y2E=")).endswith(
        "nearest: leave certificate-authority-data out"
    )
    assert certificate_problem(kubeconfig("demo", "203.0.113.7", "Y2E=")) == ""
