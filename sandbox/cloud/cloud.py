"""The simulated cloud: resources by id, changed by rules.

A create is two steps, `begin_create` and `finish_create`, with simulated time between them. When
the engine dies in between, the resource is there all the same, as in a real cloud.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any, TypeAlias

from catalog import Catalog
from sandbox.cloud.caller import Caller
from sandbox.cloud.given_back import GivenBack
from sandbox.cloud.kind import Kind, digest
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.kms import check_keys
from sandbox.cloud.kinds.node_pool import is_in_stock
from sandbox.cloud.kinds.pools import POOL
from sandbox.cloud.preemption import preempted_pools
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.told_machines import to_keep, with_told
from sandbox.cloud.wide_catalog import WideCatalog
from sandbox.errors import CloudError, HalfMadeError
from sandbox.faults import Faults, Stockout

State: TypeAlias = dict[str, Any]
# In the place of a project or an API.
ANY = "*"


class Cloud:
    """One project's resources; `keep` is given the whole state after each change, as JSON has it.

    With `real_control_planes` each new cluster gets one.
    """

    def __init__(
        self,
        catalog: Catalog,
        state: Mapping[str, Any] | None = None,
        faults: Faults | None = None,
        reservations: Reservations | None = None,
        *,
        keep: Callable[[State], None] = lambda _: None,
        real_control_planes: bool = False,
        has_defaults: bool = False,
    ) -> None:
        self.faults = faults or Faults()
        self.reservations = reservations or Reservations.load()
        self.real_control_planes = real_control_planes
        self.has_defaults = has_defaults
        self.caller = Caller()
        self._keep = keep
        self._state: State = {"resources": {}, "apis": [], "clusters": {}}
        self._state |= {"producers": [], "abandoned_peerings": [], "identity_pools": []}
        self._state |= {"preempted": [], "told": {}, "births": {}, "short": {}, "degraded": {}}
        self._state |= {"stockouts": [], "cluster_at_hand": ""}
        self._state |= state or {}
        known = with_told(catalog, self._state["told"])
        self.catalog = WideCatalog(additions=known.additions) if has_defaults else known

    # -- reading

    def find(self, token: str) -> Iterator[Resource]:
        for resource_id, entry in self._state["resources"].items():
            if entry["type"] == token:
                yield Resource(token, resource_id, entry["inputs"], entry["outputs"])

    def get(self, resource_id: str) -> Resource | None:
        entry = self._state["resources"].get(resource_id)
        if entry is None:
            return None
        return Resource(entry["type"], resource_id, entry["inputs"], entry["outputs"])

    def read(self, token: str, resource_id: str) -> Resource | None:
        found = self.get(resource_id)
        return deepcopy(found) if found and found.token == token else None

    def require(
        self, token: str, reference: str | None, what: str, project: str | None = None
    ) -> Resource:
        """The resource that an input refers to by id, self link, email or name, which is one of
        `project`, if that is known."""
        for resource in self.find(token):
            if reference is not None and reference in (
                resource.id,
                resource.outputs.get("selfLink"),
                *_names_in(project, resource),
            ):
                return resource
        # hashicorp/terraform-provider-google issue 5860.
        raise CloudError("NOT_FOUND", f'{what} "{reference}" was not found')

    def project_number(self, project: str) -> str:
        return str(int(digest("project", project), 16) % 10**12).zfill(12)

    def births(self, resource_id: str) -> int:
        """How often a resource of this id was created."""
        return self._state["births"].get(resource_id, 0)

    def kubernetes(self, cluster_id: str) -> dict[str, Any]:
        """The state of the cluster's in-memory API server; changes to it are saved with `save`."""
        return self._state["clusters"].setdefault(cluster_id, {})

    def forget_kubernetes(self, cluster_id: str) -> None:
        """A deleted cluster takes its objects with it."""
        self._state["clusters"].pop(cluster_id, None)

    @property
    def producers(self) -> list[str]:
        return self._state["producers"]

    @property
    def abandoned_peerings(self) -> list[str]:
        return self._state["abandoned_peerings"]

    @property
    def identity_pools(self) -> list[str]:
        return self._state["identity_pools"]

    @property
    def preempted(self) -> list[str]:
        return self._state["preempted"]

    def stockout(self, machine_type: str, zone: str) -> Stockout | None:
        last = Faults.model_validate({"rules": self._state["stockouts"]})
        asked = (machine_type, zone)
        return self.faults.stockout(*asked) or last.stockout(*asked)

    @property
    def short(self) -> dict[str, int]:
        return self._state["short"]

    @property
    def degraded(self) -> dict[str, str]:
        return self._state["degraded"]

    def half_made(self, resource: Resource) -> HalfMadeError | None:
        """The error with which the resource's create ended, if it left an error state."""
        return KINDS[resource.token].half_made(resource, self)

    def half_changed(self, olds: Inputs, resource: Resource) -> HalfMadeError | None:
        """The error with which the resource's update ended, if the change stays all the same."""
        return KINDS[resource.token].half_changed(olds, resource, self)

    def change_minutes(self, token: str, resource_id: str, inputs: Inputs) -> float | None:
        """How long an update takes that fails and stays."""
        old = self.get(resource_id)
        return None if old is None else KINDS[token].change_minutes(old.inputs, inputs, self)

    def create_minutes(self, token: str, inputs: Inputs) -> float | None:
        """How long a create takes that ends in an error state."""
        return KINDS[token].create_minutes(inputs, self)

    def api_is_on(self, project: str, api: str) -> bool:
        everywhere = {f"{ANY}/{ANY}", f"{ANY}/{api}"}
        return not {f"{project}/{api}", *everywhere}.isdisjoint(self._state["apis"])

    @property
    def cluster_at_hand(self) -> Resource | None:
        """The cluster that a program without a kubeconfig reaches."""
        return self.get(self._state["cluster_at_hand"])

    def have_at_hand(self, cluster_id: str) -> None:
        self._state["cluster_at_hand"] = cluster_id

    def turn_on_api(self, project: str, api: str) -> None:
        """`ANY` is every one."""
        if not self.api_is_on(project, api):
            self._state["apis"].append(f"{project}/{api}")

    # -- changing

    def begin_create(self, token: str, inputs: dict[str, Any], urn: str) -> Resource:
        """Check the rules and take the name; the resource exists from here on."""
        kind = KINDS[token]
        self._require_api(kind, inputs)
        resource_id = kind.identify(inputs)
        existing = self._state["resources"].get(resource_id)
        if existing is not None and (kind.shared or kind.merged):
            # Who asks again did not hear the first answer.
            if urn not in existing["urns"]:
                existing["urns"].append(urn)
            return Resource(token, resource_id, existing["inputs"], existing["outputs"])
        if existing is not None:
            # GoogleCloudPlatform/terraform-dynamic-python-webapp issue 60.
            raise CloudError("ALREADY_EXISTS", kind.taken(existing["inputs"], inputs))
        kind.admit(inputs, self)
        check_keys(token, None, inputs, self)
        self._state["births"][resource_id] = self.births(resource_id) + 1
        outputs = kind.outputs(inputs, self, resource_id)
        resource = Resource(token, resource_id, deepcopy(inputs), outputs)
        self._put(resource, [urn], creating=True)
        return resource

    def fill_in(self) -> None:
        """Have what an earlier sandbox did not write of its resources: Google answers with it for
        those that are older, too."""
        for resource_id, entry in self._state["resources"].items():
            kind = KINDS.get(entry["type"])
            with suppress(CloudError):
                computed = kind.outputs(entry["inputs"], self, resource_id) if kind else {}
                entry["outputs"] = _filled(entry["outputs"], computed)

    def add_existing(self, token: str, inputs: dict[str, Any]) -> None:
        """Have a resource that no stack made, unless it is there; its API is on for it."""
        kind = KINDS[token]
        project = kind.project(inputs)
        if kind.api and project:
            self.turn_on_api(project, kind.api)
        if kind.identify(inputs) in self._state["resources"]:
            return
        made = self.begin_create(token, inputs, "")
        self._state["resources"][made.id]["urns"] = []
        self.finish_create(made)

    def finish_create(self, resource: Resource) -> Resource:
        self._state["resources"][resource.id]["creating"] = False
        KINDS[resource.token].after_create(resource, self)
        self.save()
        return resource

    def begin_run(self) -> None:
        """What the cloud does by itself before a run: it goes on with creates whose caller has
        died, brings machines that were out of stock, and takes back machines by the run's rules,
        which hold until the next run."""
        self._state["stockouts"] = [it.model_dump() for it in self.faults.stockouts]
        for pool_id in list(self.short):
            pool = self.get(pool_id)
            if pool is None or is_in_stock(pool, self):
                del self.short[pool_id]
        for resource_id, entry in list(self._state["resources"].items()):
            resource = self.get(resource_id)
            if entry["creating"] and resource is not None:
                self.finish_create(resource)
                KINDS[resource.token].after_cut_off(resource, self)
        self._state["preempted"] = preempted_pools(self, self.faults.preemptions)
        self.save()

    def add_beside(self, resource: Resource, other: Resource) -> None:
        """Have what the cloud makes by itself with another resource."""
        self._put(resource, self._state["resources"][other.id]["urns"])

    def drop(self, resource: Resource) -> None:
        """Take a resource away with no rule asked: it went with another."""
        self._state["resources"].pop(resource.id, None)
        self.save()

    def update(self, token: str, resource_id: str, inputs: dict[str, Any]) -> Resource:
        old = self.get(resource_id)
        if old is None:
            raise CloudError("NOT_FOUND", f"{resource_id} was not found")
        kind = KINDS[token]
        inputs = GivenBack.load().of(token).with_kept(old.inputs, inputs)
        kind.change(old, inputs, self)
        check_keys(token, old.inputs, inputs, self)
        outputs = {**old.outputs, **kind.outputs(inputs, self, resource_id)}
        resource = Resource(token, resource_id, deepcopy(inputs), outputs)
        self._put(resource, self._state["resources"][resource_id]["urns"])
        kind.after_change(old.inputs, resource, self)
        self.save()
        return resource

    def check_delete(self, resource: Resource) -> None:
        KINDS[resource.token].release(resource, self)

    def finish_delete(self, resource: Resource, urn: str | None = None) -> None:
        """Let go of a resource; one that stacks share goes with the last of them."""
        owners: list[str] = self._state["resources"][resource.id]["urns"]
        if KINDS[resource.token].shared and urn in owners and len(owners) > 1:
            owners.remove(urn)
            self.save()
            return
        self.drop(resource)
        KINDS[resource.token].after_delete(resource, self)
        self.save()

    def save(self) -> None:
        self._state["told"] = to_keep(self.catalog, (pool.inputs for pool in self.find(POOL)))
        self._keep(self._state)

    def inventory(self, stack: str | None = None) -> dict[str, list[str]]:
        """Ids of everything that exists, or that one stack made, by resource type."""
        found: dict[str, list[str]] = {}
        for resource_id, entry in sorted(self._state["resources"].items()):
            if stack is None or any(_is_of(stack, urn) for urn in entry["urns"]):
                found.setdefault(entry["type"], []).append(resource_id)
        return found

    def _require_api(self, kind: Kind, inputs: Inputs) -> None:
        project = kind.project(inputs)
        # midl-dev/tezos-on-gke issue 34.
        if kind.api and not (project and self.api_is_on(project, kind.api)):
            raise CloudError(
                "SERVICE_DISABLED",
                f"{kind.api} is not enabled in project {project}; enable it first",
            )

    def forget_stack(self, stack: str) -> None:
        """Drop everything that a stack made, with no rule asked."""
        for resource_id, entry in list(self._state["resources"].items()):
            urns = entry["urns"]
            entry["urns"] = [urn for urn in urns if not _is_of(stack, urn)]
            if urns and not entry["urns"]:
                del self._state["resources"][resource_id]
                self.forget_kubernetes(resource_id)
        self.save()

    def _put(self, resource: Resource, urns: list[str], *, creating: bool = False) -> None:
        self._state["resources"][resource.id] = {
            "type": resource.token,
            "urns": urns,
            "creating": creating,
            "inputs": resource.inputs,
            "outputs": resource.outputs,
        }
        self.save()


def _names_in(project: str | None, resource: Resource) -> tuple[str, ...]:
    if project not in (None, resource["project"]) and resource["project"]:
        return ()
    return (resource["name"], short_name(resource))


def _filled(known: Mapping[str, Any], computed: Mapping[str, Any]) -> dict[str, Any]:
    """What is known, and what is missing of it, in its blocks, too."""
    blocks = {
        key: _filled(value, computed[key])
        for key, value in known.items()
        if isinstance(value, Mapping) and isinstance(computed.get(key), Mapping)
    }
    return {**computed, **known, **blocks}


def _is_of(stack: str, urn: str) -> bool:
    return urn.startswith(f"urn:pulumi:{stack}::")


def short_name(resource: Resource) -> str:
    return resource.id.rsplit("/", 1)[-1]
