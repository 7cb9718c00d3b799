"""The MaxText trainer, run for real; Ray and MaxText are stand-ins that write down what they get.

It cannot prove that Ray takes these values, nor that MaxText trains with them.
"""

import importlib.util
import json
import sys
from pathlib import Path
from types import FunctionType

import pytest

from tests.unit.maxtext_site import SCRIPT, Site, make_site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return make_site(tmp_path)


def test_a_fixed_job_asks_ray_for_one_worker_on_each_host_of_all_slices(site: Site) -> None:
    trainer, _ = site.trains("slices=3", "hosts=2", "topology=2x4", "accelerator=TPU-V5P")
    assert trainer["scaling_config"] == {
        "use_tpu": True,
        "num_workers": 6,
        "topology": "2x4",
        "accelerator_type": "TPU-V5P",
        "resources_per_worker": {"TPU": 4},
        "placement_strategy": "SPREAD",
    }
    assert trainer["run_config"] == {
        "name": "demo",
        "failure_config": {"max_failures": 0},
        "worker_runtime_env": {
            "uv": {
                "packages": ["maxtext[tpu]==0.2.5"],
                "uv_pip_install_options": ["--resolution=lowest"],
            }
        },
    }


def test_an_elastic_job_gives_ray_whole_slices_as_bounds_and_its_restarts(site: Site) -> None:
    trainer, _ = site.trains("slices=3", "min_slices=2", "max_failures=-1")
    assert trainer["scaling_config"]["num_workers"] == [8, 12]
    assert trainer["run_config"]["failure_config"] == {"max_failures": -1}


def test_a_job_is_fixed_when_only_its_slices_are_given(site: Site) -> None:
    assert site.plan("slices=5")["scaling_config"]["num_workers"] == 20
    assert site.plan("slices=1")["scaling_config"]["num_workers"] == 4


def test_maxtext_gets_the_base_config_of_its_package_and_the_options_as_they_are(
    site: Site,
) -> None:
    more = ("model_name=llama3-8b", "remat_policy=full", "hf_path=[a, b]=c", "tokenizer_path=")
    _, argv = site.trains("slices=2", *more)
    assert argv == [
        "maxtext",
        str(site.folder / "lib" / "maxtext" / "configs" / "base.yml"),
        *("run_name=demo", f"base_output_directory={site.bucket}", "steps=100", *more),
    ]


def test_the_train_loop_needs_nothing_else_of_the_script(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("maxtext_trainer", SCRIPT)
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    alone = FunctionType(script.train_loop.__code__, {"__builtins__": __builtins__})
    monkeypatch.syspath_prepend(site.folder / "lib")
    monkeypatch.setenv("LAST_STEP", "99")
    known = {*sys.modules}
    options = ["run_name=demo", f"base_output_directory={site.bucket}"]
    folder = str(site.bucket / "demo" / "checkpoints")
    alone({"options": options, "name": "demo", "checkpoints": folder, "last_step": 99})
    for name in {*sys.modules} - known:
        monkeypatch.delitem(sys.modules, name)
    assert json.loads(capsys.readouterr().out)[2] == "run_name=demo"


def test_workers_of_an_image_with_maxtext_install_nothing(site: Site) -> None:
    assert "worker_runtime_env" not in site.plan("maxtext=")["run_config"]


def test_a_dry_run_prints_what_ray_and_maxtext_would_get_and_writes_nothing(site: Site) -> None:
    plan = site.plan("min_slices=1", "max_failures=3", "dtype=bfloat16")
    trainer, argv = site.trains("min_slices=1", "max_failures=3", "dtype=bfloat16")
    assert plan["scaling_config"] == trainer["scaling_config"]
    whole = plan["run_config"] | {"failure_config": plan["failure_config"]}
    assert whole == trainer["run_config"]
    assert plan["argv"] == [argv[0], "maxtext/configs/base.yml", *argv[2:]]


@pytest.mark.parametrize(
    ("pairs", "error"),
    [
        ("base.yml", "base.yml: not a key=value pair; nearest: steps=100"),
        ("--help", "--help: not a key=value pair; nearest: steps=100"),
        ("slice=2", "slice=2: no such key; nearest: slices=2"),
        ("min-slices=1", "min-slices=1: no such key; nearest: min_slices=1"),
        ("dtype=a dtype=b", "dtype=b: given twice; nearest: dtype=a alone"),
        ("num_slices=2", "num_slices=2: MaxText counts them itself; nearest: slices=2"),
        ("slices=two", "slices=two: not a whole number from 1 up; nearest: 1"),
        ("hosts=0", "hosts=0: not a whole number from 1 up; nearest: 1"),
        ("max_failures=-2", "max_failures=-2: not a whole number from -1 up; nearest: -1"),
        ("steps=1e3", "steps=1e3: not a whole number from 1 up; nearest: 1"),
        ("checkpoint_period=", "checkpoint_period=: not a whole number from 1 up; nearest: 1"),
        ("max_target_length=4k", "max_target_length=4k: not a whole number from 1 up; nearest: 1"),
        ("per_device_batch_size=x", "per_device_batch_size=x: not a number; nearest: 1"),
        ("min_slices=3", "min_slices=3: more than slices=2; nearest: 2"),
        ("accelerator=tpu-v6e", "accelerator=tpu-v6e: not a name of Ray's; nearest: TPU-V6E"),
        ("topology=16", "topology=16: no dimensions of a slice; nearest: 4x4"),
        (
            "topology=4x8",
            "topology=4x8: 32 chips, but hosts=4 with chips=4 have 16; nearest: hosts=8",
        ),
        ("maxtext=latest", "maxtext=latest: not a version; nearest: 0.2.5"),
        ("run_name=a/b", "run_name=a/b: not the name of one folder; nearest: a-b"),
        ("run_name=..", "run_name=..: not the name of one folder; nearest: run"),
        (
            "base_output_directory=data",
            "base_output_directory=data: not from the root; nearest: /data",
        ),
    ],
)
def test_a_job_that_cannot_run_is_told_why_and_what_would(
    site: Site, pairs: str, error: str
) -> None:
    assert site.error(*pairs.split()) == error


@pytest.mark.parametrize(
    ("key", "held", "workers"),
    [("slices", "3\n", 12), ("hosts", "2", 4), ("min_slices", "1", [4, 8])],
)
def test_a_key_of_the_trainers_own_can_stand_in_a_file(
    site: Site, key: str, held: str, workers: object
) -> None:
    path = site.folder / key
    path.write_text(held, encoding="utf-8")
    more = ("topology=2x4",) if key == "hosts" else ()
    assert site.plan(f"{key}=@{path}", *more)["scaling_config"]["num_workers"] == workers


def test_what_a_file_holds_is_read_anew_when_the_job_starts(site: Site) -> None:
    path = site.folder / "slices"
    for slices in (2, 5):
        path.write_text(str(slices), encoding="utf-8")
        assert site.plan(f"slices=@{path}")["scaling_config"]["num_workers"] == 4 * slices


def test_a_file_that_is_not_there_or_holds_no_number_is_named(site: Site) -> None:
    path = site.folder / "slices"
    missing = f"slices=@{path}: No such file or directory; nearest: slices=NUMBER"
    assert site.error(f"slices=@{path}") == missing
    path.write_text("many", encoding="utf-8")
    assert site.error(f"slices=@{path}") == "slices=many: not a whole number from 1 up; nearest: 1"


def test_an_option_of_maxtexts_goes_there_as_it_is_whatever_it_begins_with(site: Site) -> None:
    assert site.plan("dtype=@/no/file")["argv"][-1] == "dtype=@/no/file"


@pytest.mark.parametrize("key", ["run_name", "base_output_directory", "steps"])
def test_what_is_not_given_is_named(site: Site, key: str) -> None:
    assert site.error(without=[key]).startswith(f"no {key} given; nearest: {key}=")
    assert site.error(f"{key}=").startswith(f"no {key} given; nearest: {key}=")


@pytest.mark.parametrize(
    "pairs",
    [
        "min_slices=1",
        "min_slices=2",
        "accelerator=TPU-V5LITEPOD",
        "topology=2x2x4",
        "hosts=1 chips=8 topology=2x4",
        "steps=1_000 checkpoint_period=50 max_target_length=4096 per_device_batch_size=0.5",
        "num_experts=8",
        "ici_tensor_parallelism=4",
        "ici_tensor_parallelism=4 ici_fsdp_parallelism=4",
        "ici_tensor_parallelism=16",
        "ici_data_parallelism=-1 ici_fsdp_parallelism=2",
        "dcn_data_parallelism=2",
        "dcn_fsdp_parallelism=2",
        "dcn_fsdp_parallelism=2 dcn_data_parallelism=1",
        "slices=4 dcn_fsdp_parallelism=2",
        "slices=1 dcn_data_parallelism=1",
        "min_slices=1 dcn_data_parallelism=-1 dcn_fsdp_parallelism=1",
    ],
)
def test_a_job_that_can_run_passes(site: Site, pairs: str) -> None:
    assert site.plan(*pairs.split())


@pytest.mark.parametrize(
    ("pairs", "error"),
    [
        (
            "ici_tensor_parallelism=3",
            "ici_fsdp_parallelism=-1 ici_tensor_parallelism=3: product 3 ",
        ),
        ("ici_tensor_parallelism=32", "ici_fsdp_parallelism=-1 ici_tensor_parallelism=32: product"),
        ("ici_fsdp_parallelism=8", "ici_fsdp_parallelism=8: product 8 does not make the 16 chips "),
        ("ici_fsdp_parallelism=0", "ici_fsdp_parallelism=0: product 0 does not make the 16 chips "),
        ("ici_fsdp_parallelism=x", "ici_fsdp_parallelism=x: not a whole number from -1 up"),
        ("ici_data_parallelism=-1", "ici_fsdp_parallelism=-1 ici_data_parallelism=-1: only one "),
        ("dcn_data_parallelism=1", "dcn_data_parallelism=1: product 1 does not make the 2 slices"),
        ("dcn_fsdp_parallelism=4", "product 4 does not make the 2 slices"),
        ("slices=1 dcn_fsdp_parallelism=2", "product 2 does not make the 1 slices"),
        ("min_slices=1 dcn_data_parallelism=2", "dcn_data_parallelism=2: cannot shrink to min_"),
        ("min_slices=1 dcn_fsdp_parallelism=2", "dcn_fsdp_parallelism=2: cannot shrink to min_"),
        (
            "min_slices=1 dcn_fsdp_parallelism=-1 dcn_data_parallelism=1",
            "dcn_data_parallelism=1: cannot shrink to min_slices=1",
        ),
    ],
)
def test_a_mesh_that_does_not_fit_is_refused_and_its_nearest_fits(
    site: Site, pairs: str, error: str
) -> None:
    said = site.error(*pairs.split())
    assert error in said
    kept = dict(pair.split("=") for pair in pairs.split())
    nearest, _, others = said.rpartition("; nearest: ")[2].partition(", ")
    if others == "the others 1":
        kept = {key: "1" if key.endswith("_parallelism") else kept[key] for key in kept}
    if "=" in nearest:
        key, _, value = nearest.partition("=")
        kept[key] = value
    else:
        kept[error.partition("=")[0]] = nearest
    assert site.plan(*(f"{key}={value}" for key, value in kept.items()))


def test_a_finished_run_is_refused_with_the_nearest_name_that_is_free(site: Site) -> None:
    folder = site.has("demo", "0", "50", "99")
    said = f"run_name demo is finished (step 99 of 100 is in {folder}); nearest: "
    assert site.error() == f"{said}demo-2"
    site.has("demo-2", "10")
    assert site.error() == f"{said}demo-3"
    assert site.plan("run_name=demo-3")


def test_the_nearest_of_a_numbered_run_counts_on_and_that_of_a_size_does_not(site: Site) -> None:
    for name in ("demo", "demo-2", "llama-70"):
        site.has(name, "99")
    assert site.error("run_name=demo-2").endswith("; nearest: demo-3")
    assert site.error("run_name=llama-70").endswith("; nearest: llama-70-2")


def test_a_finished_run_can_go_on_to_more_steps_but_not_to_fewer(site: Site) -> None:
    site.has("demo", "99")
    assert site.run("steps=101", DRY_RUN="1").stderr == "run_name demo: continues at step 100\n"
    assert "step 99 of 50" in site.error("steps=50")


def test_an_unfinished_run_says_where_it_continues(site: Site) -> None:
    site.has("demo", "0", "9", "50")
    assert site.run(DRY_RUN="1").stderr == "run_name demo: continues at step 51\n"


def test_a_checkpoint_that_is_half_written_does_not_count(site: Site) -> None:
    site.has("demo", "50", "99.orbax-checkpoint-tmp", "99.orbax-checkpoint-tmp-1700000000")
    assert site.run(DRY_RUN="1").stderr == "run_name demo: continues at step 51\n"
    site.has("other", "99.orbax-checkpoint-tmp-1700000000")
    done = site.run("run_name=other", DRY_RUN="1")
    assert done.stderr == "run_name other: starts at step 0\n"


def test_a_url_is_not_looked_into_and_says_so(site: Site) -> None:
    done = site.run("base_output_directory=gs://bucket/runs", DRY_RUN="1")
    assert done.stderr == "run_name demo: not looked for in gs://bucket/runs\n"
