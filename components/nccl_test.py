"""An NCCL all-gather over GPU nodes, run once before anything is trained on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from components.custom_object import object_name
from components.lifecycle import fixed_name
from components.naming import NameKind, check_name
from components.nccl_test_manifest import NcclTestPods, nccl_test_spec
from components.node_taints import NodeTaintArgs
from components.script_file import ScriptFile, script_config_map
from components.script_job import job_metadata

_JOB_LABEL = "batch.kubernetes.io/job-name"


@dataclass(frozen=True, kw_only=True)
class NcclTestArgs:
    """`node_selector` is known once gIB is on the nodes.

    `min_bus_bandwidth_gbps` is in GB/s, as nccl-tests count it; with 0 any speed will do.
    `annotations` attach the pods to the accelerator networks. `taints` are those of the nodes.
    `minutes` is how long it may take, the image included.
    """

    namespace: pulumi.Input[str]
    test_name: str
    image: str
    script: str
    nodes: int = 2
    gpus_per_node: int = 8
    shm_gib: int = 250
    min_bus_bandwidth_gbps: float = 0.0
    node_selector: pulumi.Input[dict[str, str]]
    taints: Sequence[NodeTaintArgs] = ()
    annotations: dict[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    minutes: int = 30
    labels: pulumi.Input[dict[str, str]]


class NcclTest(pulumi.ComponentResource):
    """`job_name` and `node_selector`, the nodes tested, are known once the test has passed."""

    job_name: pulumi.Output[str]
    node_selector: pulumi.Output[dict[str, str]]

    def __init__(
        self, name: str, args: NcclTestArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:nccl_test:NcclTest", name, None, opts)
        test_name = check_name(NameKind.KUBERNETES, args.test_name)
        service = k8s.core.v1.Service(
            f"{name}-service",
            metadata={"name": test_name, "namespace": args.namespace, "labels": args.labels},
            spec={
                "cluster_ip": "None",
                "selector": {_JOB_LABEL: test_name},
                "publish_not_ready_addresses": True,
            },
            opts=fixed_name(self),
        )
        script = ScriptFile(
            namespace=args.namespace,
            base_name=test_name,
            name="all-gather.sh",
            content=args.script,
            labels=args.labels,
        )
        config_map = script_config_map(self, name, script)
        job = k8s.batch.v1.Job(
            f"{name}-job",
            metadata=job_metadata(test_name, args.namespace, args.labels),
            spec=nccl_test_spec(
                NcclTestPods(
                    job_name=test_name,
                    subdomain=object_name(service),
                    image=args.image,
                    nodes=args.nodes,
                    gpus_per_node=args.gpus_per_node,
                    shm_gib=args.shm_gib,
                    min_bus_bandwidth_gbps=args.min_bus_bandwidth_gbps,
                    node_selector=args.node_selector,
                    taints=args.taints,
                    annotations=args.annotations,
                ),
                file_name=script.file_name,
                config_map=object_name(config_map),
                minutes=args.minutes,
            ),
            opts=fixed_name(self, minutes=args.minutes + 1, replace_on_changes=["spec"]),
        )
        self.job_name = object_name(job)
        self.node_selector = pulumi.Output.all(args.node_selector, job.metadata).apply(
            lambda it: it[0]
        )
        self.register_outputs({"job_name": self.job_name, "node_selector": self.node_selector})
