"""What a caller who may not do something is told, by the service that it asks."""

import pytest

from cli.errors import UserError
from sandbox.cloud.caller import Caller
from sandbox.errors import CloudError

VIEWER = Caller(("roles/compute.networkViewer",))


@pytest.mark.parametrize(
    ("resource_type", "where", "words"),
    [
        (
            "gcp:compute/network:Network",
            "projects/p/global/networks/n",
            "Required 'compute.networks.create' permission for 'projects/p/global/networks/n'",
        ),
        (
            "gcp:container/cluster:Cluster",
            "projects/p",
            'Required "container.clusters.create" permission(s) for "projects/p".',
        ),
        (
            "gcp:lustre/instance:Instance",
            "projects/p/locations/z/instances/i",
            "Permission 'lustre.instances.create' denied on resource "
            "'//lustre.googleapis.com/projects/p/locations/z/instances/i' (or it may not exist).",
        ),
        (
            "kubernetes:core/v1:ConfigMap",
            "settings",
            'settings is forbidden: Required "container.configMaps.create" permission.',
        ),
        (
            "kubernetes:ray.io/v1:RayJob",
            "train",
            'train is forbidden: Required "container.thirdPartyObjects.create" permission.',
        ),
    ],
)
def test_a_missing_permission_is_named(resource_type: str, where: str, words: str) -> None:
    Caller().check(resource_type, "create", where)
    with pytest.raises(CloudError) as refused:
        VIEWER.check(resource_type, "create", where)
    assert str(refused.value) == f"PERMISSION_DENIED: {words}"


def test_who_may_only_read_reads() -> None:
    VIEWER.check("gcp:compute/network:Network", "read", "n")


def test_an_unknown_role_is_refused_with_the_nearest() -> None:
    with pytest.raises(UserError, match=r"nearest: roles/lustre.admin"):
        Caller(("roles/lustre.admim",))
