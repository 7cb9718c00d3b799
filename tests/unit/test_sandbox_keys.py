"""The simulated cloud's rules for Cloud KMS keys and for Binary Authorization. A key there is a
name and the services that may use it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from catalog.customer_keys import customer_keys
from sandbox.cloud.reservations import Reservations
from sandbox.errors import CloudError
from tests.unit.simulated_project import APIS, BUCKET, REPOSITORY, Project

HERE = "projects/my-keys/locations/us-east1/keyRings/ring/cryptoKeys/key"
ELSEWHERE = HERE.replace("us-east1", "europe-west4")
END = r"is not in us-east1, where what it encrypts is$"
SERVICES = customer_keys().services


def a_project(path: Path, services: frozenset[str]) -> Project:
    """In which these services may use the key."""
    keys = {HERE: services, ELSEWHERE: services}
    made = Project(path, reservations=Reservations(keys=keys))
    made.enable(*APIS, "storage", "artifactregistry")
    return made


def _cluster(project: Project, key: str) -> None:
    network = project.network()
    secrets: dict[str, Any] = {"databaseEncryption": {"state": "ENCRYPTED", "keyName": key}}
    project.cluster(network, project.subnet(network), **secrets)


def _pool(project: Project, key: str) -> None:
    network = project.network()
    cluster = project.cluster(network, project.subnet(network))
    node = {"machineType": "e2-standard-4", "bootDiskKmsKey": key}
    project.pool(cluster, "e2-standard-4", nodeConfig=node)


def _bucket(project: Project, key: str) -> None:
    encryption = {"defaultKmsKeyName": key}
    project.make(BUCKET, name="data-of-mine", location="US-EAST1", encryption=encryption)


def _lustre(project: Project, key: str) -> None:
    network = project.network()
    project.peer(network)
    project.lustre(network, kmsKey=key)


def _redis(project: Project, key: str) -> None:
    project.redis(project.network(), customerManagedKey=key)


def _repository(project: Project, key: str) -> None:
    docker = {"publicRepository": "DOCKER_HUB"}
    project.make(
        REPOSITORY,
        repositoryId="docker-io",
        location="us-east1",
        format="DOCKER",
        mode="REMOTE_REPOSITORY",
        remoteRepositoryConfig={"dockerRepository": docker},
        kmsKeyName=key,
    )


# By the service that uses the key, what it encrypts.
ENCRYPTED: dict[str, Callable[[Project, str], None]] = {
    "container": _cluster,
    "compute": _pool,
    "storage": _bucket,
    "lustre": _lustre,
    "redis": _redis,
    "artifactregistry": _repository,
}


def test_every_service_that_uses_keys_is_tried() -> None:
    assert ENCRYPTED.keys() == SERVICES.keys()


@pytest.mark.parametrize("service", ENCRYPTED)
def test_a_key_is_in_the_region_of_what_it_encrypts(tmp_path: Path, service: str) -> None:
    project = a_project(tmp_path, frozenset(SERVICES))
    with pytest.raises(CloudError, match=END):
        ENCRYPTED[service](project, ELSEWHERE)


@pytest.mark.parametrize("service", ENCRYPTED)
def test_a_key_that_a_service_alone_may_use_is_taken_by_it(tmp_path: Path, service: str) -> None:
    ENCRYPTED[service](a_project(tmp_path, frozenset({service})), HERE)


@pytest.mark.parametrize("service", ENCRYPTED)
def test_a_key_that_a_service_may_not_use_is_refused_in_its_words(
    tmp_path: Path, service: str
) -> None:
    others = frozenset(SERVICES) - {service}
    with pytest.raises(CloudError) as refused:
        ENCRYPTED[service](a_project(tmp_path, others), HERE)
    service_of = SERVICES[service]
    assert str(refused.value) == f"{service_of.code}: {service_of.denied.format(key=HERE)}"


def test_a_key_that_nobody_has_made_is_no_key(tmp_path: Path) -> None:
    project = a_project(tmp_path, frozenset(SERVICES))
    with pytest.raises(CloudError, match="Permission denied on Cloud KMS key"):
        _bucket(project, HERE.replace("my-keys", "others-keys"))


def test_a_bucket_that_gets_a_key_later_is_asked_for_it_once(tmp_path: Path) -> None:
    project = a_project(tmp_path, frozenset({"storage"}))
    bucket = project.make(BUCKET, name="data-of-mine", location="US-EAST1")
    other = HERE.replace("my-keys", "others-keys")

    def changed(key: str, **inputs: Any) -> None:
        encryption = {"defaultKmsKeyName": key}
        news = {**bucket.inputs, "encryption": encryption, **inputs}
        project.cloud.update(BUCKET, bucket.id, news)

    with pytest.raises(CloudError, match="Permission denied on Cloud KMS key"):
        changed(other)
    changed(HERE)
    project.cloud.reservations = Reservations()
    changed(HERE, labels={"team": "a"})


def test_a_project_with_a_service_that_uses_no_keys_is_refused_with_one_that_does() -> None:
    with pytest.raises(ValidationError, match=r'"storge" is no service .* nearest: storage'):
        Reservations(keys={HERE: frozenset({"storge"})})


def test_binary_authorization_takes_its_api(tmp_path: Path) -> None:
    project = a_project(tmp_path, frozenset())
    network = project.network()
    subnet = project.subnet(network)
    asked = {"evaluationMode": "PROJECT_SINGLETON_POLICY_ENFORCE"}
    with pytest.raises(CloudError, match=r"binaryauthorization.googleapis.com is not enabled"):
        project.cluster(network, subnet, binaryAuthorization=asked)
    project.enable("binaryauthorization")
    project.cluster(network, subnet, binaryAuthorization=asked)
