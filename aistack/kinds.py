"""The kinds of objects that are read: where the API server has each."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Kind:
    name: str
    api_version: str
    plural: str

    def path(self, namespace: str = "", name: str = "", part: str = "") -> str:
        root = "/apis" if "/" in self.api_version else "/api"
        place = f"/namespaces/{namespace}" if namespace else ""
        words = [f"{root}/{self.api_version}{place}/{self.plural}", name, part]
        return "/".join(it for it in words if it)


POD = Kind("Pod", "v1", "pods")
SERVICE = Kind("Service", "v1", "services")
SERVICE_ACCOUNT = Kind("ServiceAccount", "v1", "serviceaccounts")
EVENT = Kind("Event", "v1", "events")
NODE = Kind("Node", "v1", "nodes")
CLAIM = Kind("PersistentVolumeClaim", "v1", "persistentvolumeclaims")
PERSISTENT_VOLUME = Kind("PersistentVolume", "v1", "persistentvolumes")
DEPLOYMENT = Kind("Deployment", "apps/v1", "deployments")
DAEMON_SET = Kind("DaemonSet", "apps/v1", "daemonsets")
CSI_DRIVER = Kind("CSIDriver", "storage.k8s.io/v1", "csidrivers")
RESOURCE_CLAIM = Kind("ResourceClaim", "resource.k8s.io/v1", "resourceclaims")
RESOURCE_CLAIM_TEMPLATE = Kind(
    "ResourceClaimTemplate", "resource.k8s.io/v1", "resourceclaimtemplates"
)
DEVICE_CLASS = Kind("DeviceClass", "resource.k8s.io/v1", "deviceclasses")
RESOURCE_SLICE = Kind("ResourceSlice", "resource.k8s.io/v1", "resourceslices")
NETWORK = Kind("Network", "networking.gke.io/v1", "networks")
CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")
RESOURCE_QUOTA = Kind("ResourceQuota", "v1", "resourcequotas")
NETWORK_POLICY = Kind("NetworkPolicy", "networking.k8s.io/v1", "networkpolicies")
JOB = Kind("Job", "batch/v1", "jobs")
JOB_SET = Kind("JobSet", "jobset.x-k8s.io/v1alpha2", "jobsets")
RAY_JOB = Kind("RayJob", "ray.io/v1", "rayjobs")
RAY_CLUSTER = Kind("RayCluster", "ray.io/v1", "rayclusters")
WORKLOAD = Kind("Workload", "kueue.x-k8s.io/v1beta2", "workloads")
LOCAL_QUEUE = Kind("LocalQueue", "kueue.x-k8s.io/v1beta2", "localqueues")
CLUSTER_QUEUE = Kind("ClusterQueue", "kueue.x-k8s.io/v1beta2", "clusterqueues")
PROVISIONING_REQUEST = Kind(
    "ProvisioningRequest", "autoscaling.x-k8s.io/v1", "provisioningrequests"
)

# What a user calls a job. A Ray cluster is among them, for it holds its nodes as they do.
WORK = (RAY_JOB, JOB_SET, JOB, RAY_CLUSTER)


class Shape(StrEnum):
    """What a script on pods of its own is submitted as."""

    JOB = "job"
    JOB_SET = "jobset"
