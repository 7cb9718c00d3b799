"""Fields of Kueue's objects as in v0.19, kueue.x-k8s.io/v1beta1 and v1beta2.

Source: kubernetes-sigs/kueue apis/kueue, v0.19.0 (read 2026-11-21).
"""

from collections.abc import Mapping

from sandbox.kube.field_rules import Fields, ListOf

_STOP = "None|Hold|HoldAndDrain"
_SELECTOR = Fields({"matchExpressions": ListOf("any"), "matchLabels": "strings"})
_QUOTA = Fields(
    {"borrowingLimit": "any", "lendingLimit": "any", "name": "string", "nominalQuota": "any"},
    frozenset({"name", "nominalQuota"}),
)
_FLAVOR = Fields({"name": "string", "resources": ListOf(_QUOTA)}, frozenset({"name", "resources"}))
_GROUP = Fields(
    {"coveredResources": ListOf("string"), "flavors": ListOf(_FLAVOR)},
    frozenset({"coveredResources", "flavors"}),
)
_FAIR_SHARING = Fields({"weight": "any"})
_CHECK = Fields({"name": "string", "onFlavors": ListOf("string")}, frozenset({"name"}))
_PREEMPTION = Fields(
    {
        "borrowWithinCohort": Fields(
            {"maxPriorityThreshold": "integer", "policy": "Never|LowerPriority"}
        ),
        "reclaimWithinCohort": "Never|LowerPriority|Any",
        "withinClusterQueue": "Never|LowerPriority|LowerOrNewerEqualPriority",
    }
)
_FUNGIBILITY = {
    "v1beta1": Fields(
        {
            "whenCanBorrow": "Borrow|MayStopSearch|TryNextFlavor",
            "whenCanPreempt": "Preempt|MayStopSearch|TryNextFlavor",
        }
    ),
    "v1beta2": Fields(
        {
            "preference": "BorrowingOverPreemption|PreemptionOverBorrowing",
            "whenCanBorrow": "MayStopSearch|TryNextFlavor",
            "whenCanPreempt": "MayStopSearch|TryNextFlavor",
        }
    ),
}
_QUEUE = {
    "admissionChecksStrategy": Fields({"admissionChecks": ListOf(_CHECK)}),
    "admissionScope": "any",
    "fairSharing": _FAIR_SHARING,
    "namespaceSelector": _SELECTOR,
    "preemption": _PREEMPTION,
    "queueingStrategy": "StrictFIFO|BestEffortFIFO",
    "resourceGroups": ListOf(_GROUP),
    "stopPolicy": _STOP,
}
_TAINT = Fields(
    {"effect": "NoSchedule|PreferNoSchedule|NoExecute", "key": "string", "value": "string"},
    frozenset({"effect", "key"}),
)
_TOLERATION = Fields(
    {
        "effect": "NoSchedule|PreferNoSchedule|NoExecute",
        "key": "string",
        "operator": "Equal|Exists",
        "tolerationSeconds": "integer",
        "value": "string",
    }
)
_CHECK_PARAMETERS = Fields(
    {"apiGroup": "string", "kind": "string", "name": "string"},
    frozenset({"apiGroup", "kind", "name"}),
)
_NODE_UPDATE = Fields(
    {"key": "string", "valueFromProvisioningClassDetail": "string"},
    frozenset({"key", "valueFromProvisioningClassDetail"}),
)
_COMMON = {
    "AdmissionCheck": Fields(
        {"controllerName": "string", "parameters": _CHECK_PARAMETERS},
        frozenset({"controllerName"}),
    ),
    "ProvisioningRequestConfig": Fields(
        {
            "managedResources": ListOf("string"),
            "parameters": "strings",
            "podSetMergePolicy": "IdenticalPodTemplates|IdenticalWorkloadSchedulingRequirements",
            "podSetUpdates": Fields({"nodeSelector": ListOf(_NODE_UPDATE)}),
            "provisioningClassName": "string",
            "retryStrategy": Fields(
                {
                    "backoffBaseSeconds": "integer",
                    "backoffLimitCount": "integer",
                    "backoffMaxSeconds": "integer",
                }
            ),
        },
        frozenset({"provisioningClassName"}),
    ),
    "Topology": Fields(
        {"levels": ListOf(Fields({"nodeLabel": "string"}, frozenset({"nodeLabel"})))},
        frozenset({"levels"}),
    ),
    "Cohort": Fields(
        {
            "fairSharing": _FAIR_SHARING,
            "parentName": "string",
            "resourceGroups": ListOf(_GROUP),
        }
    ),
    "LocalQueue": Fields(
        {"clusterQueue": "string", "fairSharing": _FAIR_SHARING, "stopPolicy": _STOP},
        frozenset({"clusterQueue"}),
    ),
    "ResourceFlavor": Fields(
        {
            "nodeLabels": "strings",
            "nodeTaints": ListOf(_TAINT),
            "tolerations": ListOf(_TOLERATION),
            "topologyName": "string",
        }
    ),
    "Workload": Fields(
        {
            "active": "boolean",
            "podSets": ListOf("any"),
            "priority": "integer",
            "priorityClassName": "string",
            "queueName": "string",
        }
    ),
}
SPECS: Mapping[str, Mapping[str, Fields]] = {
    "v1beta1": _COMMON
    | {
        "ClusterQueue": Fields(
            _QUEUE
            | {
                "admissionChecks": ListOf("string"),
                "cohort": "string",
                "flavorFungibility": _FUNGIBILITY["v1beta1"],
            }
        )
    },
    "v1beta2": _COMMON
    | {
        "ClusterQueue": Fields(
            _QUEUE
            | {
                "cohortName": "string",
                "concurrentAdmissionPolicy": "any",
                "flavorFungibility": _FUNGIBILITY["v1beta2"],
            }
        )
    },
}
PRIORITY_CLASS = Fields(
    {
        "apiVersion": "string",
        "description": "string",
        "kind": "string",
        "metadata": "any",
        "value": "integer",
    },
    frozenset({"value"}),
)
