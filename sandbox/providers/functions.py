"""The gcp provider's functions: what its data sources answer of the simulated cloud.

Each reads as the code of hashicorp/terraform-provider-google-beta at 93c65b2d (2026-08-21) does:
services/compute/data_source_google_compute_{image,network,subnetwork,routers}.go,
services/container/data_source_google_container_cluster.go,
services/storage/data_source_google_storage_bucket.go,
services/lustre/data_source_lustre_instance.go and
services/artifactregistry/data_source_artifact_registry_repository.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.artifact import Repository
from sandbox.cloud.kinds.bucket import Bucket
from sandbox.cloud.kinds.cluster import Cluster, as_read
from sandbox.cloud.kinds.disk_image import DiskImage
from sandbox.cloud.kinds.lustre import LustreInstance
from sandbox.cloud.kinds.network import (
    Network,
    Router,
    RouterNat,
    Subnetwork,
    find_network,
    subnets_of,
)
from sandbox.cloud.near import near
from sandbox.cloud.resource import Resource
from sandbox.errors import CloudError
from sandbox.providers.results import shaped

if TYPE_CHECKING:
    Args = Mapping[str, Any]

_GET_PROJECT = "gcp:organizations/getProject:getProject"


def call(cloud: Cloud, token: str, args: Args, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """A function's answer; `defaults` are the provider's own project, region and zone.

    Raises CloudError in the provider's words.
    """
    given = {**defaults, **{key: value for key, value in args.items() if value is not None}}
    if token == _GET_PROJECT:
        _check(cloud, token, given)
        return _project(cloud, {**args, "project": args.get("projectId") or given.get("project")})
    if token not in _FUNCTIONS:
        found = near(token, sorted(FUNCTIONS))
        hint = f"; nearest: {found}" if found else ""
        raise CloudError("UNIMPLEMENTED", f"the sandbox does not know the function {token}{hint}")
    kind, read = _FUNCTIONS[token]
    _require_api(cloud, kind, given)
    _check(cloud, token, given)
    return shaped(token, read(cloud, given))


def _check(cloud: Cloud, token: str, args: Args) -> None:
    """What it asks for, as the provider's own call names it."""
    cloud.caller.check(token, "read", f"projects/{args.get('project')}/{args.get('name', '')}")


def _project(cloud: Cloud, args: Args) -> dict[str, Any]:
    project = args.get("project")
    if not project:
        raise CloudError("INVALID_ARGUMENT", "no project is set")
    number = cloud.project_number(project)
    return {"id": f"projects/{project}", "projectId": project, "number": number}


def _network(cloud: Cloud, args: Args) -> dict[str, Any]:
    resource_id = f"projects/{args['project']}/global/networks/{args['name']}"
    found = _found(cloud, Network.token, resource_id)
    subnets = subnets_of(cloud, found)
    links = [subnet.outputs["selfLink"] for subnet in subnets]
    return {**_state(found), "subnetworksSelfLinks": links}


def _image(cloud: Cloud, args: Args) -> dict[str, Any]:
    """One that no stack makes is there as a whole."""
    resource_id = f"projects/{args['project']}/global/images/{args['name']}"
    found = cloud.read(DiskImage.token, resource_id)
    if found is None:
        raise _AnswerError(
            "error retrieving image information: googleapi: Error 404: The resource "
            f"'{resource_id}' was not found, notFound"
        )
    state = _state(found)
    return {"status": "READY", **state, "labels": state["effectiveLabels"]}


def _subnetwork(cloud: Cloud, args: Args) -> dict[str, Any]:
    place = f"projects/{args['project']}/regions/{args['region']}"
    found = _found(cloud, Subnetwork.token, f"{place}/subnetworks/{args['name']}")
    network = find_network(cloud, found["network"], found["project"])
    return {"privateIpGoogleAccess": False, **_state(found), "network": network.outputs["selfLink"]}


def _routers(cloud: Cloud, args: Args) -> dict[str, Any]:
    place = f"projects/{args['project']}/regions/{args['region']}"
    return {
        "id": place,
        **{key: args[key] for key in ("project", "region")},
        "routers": [
            _router(cloud, router)
            for router in cloud.find(Router.token)
            if router.id.startswith(f"{place}/routers/")
        ],
    }


def _router(cloud: Cloud, router: Resource) -> dict[str, Any]:
    nats = [
        dict(nat.inputs)
        for nat in cloud.find(RouterNat.token)
        if (nat["project"], nat["region"], nat["router"])
        == (router["project"], router["region"], router["name"])
    ]
    network = find_network(cloud, router["network"], router["project"]).outputs["selfLink"]
    return {**_state(router), "network": network, "nats": nats}


def _cluster(cloud: Cloud, args: Args) -> dict[str, Any]:
    location = args.get("location") or args.get("zone") or args.get("region")
    place = f"projects/{args['project']}/locations/{location}"
    found = _found(cloud, Cluster.token, f"{place}/clusters/{args['name']}")
    return {"id": found.id, **as_read(found, cloud)}


def _bucket(cloud: Cloud, args: Args) -> dict[str, Any]:
    name = args["name"]
    found = cloud.read(Bucket.token, name)
    if name in cloud.reservations.taken_bucket_names:
        raise _AnswerError(
            f"googleapi: Error 403: the caller does not have storage.buckets.get access to the "
            f"Google Cloud Storage bucket {name}, forbidden"
        )
    if found is None:
        raise _AnswerError("googleapi: Error 404: The specified bucket does not exist., notFound")
    state = _state(found)
    return {
        "uniformBucketLevelAccess": False,
        **state,
        "location": str(found["location"]).upper(),
        "labels": state["effectiveLabels"],
    }


def _lustre(cloud: Cloud, args: Args) -> dict[str, Any]:
    place = f"projects/{args['project']}/locations/{args['zone']}"
    found = cloud.read(LustreInstance.token, f"{place}/instances/{args['instanceId']}")
    if found is None:
        # The data source has no id left when it says so.
        raise _AnswerError(" not found")
    state = _state(found)
    defaults = {"gkeSupportEnabled": False, "zone": args["zone"]}
    return {**defaults, **state, "labels": state["effectiveLabels"]}


def _repository(cloud: Cloud, args: Args) -> dict[str, Any]:
    place = f"projects/{args['project']}/locations/{args['location']}"
    found = _found(cloud, Repository.token, f"{place}/repositories/{args['repositoryId']}")
    state = _state(found)
    return {"mode": "STANDARD_REPOSITORY", **state, "labels": state["effectiveLabels"]}


_FUNCTIONS: Mapping[str, tuple[str, Callable[[Cloud, Args], dict[str, Any]]]] = {
    "gcp:compute/getImage:getImage": (DiskImage.token, _image),
    "gcp:compute/getNetwork:getNetwork": (Network.token, _network),
    "gcp:compute/getSubnetwork:getSubnetwork": (Subnetwork.token, _subnetwork),
    "gcp:compute/getRouters:getRouters": (Router.token, _routers),
    "gcp:container/getCluster:getCluster": (Cluster.token, _cluster),
    "gcp:storage/getBucket:getBucket": (Bucket.token, _bucket),
    "gcp:lustre/getInstance:getInstance": (LustreInstance.token, _lustre),
    "gcp:artifactregistry/getRepository:getRepository": (Repository.token, _repository),
}


FUNCTIONS = frozenset({*_FUNCTIONS, _GET_PROJECT})


class _AnswerError(CloudError):
    """An error in the provider's own words, which have no status in front."""

    def __init__(self, message: str) -> None:
        super().__init__("UNKNOWN", message)
        self.args = (message,)


def _found(cloud: Cloud, token: str, resource_id: str) -> Resource:
    found = cloud.read(token, resource_id)
    if found is None:
        raise _AnswerError(f"{resource_id} not found")
    return found


def _state(resource: Resource) -> dict[str, Any]:
    return {"id": resource.id, **resource.inputs, **resource.outputs}


def _require_api(cloud: Cloud, token: str, args: Args) -> None:
    """A bucket is read by its name alone, whatever project it is in."""
    api, project = KINDS[token].api, args.get("project")
    if token == Bucket.token or api is None:
        return
    if not project or not cloud.api_is_on(project, api):
        raise _AnswerError(
            f"googleapi: Error 403: {api} has not been used in project {project} before or it is "
            "disabled, accessNotConfigured"
        )
