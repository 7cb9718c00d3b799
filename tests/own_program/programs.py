"""Small programs as people write them, with no name but a logical one and no place but the
provider's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

# As gcloud writes it, and as Pulumi's own examples do.
_KUBECONFIG = '''
def kubeconfig(cluster):
    return pulumi.Output.all(cluster.endpoint, cluster.master_auth).apply(
        lambda found: f"""apiVersion: v1
kind: Config
clusters:
- name: it
  cluster:
    server: https://{found[0]}
    certificate-authority-data: {found[1]["cluster_ca_certificate"]}
contexts:
- name: it
  context: {{cluster: it, user: it}}
current-context: it
users:
- name: it
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: gke-gcloud-auth-plugin
      provideClusterInfo: true
"""
    )
'''

# With packages of the names of this project's, and a module of one of Python's own.
PLAIN_CLUSTER = {
    "Pulumi.yaml": "name: plain-cluster\nruntime: python\n",
    "Pulumi.dev.yaml": """
        config:
          gcp:project: my-project
          gcp:zone: us-central1-b
          plain-cluster:nodes: "2"
        """,
    "config.py": """
        import pulumi

        NODES = pulumi.Config().require("nodes")
        """,
    "colorsys.py": 'LABELS = {"color": "blue"}\n',
    "stacks/__init__.py": 'NAME = "not-ours"\n',
    "components/__init__.py": "",
    "components/network/network.py": """
        import pulumi
        import pulumi_gcp as gcp


        class Network(pulumi.ComponentResource):
            def __init__(self, name, opts=None):
                super().__init__("mine:index:Network", name, {}, opts)
                inside = pulumi.ResourceOptions(parent=self)
                self.vpc = gcp.compute.Network(
                    f"{name}-VPC", auto_create_subnetworks=False, opts=inside
                )
                self.subnet = gcp.compute.Subnetwork(
                    f"{name}-subnet",
                    network=self.vpc.id,
                    ip_cidr_range="10.1.0.0/16",
                    opts=inside,
                )
                self.register_outputs({})
        """,
    "__main__.py": f"""
        import os

        import colorsys
        import pulumi
        import pulumi_gcp as gcp
        import pulumi_kubernetes as k8s
        import stacks
        from components.network.network import Network
        from config import NODES
        {_KUBECONFIG.replace(chr(10), chr(10) + " " * 8)}
        network = Network("net")
        cluster = gcp.container.Cluster(
            "cluster",
            network=network.vpc.name,
            subnetwork=network.subnet.name,
            initial_node_count=NODES,
            node_config={{"machine_type": "n1-standard-1", "labels": colorsys.LABELS}},
            deletion_protection=False,
        )
        provider = k8s.Provider("gke", kubeconfig=kubeconfig(cluster))
        inside = pulumi.ResourceOptions(provider=provider)
        space = k8s.core.v1.Namespace("space", opts=inside)
        app = k8s.apps.v1.Deployment(
            "app",
            metadata={{"namespace": space.metadata["name"]}},
            spec={{
                "replicas": 2,
                "selector": {{"match_labels": {{"app": "app"}}}},
                "template": {{
                    "metadata": {{"labels": {{"app": "app"}}}},
                    "spec": {{"containers": [{{"name": "app", "image": "nginx"}}]}},
                }},
            }},
            opts=inside,
        )
        pulumi.export("network", network.vpc.name)
        pulumi.export("app", app.metadata["name"])
        pulumi.export("stacks", stacks.NAME)
        pulumi.export("folder", os.getcwd())
        pulumi.export("home", os.environ["HOME"])
        """,
}

ONLY_KUBERNETES = {
    "Pulumi.yaml": "name: only-kubernetes\nruntime: {name: python}\nmain: program\n",
    "program/__main__.py": """
        import pulumi
        import pulumi_kubernetes as k8s

        labels = {"app": "web"}
        k8s.apps.v1.Deployment(
            "web",
            spec={
                "replicas": pulumi.Config().get_int("replicas") or 2,
                "selector": {"match_labels": labels},
                "template": {
                    "metadata": {"labels": labels, "annotations": None},
                    "spec": {
                        "containers": [
                            {
                                "name": "web",
                                "image": "nginx",
                                "ports": [{"container_port": 80}],
                                "resources": {"requests": {"cpu": "100m"}},
                            }
                        ]
                    },
                },
            },
        )
        service = k8s.core.v1.Service(
            "web",
            metadata={"labels": labels},
            spec={"type": "LoadBalancer", "selector": labels, "ports": [{"port": 80}]},
        )
        pulumi.export("address", service.status.load_balancer.ingress[0].ip)
        """,
}

# Of each project and cluster the names are the same.
TWO_PROJECTS = {
    "Pulumi.yaml": "name: two-projects\nruntime: python\n",
    "__main__.py": f"""
        import pulumi
        import pulumi_gcp as gcp
        import pulumi_kubernetes as k8s
        {_KUBECONFIG.replace(chr(10), chr(10) + " " * 8)}
        for project in ("one-project", "two-project"):
            google = gcp.Provider(f"{{project}}-google", project=project, zone="us-east1-b")
            within = pulumi.ResourceOptions(provider=google)
            network = gcp.compute.Network(f"{{project}}-net", name="net", opts=within)
            after = pulumi.ResourceOptions(
                provider=google,
                depends_on=[network],
                # What goes with the first pool.
                ignore_changes=["initialNodeCount"],
            )
            cluster = gcp.container.Cluster(
                f"{{project}}-cluster",
                name="main",
                network="net",
                initial_node_count=1,
                remove_default_node_pool=True,
                deletion_protection=False,
                opts=after,
            )
            pool = gcp.container.NodePool(
                f"{{project}}-pool",
                cluster=cluster.name,
                node_count=1,
                node_config={{"machine_type": "e2-medium"}},
                opts=within,
            )
            provider = k8s.Provider(f"{{project}}-gke", kubeconfig=kubeconfig(cluster))
            inside = pulumi.ResourceOptions(provider=provider, depends_on=[pool])
            k8s.core.v1.Namespace(f"{{project}}-space", metadata={{"name": project}}, opts=inside)
            k8s.core.v1.ConfigMap(f"{{project}}-map", data={{"of": project}}, opts=inside)
        """,
}


def written(program: Mapping[str, str], folder: Path) -> Path:
    """The program's files in a folder, which is given back."""
    for name, text in program.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text).lstrip("\n"))
    return folder


def of_main(text: str, name: str = "own") -> Mapping[str, str]:
    """A program that is no more than its main module."""
    return {"Pulumi.yaml": f"name: {name}\nruntime: python\n", "__main__.py": text}
