"""What an API server says of the kinds that it serves, by its aggregated discovery. Pure.

kubernetes/kubernetes v1.35.4 staging/src/k8s.io/api/apidiscovery/v2/types.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from kube.kinds import Kind
from kube.objects import JsonObject, maps

PATHS = ("/api", "/apis")
ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
# Of each object the metadata alone.
METADATA = "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadataList"


def namespaced_kinds(answer: JsonObject) -> Iterator[Kind]:
    """Kinds in namespaces that can be listed, each in the first version that has it: a group's
    versions stand in the order in which the server prefers them."""
    for group in maps(answer.get("items")):
        name = str((group.get("metadata") or {}).get("name") or "")
        listed: set[str] = set()
        for version in maps(group.get("versions")):
            for each in maps(version.get("resources")):
                plural = str(each["resource"])
                usable = each.get("scope") == "Namespaced" and "list" in each.get("verbs", ())
                if not usable or plural in listed:
                    continue
                listed.add(plural)
                place = f"{name}/{version['version']}" if name else str(version["version"])
                yield Kind(str(each["responseKind"]["kind"]), place, plural)
