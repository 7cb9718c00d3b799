"""A pool of a machine type that a config added stays what it is when the config says it no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from catalog import Catalog, CatalogAdditions
from cli.errors import UserError
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.resource import Resource
from sandbox.cloud_store import cloud_at
from sandbox.gke.nodes import nodes_of
from tests.unit.simulated_project import APIS, POOL, Project

NEW, ZONE = "z9-standard-8", "us-east1-q"
ADDED = CatalogAdditions.model_validate(
    {
        "machine_types": {
            name: {
                "vcpus": 8,
                "memory_gib": 32,
                "boot_disk_types": ["pd-balanced"],
                "minimum_gke": "1.30",
            }
            for name in (NEW, "z9-standard-16")
        },
        "zones": {ZONE: {"offers": [NEW, "z9-standard-16"]}},
    }
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.cloud = cloud_at(tmp_path / "cloud.json", Catalog.load().extended(ADDED))
    made.enable(*APIS)
    return made


@pytest.fixture
def cluster(project: Project) -> Resource:
    network = project.network()
    return project.cluster(network, project.subnet(network), nodeLocations=[ZONE])


def without_additions(project: Project) -> Cloud:
    """The cloud as the next command sees it whose config adds nothing."""
    return cloud_at(project.file, Catalog.load())


def test_its_nodes_and_its_deletion_need_no_catalog_of_the_config(
    project: Project, cluster: Resource
) -> None:
    pool = project.pool(cluster, NEW)
    later = without_additions(project)
    (node,) = nodes_of(cluster, later)
    assert node.labels["node.kubernetes.io/instance-type"] == NEW
    later.update(POOL, pool.id, {**pool.inputs, "initialNodeCount": 2})
    later.check_delete(pool)
    later.finish_delete(pool)
    assert nodes_of(cluster, later) == []


def test_only_what_is_up_is_known_and_no_longer_than_it_is(
    project: Project, cluster: Resource
) -> None:
    pool = project.pool(cluster, NEW)
    known = without_additions(project).catalog
    assert set(known.additions.machine_types) == {NEW}
    assert known.offers(ZONE, NEW)
    project.delete(pool)
    assert without_additions(project).catalog == Catalog.load()


def test_what_a_config_says_now_counts_before_what_one_said(
    project: Project, cluster: Resource
) -> None:
    project.pool(cluster, NEW)
    changed = ADDED.machine_types[NEW].model_copy(update={"vcpus": 4})
    mended = CatalogAdditions(machine_types={NEW: changed})
    later = cloud_at(project.file, Catalog.load().extended(mended))
    assert later.catalog.machine(NEW).vcpus == 4


def test_a_sandbox_that_never_kept_it_says_so_in_words(project: Project, cluster: Resource) -> None:
    project.pool(cluster, NEW)
    state = json.loads(project.file.read_text())
    del state["told"]["machine_types"]
    state["told"]["zones"] = {ZONE: {}}
    project.file.write_text(json.dumps(state))
    with pytest.raises(UserError, match=rf'^node pool pool is up, and "{NEW}" is not .*`reset`$'):
        nodes_of(cluster, without_additions(project))


def test_a_file_that_somebody_changed_leaves_the_configs_own_catalog(
    project: Project, cluster: Resource
) -> None:
    project.pool(cluster, NEW)
    state = json.loads(project.file.read_text())
    state["told"] = {"machine_types": {NEW: {"vcpus": "many"}}}
    project.file.write_text(json.dumps(state))
    assert without_additions(project).catalog == Catalog.load()
