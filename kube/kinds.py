"""The kinds of objects that are read: where the API server has each."""

import re
from dataclasses import dataclass

# Names of objects, namespaces and parts of them: what a URL takes as it is, and no step to another
# folder (kubernetes/kubernetes v1.35.4 staging/src/k8s.io/apimachinery/pkg/api/validation/path/
# name.go: no "/", no "%", neither "." nor ".."; RBAC's names have ":").
_SEGMENT = re.compile(r"(?!\.{1,2}\Z)[A-Za-z0-9._:-]+\Z")
# The driver of claims for network interfaces that GKE runs.
DRANET_DRIVER = "dra.net"


@dataclass(frozen=True)
class Kind:
    name: str
    api_version: str
    plural: str

    def path(self, namespace: str = "", name: str = "", part: str = "") -> str:
        """Raises ValueError for a name that no object has: in a URL it would be another path."""
        for word in (namespace, name, part):
            if word and not _SEGMENT.match(word):
                raise ValueError(f'"{word[:80]}" is no name of a {self.name}')
        root = "/apis" if "/" in self.api_version else "/api"
        place = f"/namespaces/{namespace}" if namespace else ""
        words = [f"{root}/{self.api_version}{place}/{self.plural}", name, part]
        return "/".join(it for it in words if it)


POD = Kind("Pod", "v1", "pods")
SERVICE = Kind("Service", "v1", "services")
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
COMPUTE_DOMAIN = Kind("ComputeDomain", "resource.nvidia.com/v1beta1", "computedomains")
DEVICE_CLASS = Kind("DeviceClass", "resource.k8s.io/v1", "deviceclasses")
RESOURCE_SLICE = Kind("ResourceSlice", "resource.k8s.io/v1", "resourceslices")
NETWORK = Kind("Network", "networking.gke.io/v1", "networks")
CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")
SECRET = Kind("Secret", "v1", "secrets")
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

RESOURCE_FLAVOR = Kind("ResourceFlavor", "kueue.x-k8s.io/v1beta2", "resourceflavors")
ADMISSION_CHECK = Kind("AdmissionCheck", "kueue.x-k8s.io/v1beta2", "admissionchecks")
TOPOLOGY = Kind("Topology", "kueue.x-k8s.io/v1beta2", "topologies")
COHORT = Kind("Cohort", "kueue.x-k8s.io/v1beta2", "cohorts")
PROVISIONING_REQUEST_CONFIG = Kind(
    "ProvisioningRequestConfig", "kueue.x-k8s.io/v1beta2", "provisioningrequestconfigs"
)
WORKLOAD_PRIORITY_CLASS = Kind(
    "WorkloadPriorityClass", "kueue.x-k8s.io/v1beta2", "workloadpriorityclasses"
)
NETWORK_PARAMETERS = Kind("GKENetworkParamSet", "networking.gke.io/v1", "gkenetworkparamsets")
SERVICE_ATTACHMENT = Kind("ServiceAttachment", "networking.gke.io/v1", "serviceattachments")
MANAGED_CERTIFICATE = Kind("ManagedCertificate", "networking.gke.io/v1", "managedcertificates")
COMPUTE_CLASS = Kind("ComputeClass", "cloud.google.com/v1", "computeclasses")
VOLUME_SNAPSHOT = Kind("VolumeSnapshot", "snapshot.storage.k8s.io/v1", "volumesnapshots")
API_SERVICE = Kind("APIService", "apiregistration.k8s.io/v1", "apiservices")

NAMESPACE = Kind("Namespace", "v1", "namespaces")
STATEFUL_SET = Kind("StatefulSet", "apps/v1", "statefulsets")
REPLICA_SET = Kind("ReplicaSet", "apps/v1", "replicasets")
CRON_JOB = Kind("CronJob", "batch/v1", "cronjobs")
INGRESS = Kind("Ingress", "networking.k8s.io/v1", "ingresses")
GATEWAY = Kind("Gateway", "gateway.networking.k8s.io/v1", "gateways")
RAY_SERVICE = Kind("RayService", "ray.io/v1", "rayservices")

# What a user calls a job. A Ray cluster is among them, for it holds its nodes as they do.
WORK = (RAY_JOB, JOB_SET, JOB, RAY_CLUSTER)
# The stack's model servers are Deployments, and work that never ends.
WORK_AND_SERVERS = (*WORK, DEPLOYMENT)
