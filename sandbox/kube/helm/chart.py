"""What a chart is here: where it is, its versions, and the objects that it makes of its values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kube.objects import JsonObject, name_of
from kube.text import nearest
from sandbox.kube.custom_resources import definition
from sandbox.kube.registry import REGISTRY

if TYPE_CHECKING:
    from catalog.versions import Component, HelmChart

Finding = tuple[str, str]
WEBHOOK_PORT = 9443


class Chart(ABC):
    """`values` are the names of its values at the top, and `below` one of them with the names that
    it has; Helm ignores any other without a word, which is refused here. `gathered_roles` are those
    of its ClusterRoles, less the release's name, whose rules Kubernetes gathers from others."""

    name: str
    component: str
    values: frozenset[str]
    below: tuple[str, frozenset[str]] = ("", frozenset())
    keeps_definitions: bool
    gathered_roles: Sequence[str] = ()

    @cached_property
    def _locked(self) -> Component:
        from catalog import Catalog

        return Catalog.load().component(self.component)

    @property
    def source(self) -> HelmChart:
        assert self._locked.chart is not None, f"the lock has the chart of {self.component}"
        return self._locked.chart

    @property
    def versions(self) -> list[str]:
        return list(self._locked.releases)

    def findings(self, version: str, values: Mapping[str, Any]) -> Iterator[Finding]:
        key, names = self.below
        for at, given, known in (
            ("values", values, self.values),
            (f"values.{key}", values.get(key) or {}, names),
        ):
            for name in given:
                if name not in known:
                    said = f"{self.name} {version} ignores it{nearest(name, known)}"
                    yield f"{at}.{name}", said

    def definitions(self, version: str) -> list[JsonObject]:
        """The kinds that the sandbox knows of those that this version of the chart defines."""
        found: list[JsonObject] = []
        for kind, api_versions in self._served(version).items():
            known = [REGISTRY[api, kind] for api in api_versions if (api, kind) in REGISTRY]
            if known:
                apis = [each.api_version for each in known]
                found.append(definition(kind, apis))
        return found

    def _served(self, version: str) -> Mapping[str, Sequence[str]]:
        """The versions in which a release of the chart serves each kind, the stored one first."""
        return self._locked.releases[version].apis

    @abstractmethod
    def objects(self, release: Mapping[str, Any]) -> list[JsonObject]:
        """What a release of the chart has in the cluster, besides its definitions."""


def values_of(release: Mapping[str, Any]) -> Mapping[str, Any]:
    return release["spec"].get("values") or {}


def made(
    release: Mapping[str, Any], api_version: str, kind: str, name: str, **parts: Any
) -> JsonObject:
    """An object in the release's namespace."""
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": release["metadata"]["namespace"],
            "labels": {
                "app.kubernetes.io/instance": name_of(release),
                "app.kubernetes.io/managed-by": "Helm",
            },
        },
        **parts,
    }


def full_name(release: Mapping[str, Any], chart: str) -> str:
    """What the names of a release's objects begin with."""
    values, name = values_of(release), name_of(release)
    own = values.get("nameOverride") or chart
    return values.get("fullnameOverride") or (name if own in name else f"{name}-{own}")


def deployment_spec(
    values: Mapping[str, Any], labels: Mapping[str, str], pod: JsonObject
) -> JsonObject:
    """Of a controller whose `values` say where it runs."""
    placed = {key: values[key] for key in ("nodeSelector", "tolerations") if values.get(key)}
    return {
        "replicas": values.get("replicas") or 1,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {**pod, **placed}},
    }


def controller_objects(
    release: Mapping[str, Any],
    controller: str,
    *,
    configuration: tuple[str, str],
    webhook: str,
    selector: Mapping[str, str],
    webhook_prefix: str,
    deployment: JsonObject,
) -> list[JsonObject]:
    """A controller with webhooks. `configuration` is the name of its ConfigMap and the text."""
    config, text = configuration
    service = {"selector": selector, "ports": [{"port": 443, "targetPort": WEBHOOK_PORT}]}
    api = "admissionregistration.k8s.io/v1"
    return [
        made(release, "v1", "ServiceAccount", controller),
        made(release, "v1", "ConfigMap", config, data={"controller_manager_config.yaml": text}),
        # Its values are made in the cluster; nothing here reads them.
        made(release, "v1", "Secret", f"{webhook}-server-cert"),
        made(release, "v1", "Service", f"{webhook}-service", spec=service),
        made(release, "apps/v1", "Deployment", controller, spec=deployment),
        *(
            made(
                release,
                api,
                f"{kind}WebhookConfiguration",
                f"{webhook_prefix}-{kind.lower()}-webhook-configuration",
            )
            for kind in ("Mutating", "Validating")
        ),
    ]
