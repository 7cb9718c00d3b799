"""The kubeconfig names the cluster and holds no credentials."""

import json

from components.kubeconfig import kubeconfig


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
