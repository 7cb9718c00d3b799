"""GKE's webhooks beside a real control plane: what they answer, and whom they leave alone."""

from __future__ import annotations

from kube.objects import JsonObject
from sandbox.gke.agent.webhooks import answer, configurations, with_images, without_repeats


def test_a_refusal_carries_its_reason_and_a_change_its_patch():
    review = {"uid": "1", "object": {"metadata": {}, "spec": {"a": 1}}}

    refused = answer(review, "no such network")
    changed = answer(review, {"metadata": {"labels": {"l": "1"}}, "spec": {"a": 2}})

    assert (refused["allowed"], refused["status"]["message"]) == (False, "no such network")
    assert [each["path"] for each in changed["patch"]] == ["/spec", "/metadata/labels"]
    assert "patch" not in answer(review, review["object"])


def test_an_added_sidecar_has_an_image_the_users_own_before_gkes():
    sidecar = {"name": "gke-gcsfuse-sidecar"}
    made = {"spec": {"containers": [], "initContainers": [sidecar]}}
    plain: JsonObject = {"spec": {"containers": []}}
    own = {"spec": {"containers": [{**sidecar, "image": "mine"}]}}

    images = [with_images(pod, made)["spec"]["initContainers"][0]["image"] for pod in (plain, own)]
    assert images == ["gke.gcr.io/gcs-fuse-csi-driver-sidecar-mounter", "mine"]


def test_a_toleration_is_written_once():
    toleration = {"key": "google.com/tpu", "operator": "Exists"}
    pod = without_repeats({"spec": {"tolerations": [toleration, dict(toleration)]}})

    assert pod["spec"]["tolerations"] == [toleration]


def test_webhooks_leave_kube_system_alone_and_fail_closed_elsewhere():
    for configuration in configurations("https://127.0.0.1:1", "Y2E="):
        for webhook in configuration["webhooks"]:
            assert webhook["failurePolicy"] == "Fail"
            if webhook["rules"][0]["resources"] == ["pods"]:
                (expression,) = webhook["namespaceSelector"]["matchExpressions"]
                assert expression["values"] == ["kube-system", "kube-node-lease"]
