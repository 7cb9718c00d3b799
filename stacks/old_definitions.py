"""Definitions of KubeRay's kinds that are older than what a stack asks of them.

Helm installs a chart's definitions once and leaves them as they are (Helm documentation, "Custom
Resource Definitions", read 2026-11-27), and an API server leaves out fields that they lack
(Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions", field
pruning).
"""

from collections.abc import Iterator

from stacks.on_record import Record
from stacks.parts.ray.plan import KUBERAY
from stacks.plan import Plan
from stacks.refusal import CLUSTER, RELEASE

_CHART = "kuberay-operator"
_DEFINITIONS = "github.com/ray-project/kuberay/ray-operator/config/crd"


def told(plan: Plan, record: Record) -> Iterator[str]:
    """A line where the last run has left an operator whose definitions may have no
    `authOptions`."""
    asking = [it.field for it in plan.ray.values() if it.asks_for_token]
    if not asking:
        return
    wanted = plan.facts.release(KUBERAY)
    for there in _left(plan, record):
        yield (
            f"{', '.join(asking)}: {there}, and Helm leaves definitions as they are: without "
            "authOptions in them Ray would ask for no token, without a word; before `up`: "
            f"{plan.kubectl} apply --server-side --force-conflicts --kustomize "
            f'"{_DEFINITIONS}?ref=v{wanted}" (docs/security.md)'
        )


def _left(plan: Plan, record: Record) -> Iterator[str]:
    releases = plan.facts.component(KUBERAY).releases
    for one in record.of_type(RELEASE):
        version = str(one.outputs.get("version"))
        known = releases.get(version)
        if one.outputs.get("name") == _CHART and known and known.token_from_ray is None:
            yield f"KubeRay {version} is in the cluster"
    for cluster in record.of_type(CLUSTER):
        addons = (cluster.outputs.get("addonsConfig") or {}).get("rayOperatorConfigs") or ()
        if any(it.get("enabled") for it in addons):
            yield "GKE's Ray add-on is in the cluster, whose KubeRay no published table says"
