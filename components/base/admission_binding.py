"""The binding of a ValidatingAdmissionPolicy to namespaces, as plain data. Pure.

The form is that of kubernetes/kubernetes v1.35.4 pkg/apis/admissionregistration/types.go.
"""

from collections.abc import Sequence
from typing import Any

_EACH = {"selector": {}, "parameterNotFoundAction": "Deny"}


def binding_spec(policy: Any, namespaces: Sequence[str], *, params: bool = False) -> Any:
    """Spec of the binding that has a policy hold in these namespaces, by their names: namespaces of
    another stack have bindings of that stack. With `params` it holds for each object of its
    `paramKind` in the cluster, and refuses all where there is none."""
    chosen = {
        "key": "kubernetes.io/metadata.name",
        "operator": "In",
        "values": list(namespaces),
    }
    return {
        "policyName": policy,
        "validationActions": ["Deny"],
        "matchResources": {"namespaceSelector": {"matchExpressions": [chosen]}},
        **({"paramRef": _EACH} if params else {}),
    }
