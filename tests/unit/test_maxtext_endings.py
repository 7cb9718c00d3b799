"""How a MaxText training ends: what Ray has to begin again, and what is done."""

from pathlib import Path

import pytest

from tests.unit.maxtext_site import Site, make_site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


def test_a_training_that_was_preempted_is_a_failure_of_its_workers(site: Site) -> None:
    done = site.run(LAST_STEP="41")
    assert done.returncode == 1
    assert "in train_loop" in done.stderr
    assert done.stderr.endswith("run_name demo stopped after step 41; the same job continues it\n")


def test_a_training_whose_first_checkpoint_failed_is_a_failure_of_its_workers(site: Site) -> None:
    done = site.run(LAST_STEP="")
    assert done.returncode == 1
    assert "in train_loop" in done.stderr
    assert done.stderr.endswith("stopped without a checkpoint; the same job continues it\n")


def test_a_preemption_after_the_last_step_is_a_success(site: Site) -> None:
    site.trains(last_step="99")


def test_what_is_at_a_url_is_not_looked_into_at_the_end_either(site: Site) -> None:
    url = "base_output_directory=gs://bucket/runs"
    assert site.run(url, LAST_STEP="").returncode == 0


@pytest.mark.parametrize("option", ["target_eval_loss=2", "save_checkpoint_on_completion=false"])
def test_a_training_that_may_end_early_is_a_success(site: Site, option: str) -> None:
    site.trains(option, last_step="41")
