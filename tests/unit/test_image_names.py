"""An image by its digest is the image that its tag names, wherever images are named or compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from aistack.status.software import versions
from catalog import Catalog
from catalog.image_name import ImageName
from catalog.versions import ContainerImage
from kube.kinds import DEPLOYMENT
from stacks.config import ConfigError, validate
from stacks.parts.ray.rules import image_problems
from stacks.stack import Stack
from tests.conftest import changed
from tests.parts.samples import DEV, SERVE
from tests.programs import WITH_TOKEN, mistakes, registered
from tests.unit.script_samples import JOB_SET, STACK
from tests.unit.status_samples import obj, snapshot
from tests.unit.test_images import images_in

DIGEST = f"sha256:{'a' * 64}"
OTHER = f"sha256:{'b' * 64}"
FACTS = Catalog.load()
LOCKED = list(FACTS.versions.images.items())


@pytest.mark.parametrize(
    ("reference", "parts"),
    [
        ("python:3.12", ("python", "3.12", "")),
        (f"python@{DIGEST}", ("python", "", DIGEST)),
        (f"a.io/b/c:1@{DIGEST}", ("a.io/b/c", "1", DIGEST)),
        (f"a.io:5000/b/c@{DIGEST}", ("a.io:5000/b/c", "", DIGEST)),
        (f"a.io:5000/b/c:1@{DIGEST}", ("a.io:5000/b/c", "1", DIGEST)),
        ("a.io:5000/b/c", ("a.io:5000/b/c", "", "")),
    ],
)
def test_a_reference_has_a_repository_a_tag_and_a_digest(
    reference: str, parts: tuple[str, str, str]
) -> None:
    name = ImageName.parse(reference)
    assert (name.repository, name.tag, name.digest) == parts


def by_tag(image: ContainerImage) -> str:
    return f"{image.name.repository}:{image.name.tag}"


@pytest.mark.parametrize(("name", "image"), LOCKED, ids=[name for name, _ in LOCKED])
def test_an_image_of_the_lock_is_known_with_a_digest_and_in_a_mirror(
    name: str, image: ContainerImage
) -> None:
    pinned = f"{by_tag(image)}@{image.name.digest or DIGEST}"
    host, slash, path = pinned.partition("/")
    mirrored = f"us-docker.pkg.dev/p/mirror/{path if '.' in host and slash else pinned}"
    for reference in (image.reference, by_tag(image), pinned, mirrored):
        assert image.is_named_by(reference), reference
        assert FACTS.cuda_of(reference) == image.cuda, reference


def test_an_image_of_the_lock_is_known_by_its_digest_alone_and_is_no_other_one() -> None:
    vllm = FACTS.image("vllm")
    at, digest = vllm.name.repository, vllm.name.digest
    assert FACTS.cuda_of(f"{at}@{digest}") == vllm.cuda
    assert not vllm.is_named_by(f"{at}:{vllm.name.tag}@{OTHER}")
    assert not vllm.is_named_by(f"{at}@{OTHER}")
    assert not vllm.is_named_by(at)
    assert not vllm.is_named_by(f"my-{at}@{digest}")


def test_the_ray_of_an_image_is_read_of_its_tag_beside_a_digest() -> None:
    image = f"rayproject/ray:2.49.2-py311@{DIGEST}"
    (problem,) = image_problems("ray.main", image, "2.54.0")
    assert problem.message.endswith("nearest: 2.49.2")
    assert not list(image_problems("ray.main", f"rayproject/ray@{DIGEST}", "2.54.0"))


def test_a_boot_disk_that_does_not_hold_an_image_is_refused_by_its_digest_too() -> None:
    image = f"{FACTS.image('nemo_rl').reference}@{DIGEST}"
    values = {"pool": "cpu", "image": image, "requests": {"cpu": 1, "memory_gib": 2}}
    found = mistakes(
        changed(STACK, pools__cpu__disk={"size_gb": 60}, jobs__train={**JOB_SET, **values})
    )
    assert any("pools.cpu.disk.size_gb: 60 GB do not hold the image" in it for it in found)


@pytest.mark.parametrize(
    ("image", "version"),
    [
        (f"registry.example/kueue/kueue:v0.19.2@{DIGEST}", "v0.19.2"),
        (f"registry.example:5000/kueue/kueue@{DIGEST}", DIGEST),
    ],
)
def test_status_knows_an_operator_whose_image_has_a_digest(image: str, version: str) -> None:
    pod = {"spec": {"containers": [{"image": image}]}}
    manager = obj("manager", "kueue-system", spec={"template": pod})
    assert versions(snapshot(seen={DEPLOYMENT: [manager]}))["kueue"] == version


def models_of(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models_of(field.annotation)
    for inner in get_args(annotation):
        yield from models_of(inner)


def takes_images(model: type[BaseModel], name: str) -> bool:
    """Whether the schema of a field has the pattern of image references."""
    return "@sha256:" in str(model.model_json_schema()["properties"][name])


NAMED_IMAGE = sorted(
    {(model, "image") for model in set(models_of(Stack)) if "image" in model.model_fields},
    key=str,
)


@pytest.mark.parametrize(
    ("model", "name"), NAMED_IMAGE, ids=[model.__name__ for model, _ in NAMED_IMAGE]
)
def test_each_key_that_names_an_image_takes_a_digest(model: type[BaseModel], name: str) -> None:
    assert takes_images(model, name)


SERVER = next(iter(SERVE["servers"]))
TUNING = next(name for name, job in SERVE["jobs"].items() if job["type"] == "fine-tune")


@pytest.mark.parametrize(
    ("config", "at"),
    [
        (DEV, "ray__dev__image"),
        (SERVE, f"servers__{SERVER}__image"),
        (SERVE, f"jobs__{TUNING}__image"),
        (STACK, "jobs__train__image"),
    ],
    ids=["ray", "server", "fine-tune", "script"],
)
@pytest.mark.parametrize(
    "image",
    [
        f"quay.example/team/image:1.2.3@{DIGEST}",
        f"quay.example/team/image@{DIGEST}",
        f"quay.example:5000/team/image:1.2.3@{DIGEST}",
        f"quay.example:5000/image@{DIGEST}",
    ],
)
def test_pods_run_an_image_by_the_digest_of_the_config(
    config: dict[str, Any], at: str, image: str, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text("")
    own = changed(config, **{at: image})
    assert image in images_in(registered(validate(own, secrets_set=WITH_TOKEN), folder=tmp_path))


@pytest.mark.parametrize("reference", ["a/b", "a/b:latest", "a/b@sha256:0a"])
def test_an_image_that_may_be_another_tomorrow_is_refused(reference: str) -> None:
    with pytest.raises(
        ConfigError, match=r"jobs\.train\.image: .* is not an image with a fixed tag"
    ):
        validate(changed(STACK, jobs__train__image=reference))
