"""A program with two providers of each kind, each of a project and a cluster of its own: what is
made by one is in its place, and no run mixes them up."""

from __future__ import annotations

from pathlib import Path

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from components.cluster.provider import kubeconfig_of, kubernetes_provider
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.network import Network
from sandbox.clusters import Clusters
from tests.stacks.conftest import changed
from tests.stacks.program_sandbox import ProgramSandbox

PROJECTS = ("one-project", "two-project")


def program() -> None:
    for project in PROJECTS:
        google = gcp.Provider(f"{project}-google", project=project, region="us-east1")
        within = pulumi.ResourceOptions(provider=google)
        apis = [
            gcp.projects.Service(
                f"{project}-{it}", service=f"{it}.googleapis.com", project=project, opts=within
            )
            for it in ("compute", "container")
        ]
        after = pulumi.ResourceOptions.merge(within, pulumi.ResourceOptions(depends_on=apis))
        network = gcp.compute.Network(
            f"{project}-net", name="net", auto_create_subnetworks=False, opts=after
        )
        subnet = gcp.compute.Subnetwork(
            f"{project}-sub",
            name="sub",
            network=network.id,
            ip_cidr_range="10.0.0.0/20",
            opts=within,
        )
        cluster = gcp.container.Cluster(
            f"{project}-cluster",
            name="main",
            location="us-east1-b",
            network=network.id,
            subnetwork=subnet.id,
            initial_node_count=1,
            deletion_protection=False,
            opts=within,
        )
        authority = cluster.master_auth.cluster_ca_certificate
        config = kubeconfig_of(cluster.name, cluster.endpoint, authority)
        inside = pulumi.ResourceOptions(provider=kubernetes_provider(project, config, None))
        k8s.core.v1.Namespace(f"{project}-namespace", metadata={"name": project}, opts=inside)
        # In no namespace, so in `default`.
        k8s.core.v1.ConfigMap(
            f"{project}-settings", metadata={"name": "settings"}, data={"of": project}, opts=inside
        )


def test_what_each_provider_makes_is_in_its_place(tmp_path: Path) -> None:
    stack = ProgramSandbox(tmp_path, "two", __name__)
    up = stack.run("up")
    assert up.ok, up.report.diagnostics
    cloud = stack.workspace.cloud()
    assert sorted(it["project"] for it in cloud.find(Network.token)) == list(PROJECTS)
    clusters = Clusters(cloud, stack.workspace.cloud_file)
    for cluster in cloud.find(Cluster.token):
        found = clusters.kube(cluster).inventory()
        assert found == {"ConfigMap": ["default/settings"], "Namespace": [cluster["project"]]}
    assert changed(stack.run("preview")) == {}
    refresh = stack.run("refresh")
    assert refresh.ok, refresh.report.diagnostics
    assert set(changed(refresh).values()) == {"refresh"}
    assert changed(stack.run("preview")) == {}
    assert stack.run("destroy").ok
    assert list(stack.workspace.cloud().find(Cluster.token)) == []
