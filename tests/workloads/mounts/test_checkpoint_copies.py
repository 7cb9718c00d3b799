"""A checkpoint is copied into a bucket on a mount with the options of the pod that does it."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from aistack.checkpoints.ask import command, listing_of
from aistack.checkpoints.whereabouts import Whereabouts
from kube.objects import JsonObject
from stacks.checkpoint_folder import LAYOUTS
from tests.workloads.mounts.conftest import Mounting
from tests.workloads.mounts.stack_buckets import buckets_of
from workloads.image_classifier.checkpoints import Run

HEAD = next(
    pod for owner, pod in buckets_of("gcsfuse-checkpoint").items() if "headGroupSpec" in owner
)
STATE = bytes(range(256)) * 4096 * 5


def answered(request: JsonObject) -> JsonObject:
    _, *words = command(request)
    said = subprocess.run([sys.executable, "-I", *words], capture_output=True, check=True).stdout
    return json.loads(said.splitlines()[-1])


@pytest.mark.parametrize("hierarchical", [False, True])
def test_a_copy_is_whole_for_the_next_pod(
    mount: Mounting, tmp_path: Path, *, hierarchical: bool
) -> None:
    run = Run(tmp_path / "run", 3, 60)
    source = run.write([{"epoch": 1.0}], lambda file: file.write(STATE)).folder
    mounted = mount(replace(HEAD, hierarchical=hierarchical))
    to = mounted.folder / "kept" / source.name
    done = answered({"source": str(source), "to": str(to)})
    assert "refused" not in done, done
    mounted.kill()
    mounted.start()
    where = Whereabouts(LAYOUTS["train.py"], str(to.parent))
    found = answered(listing_of(where))
    assert [(it["name"], it["missing"]) for it in found["checkpoints"]] == [(source.name, "")]
    assert [it.name for it in to.parent.iterdir()] == [source.name]
    assert (to / "state").read_bytes() == STATE
    assert answered({"source": str(source), "to": str(to)})["refused"]
