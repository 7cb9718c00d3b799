"""The image classifier on Ray, run for real, with its twin in JAX in place of ResNet.

It cannot prove that PyTorch trains on GPUs, nor how Cloud Storage itself fails.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workloads.trainings.mounted import mounted
from tests.workloads.trainings.site import STOPPED, TRAIN, Site

SENT = """
import sys, convnet, ray.cloudpickle, train
class Sent:
    def __init__(self, **given):
        names = "train_loop_per_worker", "train_loop_config"
        with open(sys.argv[1], "wb") as file:
            ray.cloudpickle.dump([given[name] for name in names], file)
    def fit(self): ...
convnet.Learner.trainer = Sent
ray.cloudpickle.register_pickle_by_value(train)
train.fit(train.read_job(sys.argv[2:]))
"""
RECEIVED = """
import pickle, sys
with open(sys.argv[1], "rb") as file:
    _, config = pickle.load(file)
print(config["learner"].__module__, "convnet" in sys.modules)
"""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Site:
    site = Site(tmp_path_factory.mktemp("undisturbed"))
    code, printed = site.runs()
    assert code == 0, printed
    return site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """On the stack's own bucket."""
    with mounted("gcsfuse-checkpoint", tmp_path_factory.mktemp("mounted")) as bucket:
        yield Site(bucket.folder, bucket.lose)


@pytest.fixture(scope="module")
def resumed(site: Site) -> tuple[Site, str]:
    """Killed in epoch 7 of 10, with half of its checkpoint written, and submitted again."""
    site.killed_in(7)
    assert site.checkpoints()[-1] == "checkpoint_000005"
    half = site.run / "checkpoint_000006"
    half.mkdir()
    (half / "state").write_bytes(b"half")
    code, printed = site.runs()
    assert code == 0, printed
    return site, printed


def test_a_training_learns_and_keeps_its_newest_checkpoints(undisturbed: Site) -> None:
    kept = undisturbed.checkpoints()
    assert kept == ["checkpoint_000007", "checkpoint_000008", "checkpoint_000009"]
    history = undisturbed.history(kept[-1])
    assert history[-1]["loss"] < history[0]["loss"] / 2
    assert history[-1]["val_accuracy"] > 0.9


def test_a_killed_training_goes_on_at_its_last_whole_checkpoint(
    resumed: tuple[Site, str],
) -> None:
    site, printed = resumed
    assert "run flowers: 6 of 10 epochs are done" in printed
    epochs = [found["epoch"] for found in site.history("checkpoint_000009")]
    assert epochs == list(range(1, 11))
    assert site.checkpoints() == [f"checkpoint_{number:06d}" for number in (7, 8, 9)]


def test_its_loss_goes_on_as_if_nothing_had_happened(
    resumed: tuple[Site, str], undisturbed: Site
) -> None:
    site, _ = resumed
    expected = undisturbed.history("checkpoint_000009")
    for found, wanted in zip(site.history("checkpoint_000009"), expected, strict=True):
        assert found == pytest.approx(wanted, rel=1e-4)


def test_workers_get_the_modules_with_the_job_for_their_pods_have_no_files(tmp_path: Path) -> None:
    sent, pairs = str(tmp_path / "sent"), Site(tmp_path).command()[2:]
    path = {"PATH": os.environ["PATH"]}
    here = path | {"PYTHONPATH": str(TRAIN.parent)}
    subprocess.run([sys.executable, "-c", SENT, sent, *pairs], env=here, check=True)
    command = [sys.executable, "-c", RECEIVED, sent]
    printed = subprocess.check_output(command, env=path, cwd=tmp_path, text=True)
    assert printed == "convnet False\n"


def test_a_finished_training_ends_at_once_without_ray(undisturbed: Site) -> None:
    before = undisturbed.checkpoints()
    code, printed = undisturbed.runs(ray=False)
    assert (code, printed) == (0, "run flowers: 10 of 10 epochs are done\n")
    assert undisturbed.checkpoints() == before


def test_storage_that_is_full_is_named_and_the_checkpoint_before_stays(tmp_path: Path) -> None:
    site = Site(tmp_path)
    code, printed = site.runs("epochs=3", "workers=1", script=STOPPED, FULL_IN="3")
    assert code == 1
    why = "[Errno 27] File too large; checkpoint_000001 is whole"
    said = f"{site.run}/checkpoint_000002: {why}"
    assert said in printed.splitlines()
    assert site.checkpoints() == ["checkpoint_000000", "checkpoint_000001"]
    assert len(site.history("checkpoint_000001")) == 2
