"""NVIDIA's drivers: which one GKE installs, and which one an image needs."""

import pytest

from catalog import Catalog, GkeVersion, GpuDriver
from catalog.gpu_drivers import GpuDriverTable, cuda_in_tag

FACTS = Catalog.load()
DRIVERS = FACTS.gpu_drivers
VLLM = FACTS.image("vllm").reference


@pytest.mark.parametrize(
    ("reference", "cuda"),
    [
        ("nvidia/cuda:13.0.1-devel-ubuntu24.04", 13),
        ("pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime", 12),
        ("rayproject/ray:2.54.0-py313-cu129", 12),
        ("nvcr.io/nvidia/cuda-dl-base:25.05-cuda12.9-devel-ubuntu24.04", 12),
        ("us-central1-docker.pkg.dev/p/r/trainer:2026-cu130@sha256:" + "0" * 64, 13),
        ("python:3.12.8-slim", None),
        ("example.com/accu129:1", None),
    ],
)
def test_a_tag_may_name_the_cuda_that_an_image_is_built_for(
    reference: str, cuda: int | None
) -> None:
    assert cuda_in_tag(reference) == cuda


def test_a_mirrored_image_has_the_cuda_of_the_image_that_it_mirrors() -> None:
    assert FACTS.cuda_of(VLLM) == 13
    assert FACTS.cuda_of(f"us-central1-docker.pkg.dev/project/docker-hub/{VLLM}") == 13
    tgi = FACTS.image("tgi").reference
    mirrored = f"us-central1-docker.pkg.dev/project/ghcr/{tgi.removeprefix('ghcr.io/')}"
    assert (FACTS.cuda_of(tgi), FACTS.cuda_of(mirrored)) == (12, 12)


@pytest.mark.parametrize(
    ("reference", "cuda"),
    [
        ("vllm/vllm-openai:v99.0.1", 13),
        ("us-central1-docker.pkg.dev/p/docker-hub/vllm/vllm-openai:v99.0.1", 13),
        ("vllm/vllm-openai:v0.9.0", None),
        ("vllm/vllm-openai:nightly", None),
        ("example.com/other-vllm-openai:v99.0.1", None),
        ("ghcr.io/huggingface/text-generation-inference:3.3.8", 12),
    ],
)
def test_a_later_release_of_a_known_image_has_no_older_cuda(
    reference: str, cuda: int | None
) -> None:
    assert FACTS.cuda_of(reference) == cuda


def test_the_latest_driver_runs_every_cuda_of_the_table() -> None:
    """It is what a pool with an older one is offered."""
    latest = [DRIVERS.least_installed(GpuDriver.LATEST, None, "nvidia-l4")]
    latest += [it.latest for it in DRIVERS.gke.values()]
    assert min(it for it in latest if it is not None) >= max(DRIVERS.cuda.values())


def test_gke_installs_what_its_page_says_of_the_minor() -> None:
    version = GkeVersion.parse("1.33.4-gke.1036000")
    assert DRIVERS.least_installed(GpuDriver.DEFAULT, version, "nvidia-l4") == 535
    assert DRIVERS.least_installed(GpuDriver.LATEST, version, "nvidia-l4") == 580
    assert DRIVERS.least_installed(GpuDriver.DISABLED, version, "nvidia-l4") is None


@pytest.mark.parametrize("version", [GkeVersion(1, 40), None])
def test_a_gke_that_the_page_does_not_know_has_at_least_what_the_newest_one_has(
    version: GkeVersion | None,
) -> None:
    assert DRIVERS.least_installed(GpuDriver.DEFAULT, version, "nvidia-l4") == 535
    assert DRIVERS.least_installed(GpuDriver.LATEST, version, "nvidia-l4") == 580


def test_a_gpu_that_the_default_does_not_know_has_a_newer_one() -> None:
    version = GkeVersion.parse("1.33")
    assert DRIVERS.least_installed(GpuDriver.DEFAULT, version, "nvidia-b200") == 570


def test_a_table_in_which_a_newer_gke_has_an_older_driver_is_refused() -> None:
    rows = DRIVERS.model_dump()
    rows["gke"]["1.34"] = {"default": 525, "latest": 580}
    with pytest.raises(ValueError, match="the last row bounds nothing"):
        GpuDriverTable.model_validate(rows)


def test_programs_of_a_cuda_major_need_its_oldest_driver() -> None:
    assert [DRIVERS.needed(cuda) for cuda in (11, 12, 13, 99)] == [450, 525, 580, None]
