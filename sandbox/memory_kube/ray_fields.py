"""Fields of ray.io/v1 RayCluster and RayJob as in KubeRay 1.4.2, which the project pins."""

from sandbox.kube.field_rules import Fields, ListOf

_MANAGER = "ray.io/kuberay-operator|kueue.x-k8s.io/multikueue"

_AUTOSCALER = Fields(
    {
        "env": ListOf("any"),
        "envFrom": ListOf("any"),
        "idleTimeoutSeconds": "integer",
        "image": "string",
        "imagePullPolicy": "Always|IfNotPresent|Never",
        "resources": "any",
        "securityContext": "any",
        "upscalingMode": "Default|Aggressive|Conservative",
        "version": "v1|v2",
        "volumeMounts": ListOf("any"),
    }
)
_CREDENTIAL = Fields({"value": "string", "valueFrom": "any"})
_FAULT_TOLERANCE = Fields(
    {
        "externalStorageNamespace": "string",
        "redisAddress": "string",
        "redisPassword": _CREDENTIAL,
        "redisUsername": _CREDENTIAL,
    },
    frozenset({"redisAddress"}),
)
_HEAD = Fields(
    {
        "enableIngress": "boolean",
        "headService": "service",
        "rayStartParams": "strings",
        "serviceType": "ClusterIP|NodePort|LoadBalancer|ExternalName",
        "template": "template",
    },
    frozenset({"template"}),
)
_WORKERS = Fields(
    {
        "groupName": "string",
        "idleTimeoutSeconds": "integer",
        "maxReplicas": "integer",
        "minReplicas": "integer",
        "numOfHosts": "integer",
        "rayStartParams": "strings",
        "replicas": "integer",
        "scaleStrategy": Fields({"workersToDelete": ListOf("string")}),
        "suspend": "boolean",
        "template": "template",
    },
    frozenset({"groupName", "template"}),
)
CLUSTER_SPEC = Fields(
    {
        "autoscalerOptions": _AUTOSCALER,
        "enableInTreeAutoscaling": "boolean",
        "gcsFaultToleranceOptions": _FAULT_TOLERANCE,
        "headGroupSpec": _HEAD,
        "headServiceAnnotations": "strings",
        "managedBy": _MANAGER,
        "rayVersion": "string",
        "suspend": "boolean",
        "workerGroupSpecs": ListOf(_WORKERS),
    },
    frozenset({"headGroupSpec"}),
)
JOB_SPEC = Fields(
    {
        "activeDeadlineSeconds": "integer",
        "backoffLimit": "integer",
        "clusterSelector": "strings",
        "deletionPolicy": "DeleteCluster|DeleteWorkers|DeleteSelf|DeleteNone",
        "entrypoint": "string",
        "entrypointNumCpus": "number",
        "entrypointNumGpus": "number",
        "entrypointResources": "string",
        "jobId": "string",
        "managedBy": _MANAGER,
        "metadata": "strings",
        "rayClusterSpec": CLUSTER_SPEC,
        "runtimeEnvYAML": "string",
        "shutdownAfterJobFinishes": "boolean",
        "submissionMode": "K8sJobMode|HTTPMode|InteractiveMode",
        "submitterConfig": Fields({"backoffLimit": "integer"}),
        "submitterPodTemplate": "template",
        "suspend": "boolean",
        "ttlSecondsAfterFinished": "integer",
    }
)
SPECS = {"RayCluster": CLUSTER_SPEC, "RayJob": JOB_SPEC}
