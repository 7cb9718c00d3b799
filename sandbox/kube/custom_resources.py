"""CustomResourceDefinitions: what an API server needs before it serves a kind of somebody else's.

Not simulated: their schemas (`field_rules` knows the fields) and conversion between versions: an
object stays in the version in which it was applied.
"""

from collections.abc import Iterable, Sequence

from sandbox.kube.objects import JsonObject, dig, maps
from sandbox.kube.store import Store

KIND = "CustomResourceDefinition"
API = "apiextensions.k8s.io/v1"


def definition(kind: str, api_versions: Sequence[str], *, namespaced: bool) -> JsonObject:
    """The definition of a kind; of its versions (`group/version`) the first is stored."""
    group = api_versions[0].partition("/")[0]
    plural = f"{kind.lower()}es" if kind.endswith("s") else f"{kind.lower()}s"
    versions = [each.partition("/")[2] for each in api_versions]
    return {
        "apiVersion": API,
        "kind": KIND,
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural},
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [
                {"name": name, "served": True, "storage": name == versions[0]} for name in versions
            ],
        },
    }


def served_versions(store: Store, group: str, kind: str) -> list[str]:
    """The versions (`group/version`) in which a defined kind is served; the first is stored."""
    for found in store.all(KIND):
        spec = found["spec"]
        if spec["group"] == group and dig(spec, "names", "kind") == kind:
            return [f"{group}/{version['name']}" for version in maps(spec["versions"])]
    return []


def drop_undefined(store: Store, groups: Iterable[str]) -> None:
    """Objects of these groups go with their definitions, as the API server deletes them."""
    for obj in store.all():
        group = obj["apiVersion"].partition("/")[0]
        if group in groups and obj["apiVersion"] not in served_versions(store, group, obj["kind"]):
            store.remove(obj)
