"""Mistakes in where images come from, one a line."""

from typing import Any

from tests.parts.existing_samples import IN_CLUSTER
from tests.parts.refusals import Refused
from tests.parts.samples import AUTOPILOT, BARE, MIRRORED, RL

_NVCR = "us-east1-docker.pkg.dev/my-project/nvcr-io"
_NAMED = {"images__repositories": {"nvcr.io": _NVCR}}
_CREDENTIALS: dict[str, Any] = MIRRORED["images"]["credentials"]
# A cluster on Autopilot that is there already.
ON_THEIRS = {
    **BARE,
    "cluster": {"mode": "autopilot", "existing": IN_CLUSTER["cluster"]["existing"]},
    "servers": {"chat": {"model": "google/gemma-2-9b-it", "gpus": 2, "engine": "vllm"}},
}

_DISK = {"pools__gpu__secondary_boot_disk": "global/images/trainer"}

IMAGES = [
    Refused(
        RL,
        {**_DISK, "images": {"streaming": False}},
        "pools.gpu.secondary_boot_disk",
        "image streaming is what reads it, and images.streaming is false; nearest: leave one of "
        "both out",
    ),
    Refused(
        AUTOPILOT,
        _DISK,
        "pools.gpu.secondary_boot_disk",
        "nearest: leave it out, as Autopilot streams images by itself, or cluster.mode standard",
    ),
    Refused(
        RL,
        {"pools__gpu__secondary_boot_disk": "trainer"},
        "pools.gpu.secondary_boot_disk",
        '"trainer" is not a disk image; nearest: one like '
        "projects/my-project/global/images/my-image",
    ),
    Refused(
        RL,
        {"images": {"mirror": False, "repositories": {"nvcr.io": _NVCR}}},
        "images.repositories.nvcr.io",
        "nothing comes through a mirror; nearest: leave it out, or images.mirror true",
    ),
    Refused(
        MIRRORED,
        {"images__mirror": False},
        "images.credentials.nvcr.io",
        "nothing comes through a mirror; nearest: leave it out, or images.mirror true",
    ),
    Refused(
        MIRRORED,
        _NAMED,
        "images.credentials.nvcr.io",
        f"{_NVCR} exists already, with what it pulls with; nearest: leave one of both out",
    ),
    Refused(
        RL,
        {"images__repositories": {"nvcr.io": _NVCR, "quay.io": _NVCR}},
        "images.repositories.quay.io",
        f"{_NVCR} is named for nvcr.io, too; nearest: a repository for each",
    ),
    Refused(
        RL,
        {"images__repositories": {"gcr.io": _NVCR}},
        "images.repositories.gcr.io",
        "is Artifact Registry itself, which is not mirrored; nearest: leave it out",
    ),
    Refused(
        RL,
        {"images__credentials": {"us-docker.pkg.dev": _CREDENTIALS["nvcr.io"]}},
        "images.credentials.us-docker.pkg.dev",
        "is Artifact Registry itself, which is not mirrored; nearest: leave it out",
    ),
    Refused(
        RL,
        {"images__repositories": {"nvcr.io": "europe-west4-docker.pkg.dev/my-project/nvcr-io"}},
        "images.repositories.nvcr.io",
        f"is far from the nodes in us-east1, and what crosses regions is paid by the GiB; "
        f"nearest: {_NVCR}",
    ),
    Refused(
        RL,
        {"images__repositories": {"nvcr.io": "europe-docker.pkg.dev/my-project/nvcr-io"}},
        "images.repositories.nvcr.io",
        f"is far from the nodes in us-east1, and what crosses regions is paid by the GiB; "
        f"nearest: {_NVCR}",
    ),
    Refused(
        ON_THEIRS,
        {"images__mirror": True},
        "images.mirror",
        "could not read its mirror of docker.io; nearest: false, or images.repositories.docker.io",
    ),
    Refused(
        ON_THEIRS,
        {"images__credentials": _CREDENTIALS},
        "images.credentials.nvcr.io",
        "could not read its mirror of nvcr.io; nearest: leave it out, or images.repositories.nvcr.",
    ),
    Refused(
        RL,
        {"images__repositories": {"nvcr.io": "nvcr.io/nvidia"}},
        "images.repositories.nvcr.io",
        "is not a repository of Artifact Registry",
    ),
    Refused(
        RL,
        {"images__repositories": {"NVCR": _NVCR}},
        "images.repositories.NVCR",
        "is not a registry's host",
    ),
    Refused(
        MIRRORED,
        {"images__credentials__nvcr.io__secret_version": "hunter2"},
        "images.credentials.nvcr.io.secret_version",
        "is not a version of a secret in Secret Manager",
    ),
    Refused(
        MIRRORED,
        {"images__credentials__nvcr.io__username": "a b"},
        "images.credentials.nvcr.io.username",
        "is not a user name without blanks",
    ),
]
