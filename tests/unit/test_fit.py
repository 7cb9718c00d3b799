"""What `aistack fit` says of jobs, from a stack's file alone: by arithmetic, and of what a compiler
found, which a stand-in says here. What a real one says is in the tier of the workloads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner, Result

from aistack.__main__ import app
from aistack.exit_codes import ExitCode
from aistack.fit.compile_step import too_large
from aistack.fit.compiler import Compiled, compile_step
from aistack.fit.fits import fits_of, layouts_of
from aistack.fit.planned import planned
from aistack.fit.report import Storage, Verdict
from catalog import Catalog
from stacks.config import validate
from tests.conftest import ROOT, changed
from tests.parts.machine_samples import IRONWOOD, NVLINK
from tests.parts.samples import TPU

JOB = "jobs.maxtext-llama3-8b"
# The tutorial's, on its 32 chips.
LARGE = (
    f"{JOB}.model=llama3-70b",
    f"{JOB}.per_device_batch_size=2",
    f"{JOB}.dcn={{data: 1, fsdp: 2}}",
    f"{JOB}.remat_policy=full",
)


def fit(*words: str, sets: tuple[str, ...] = ()) -> Result:
    changes = [word for it in sets for word in ("--set", it)]
    return CliRunner().invoke(app, ["fit", *words, *changes])


def said(*words: str, sets: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    done = fit(*words, "--json", sets=sets)
    return json.loads(done.stdout)["fits"]


@pytest.mark.parametrize(
    ("stack", "accelerators", "used", "of"),
    [
        ("tpu-multislice", 32, 13.5, 31.25),
        ("verl-b200", 16, 129.9, 178.36),
        ("verl-h200", 16, 106.8, 139.81),
        ("b200-lustre", 64, 69.6, 178.36),
        ("kueue-mixed", 4, 1.5, 22.49),
    ],
)
def test_the_presets_may_fit_by_arithmetic_which_proves_nothing(
    stack: str, accelerators: int, used: float, of: float
) -> None:
    done = fit("--stack", stack, "--estimate", "--json")
    assert done.exit_code == ExitCode.MAY_NOT_FIT
    (found,) = json.loads(done.stdout)["fits"]
    assert (found["accelerators"], found["memory_gib"]) == (accelerators, of)
    assert found["used_gib"] == pytest.approx(used, abs=0.05)
    assert (found["verdict"], found["how"]) == ("maybe", "estimate")
    assert found["sources"]


def test_an_elastic_job_is_judged_for_every_number_of_slices() -> None:
    found = said("--stack", "tpu-elastic", "--estimate")
    assert [(it["slices"], it["accelerators"]) for it in found] == [(2, 32), (1, 16)]
    # The global batch halves with the slices, and so does the work of a step, not its time.
    assert found[0]["tflops"] == 2 * found[1]["tflops"]
    assert found[0]["step_seconds"] == found[1]["step_seconds"]


def test_a_step_takes_as_long_as_its_flops_at_the_stated_utilisation() -> None:
    (found,) = said("--stack", "tpu-multislice", "--estimate", "--utilisation", "0.5")
    # 32 chips with a peak of 918 TFLOPs a second.
    assert found["step_seconds"] == pytest.approx(found["tflops"] / (32 * 918 * 0.5))


def test_a_chip_of_tpu7x_is_two_devices_that_share_its_memory_and_its_peak() -> None:
    plan = validate(changed(TPU, **IRONWOOD))
    jobs = plan.stack.jobs
    (found,) = fits_of(plan, jobs, 0.5, compiles=False, tell=print)
    assert (found.accelerators, found.accelerator) == (32, "tpu7x")
    assert found.memory_gib == 94.75
    assert found.layout.endswith("sequences a device")
    assert found.tflops is not None
    assert found.step_seconds == pytest.approx(found.tflops / (32 * 2307 * 0.5))
    (fastest, *_) = layouts_of(plan, jobs, 0.5, most=2, compiles=False, tell=print)
    assert fastest.verdict is Verdict.MAYBE


def test_the_scenarios_70b_does_not_fit_and_the_nearest_that_does_is_named() -> None:
    done = fit("--stack", "tpu-multislice", "--estimate", sets=LARGE)
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    assert (
        "does not fit; nearest: pools.v6e-16.topology 4x8 with ici {fsdp: -1, tensor: 4} and "
        "per_device_batch_size 1"
    ) in " ".join(done.stdout.split())


def test_a_checkpoint_is_held_against_the_time_to_the_next() -> None:
    (found,) = said("--stack", "b200-lustre", "--estimate")
    # 72.7 billion parameters with 14 bytes, at 1000 MB/s for each of 9000 GiB.
    assert found["storage"]["checkpoint_gb"] == pytest.approx(1017.9, abs=0.1)
    assert found["storage"]["seconds"] == pytest.approx(115.8, abs=0.1)
    slow = Storage(checkpoint_gb=96, period="10 steps", seconds=116, every_seconds=22)
    assert slow.is_too_slow
    bucket = Storage(checkpoint_gb=96, period="10 steps", seconds=None, every_seconds=22)
    assert not bucket.is_too_slow
    assert "so 4.36 GB/s or more" in bucket.sentence


def test_a_bucket_takes_a_checkpoint_as_fast_as_google_measured_its_files() -> None:
    (found,) = said("--stack", "tpu-multislice", "--estimate")
    # A file of 2 GiB, at the 4.62 GB/s that 96 of them had together.
    assert found["storage"]["seconds"] == pytest.approx(44.6, abs=0.1)
    # Few machines are as slow as all that one of them writes.
    write = Catalog.load().gcsfuse.benchmark
    assert write.seconds(462 * 10**9, 2**31) == pytest.approx(100)


def test_a_model_that_the_catalog_does_not_know_is_not_judged_and_that_is_said() -> None:
    done = fit("--stack", "verl-b200", "--estimate", sets=("jobs.verl-grpo.model=me/mine",))
    assert done.exit_code == ExitCode.MAY_NOT_FIT
    assert "the catalog does not know the model" in " ".join(done.stdout.split())


def test_a_job_on_gpus_that_does_not_fit_names_what_would() -> None:
    sets = ("jobs.verl-grpo.rollout.gpu_memory_utilization=0.9",)
    done = fit("--stack", "verl-h200", "--estimate", sets=sets)
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    assert "nearest: rollout.gpu_memory_utilization 0.83" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--stack", "tpu-multislic"), ExitCode.REFUSED, "nearest: tpu-multislice"),
        (
            ("--stack", "tpu-multislice", "--job", "maxtext"),
            ExitCode.NOT_FOUND,
            "nearest: maxtext-llama3-8b",
        ),
        (
            ("--stack", "kueue-mixed", "--search", "--estimate"),
            ExitCode.NOT_FOUND,
            "no MaxText job",
        ),
        (("--stack", "tpu-multislice", "--set", f"{JOB}.steps=no"), ExitCode.REFUSED, "steps"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_what_is_nearest(
    words: tuple[str, ...], code: ExitCode, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from aistack.errors import VerbError

    done = fit(*words, "--estimate")
    assert isinstance(done.exception, VerbError)
    assert done.exception.code == code
    assert told in str(done.exception)


def test_a_place_that_the_project_gives_every_stack_is_the_jobs(tmp_path: Path) -> None:
    own = yaml.safe_load((ROOT / "Pulumi.dev.yaml").read_text())
    zone = own["config"].pop("gcp:zone")
    (tmp_path / "Pulumi.dev.yaml").write_text(yaml.safe_dump(own))
    shared = {"name": "gke-ai-stacks", "config": {"gcp:zone": {"value": zone}}}
    (tmp_path / "Pulumi.yaml").write_text(yaml.safe_dump(shared))
    assert planned("dev", (), tmp_path).stack.zone == zone


@pytest.mark.parametrize(
    ("stack", "job", "accelerators"),
    [("lab", "classifier", 8), ("gcsfuse-checkpoint", "pytorch-image-classifier", 4)],
)
def test_a_job_that_nobody_can_judge_is_listed_and_is_no_yes(
    stack: str, job: str, accelerators: int
) -> None:
    done = fit("--stack", stack, "--estimate", "--json")
    assert done.exit_code == ExitCode.MAY_NOT_FIT
    # The lab's download has no accelerators, and so no row.
    (found,) = json.loads(done.stdout)["fits"]
    assert (found["job"], found["accelerators"]) == (job, accelerators)
    assert (found["verdict"], found["how"]) == ("unknown", "not judged")


def test_a_script_on_gpus_is_listed_with_those_of_all_its_pods() -> None:
    plan = validate(NVLINK)
    (found,) = fits_of(plan, plan.stack.jobs, 0.5, compiles=False, tell=print)
    assert (found.accelerator, found.accelerators) == ("nvidia-gb200", 8)
    assert found.verdict is Verdict.UNKNOWN


def test_a_script_on_slices_is_listed_with_their_chips_and_what_a_device_has() -> None:
    script = {"type": "script", "ray": "tpu", "command": ["python3", "-V"]}
    plan = validate(changed(TPU, **IRONWOOD, jobs={"mine": script}))
    (found,) = fits_of(plan, plan.stack.jobs, 0.5, compiles=False, tell=print)
    assert (found.accelerator, found.accelerators, found.memory_gib) == ("tpu7x", 32, 94.75)
    assert found.verdict is Verdict.UNKNOWN


def test_a_stack_whose_jobs_have_no_accelerators_has_nothing_to_judge() -> None:
    done = fit("--stack", "dev", "--estimate")
    assert done.exit_code == ExitCode.FINE
    assert "no job whose memory could be known" in done.stdout


@pytest.mark.parametrize(
    ("said", "used", "of"),
    [
        ("XLA:TPU compile permanent error. Used 71.67G of 31.25G hbm. Exceeded", 71.67, 31.25),
        ("Ran out of memory in memory space hbm. Used 1.50T of 15.75G hbm.", 1536, 15.75),
        (
            "TPU TensorCore Hbm usage: 34.82G, SparseCore Hbm usage 174.10G, exceeding available "
            "bytes: 95.74G",
            208.92,
            95.74,
        ),
        (
            "Ran out of memory on HBM, the total memory required for HLO temporaries (119.51G) "
            "exceeds available HBM (31.24G). HLO module: jit_train_step.",
            119.51,
            31.24,
        ),
    ],
)
def test_what_the_compiler_says_of_a_program_that_is_too_large_is_a_no(
    said: str, used: float, of: float
) -> None:
    found = too_large(f"RESOURCE_EXHAUSTED: {said}")
    assert found is not None
    assert not found["fits"]
    assert found["used_bytes"] / 2**30 == pytest.approx(used)
    assert found["hbm_bytes"] / 2**30 == pytest.approx(of)


def test_another_error_of_the_compiler_is_no_verdict() -> None:
    assert too_large("Ran out of memory in memory space vmem. Used 32.42M of 16.00M vmem") is None


def test_a_step_is_compiled_without_what_this_shell_would_change_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[dict[str, str]] = []
    # As MaxText 0.2.5 with jax 0.11.1 and libtpu 0.0.46 answered for Llama 3 8B on a slice 2x4.
    parts = {"argument": 12_048_209_920, "output": 12_048_205_568, "temp": 6_601_338_880}
    parts |= {"alias": 12_048_199_680, "generated_code": 27_879_424}
    answer = {"fits": True, "used_bytes": 18_028_868_864, "parts": parts, "by": "x", "seconds": 1}

    def run(*words: Any, env: dict[str, str], **named: Any) -> subprocess.CompletedProcess[str]:
        given.append(env)
        return subprocess.CompletedProcess(words, 0, stdout=json.dumps(answer), stderr="")

    monkeypatch.setattr("aistack.fit.compiler.subprocess.run", run)
    for name in ("M_REMAT_POLICY", "XLA_FLAGS", "JAX_ENABLE_X64", "LIBTPU_INIT_ARGS"):
        monkeypatch.setenv(name, "mine")
    monkeypatch.setenv("HOME", "kept")
    found = compile_step({}, "--pools", "2x4", "v6e", 1)
    (env,) = given
    assert "mine" not in env.values()
    assert (env["LIBTPU_INIT_ARGS"], env["JAX_PLATFORMS"], env["HOME"]) == (
        "--pools",
        "cpu",
        "kept",
    )
    # Arguments, and beside them code and temporaries; results take the arguments' place.
    assert found.loaded_gib == pytest.approx((12_048_215_808 + 6_629_218_304) / 2**30)
    assert found.loaded_gib is not None
    assert found.used_gib < found.loaded_gib


def compiler(
    monkeypatch: pytest.MonkeyPatch, memory: float = 31.25, beside: float = 0.0
) -> list[dict[str, Any]]:
    """One that has 10 GiB for the state, and 2 for each sequence of a chip; what it was given. To
    be loaded, a program takes so many GiB more."""
    asked: list[dict[str, Any]] = []

    def compile_step(options: dict[str, str], flags: str, *place: Any) -> Compiled:
        asked.append({**options, "flags": flags, "place": place})
        used = 10 + 2.0 * int(options["per_device_batch_size"])
        fits = used <= memory
        there, loaded = (None, used + beside) if fits else (memory, None)
        numbers: dict[str, Any] = {"used_gib": used, "loaded_gib": loaded, "memory_gib": there}
        return Compiled(fits=fits, **numbers, by="maxtext 0.2.5", seconds=60)

    monkeypatch.setattr("aistack.fit.compiler.is_there", lambda: True)
    monkeypatch.setattr("aistack.fit.maxtext.compile_step", compile_step)
    return asked


def test_where_a_compiler_counted_temporaries_alone_weights_and_optimizer_come_on_top(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said_of_temporaries = (
        "total memory required for HLO temporaries (34.96G) exceeds available HBM (31.24G)"
    )
    refusal = too_large(said_of_temporaries)
    assert refusal is not None
    answer = {**refusal, "by": "maxtext 0.2.5", "seconds": 6}

    def run(*words: Any, **named: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(words, 0, stdout=json.dumps(answer), stderr="")

    monkeypatch.setattr("aistack.fit.compiler.is_there", lambda: True)
    monkeypatch.setattr("aistack.fit.compiler.subprocess.run", run)
    (found,) = said("--stack", "tpu-multislice")
    assert found["verdict"] == "no"
    # 12 bytes of each of 8.03 billion parameters, cut over the 16 chips of a slice.
    assert found["used_gib"] == pytest.approx(34.96 + 5.61, abs=0.01)


def test_a_job_on_tpus_is_compiled_as_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = compiler(monkeypatch)
    found = said("--stack", "tpu-elastic")
    assert [it["place"] for it in asked] == [("4x4", "v6e", 2), ("4x4", "v6e", 1)]
    assert asked[0]["ici_tensor_parallelism"] == "4"
    assert "--xla_tpu_scoped_vmem_limit_kib" in asked[0]["flags"]
    assert [(it["how"], it["used_gib"], it["verdict"]) for it in found] == [
        ("compiled", 18, "yes")
    ] * 2
    assert fit("--stack", "tpu-elastic").exit_code == ExitCode.FINE


def test_what_a_compiler_refuses_does_not_fit_whatever_arithmetic_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler(monkeypatch, memory=17)
    done = fit("--stack", "tpu-multislice")
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    assert "compiling maxtext-llama3-8b, slices: 2" in done.stderr


def test_a_compiled_no_names_the_batch_that_the_compilers_count_leaves_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler(monkeypatch, memory=17)
    (found,) = said("--stack", "tpu-multislice")
    # State of 5.6 GiB, and 12.4 for four sequences: three are 14.9.
    assert found["nearest"] == "per_device_batch_size 3"
    compiler(monkeypatch, memory=11)
    (found,) = said("--stack", "tpu-multislice", sets=(f"{JOB}.per_device_batch_size=1",))
    assert "--search" in found["nearest"]


def test_a_program_without_room_beside_its_arguments_is_no_yes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 18 GiB at the peak, and 34 with all that has to be there when the program is loaded.
    compiler(monkeypatch, beside=16)
    done = fit("--stack", "tpu-multislice")
    assert done.exit_code == ExitCode.MAY_NOT_FIT
    (found,) = said("--stack", "tpu-multislice")
    assert (found["verdict"], found["how"]) == ("maybe", "compiled")
    assert "34.0 GiB of 31.25" in found["note"]
    assert "XLA's error 0101" in " ".join(done.stdout.split())


def test_what_was_compiled_by_other_packages_than_the_workers_have_is_no_yes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler(monkeypatch)
    sets = (f"{JOB}.install_maxtext=false",)
    (found,) = said("--stack", "tpu-multislice", sets=sets)
    assert (found["verdict"], found["how"]) == ("maybe", "compiled")
    assert "install_maxtext: false" in found["note"]


@pytest.mark.parametrize(("least", "code"), [(12.0, ExitCode.FINE), (40.0, ExitCode.DOES_NOT_FIT)])
def test_a_search_gives_a_layout_up_only_once_a_single_sequence_is_too_much(
    monkeypatch: pytest.MonkeyPatch, least: float, code: ExitCode
) -> None:
    asked = compiler(monkeypatch)

    def compile_step(options: dict[str, str], *place: Any) -> Compiled:
        asked.append(options)
        used = least if options["per_device_batch_size"] == "1" else 40.0
        fits = used <= 31.25
        return Compiled(fits=fits, used_gib=used, memory_gib=31.25, by="x", seconds=60)

    monkeypatch.setattr("aistack.fit.maxtext.compile_step", compile_step)
    done = fit("--stack", "tpu-multislice", "--search", "--layouts", "1")
    assert done.exit_code == code
    assert [it["per_device_batch_size"] for it in asked[:3]] == ["5", "3", "1"]


def test_a_search_takes_no_batch_whose_program_cannot_be_loaded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler(monkeypatch, beside=8)
    (found, *_) = said("--stack", "tpu-multislice", "--search", "--layouts", "1")
    assert found["verdict"] == "yes"
    assert found["used_gib"] + 8 <= found["memory_gib"]


def test_a_search_shows_the_largest_batch_that_a_compiler_took_of_each_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = compiler(monkeypatch)
    found = said("--stack", "tpu-multislice", "--search")
    assert len(found) == 5
    assert len(said("--stack", "tpu-multislice", "--search", "--layouts", "2")) == 2
    assert all(it["verdict"] == "yes" and it["used_gib"] == 30 for it in found)
    # What arithmetic calls likely comes first; what the compiler counts of it says what is next.
    batches = [int(it["per_device_batch_size"]) for it in asked]
    assert batches[:3] == [5, 11, 10]
    rates = [round(it["tflops"] / it["step_seconds"]) for it in found]
    assert rates == sorted(rates, reverse=True)


def test_a_search_without_a_compiler_orders_layouts_and_no_batches() -> None:
    done = fit("--stack", "tpu-elastic", "--search", "--estimate", "--json")
    assert done.exit_code == ExitCode.MAY_NOT_FIT
    found = json.loads(done.stdout)["fits"]
    assert {it["verdict"] for it in found} == {"maybe"}
    # The job's own batch, whatever larger one the arithmetic would let through.
    assert all(it["layout"].endswith("4 sequences a chip") for it in found)


def test_a_search_for_a_batch_that_no_layout_holds_shows_the_largest_that_is_likely() -> None:
    batch = "jobs.maxtext-elastic-8b.per_device_batch_size=1000000"
    found = said("--stack", "tpu-elastic", "--search", "--estimate", sets=(batch,))
    assert {it["layout"].rpartition(", ")[2] for it in found} == {"8 sequences a chip"}


def test_what_arithmetic_lets_through_and_a_compiler_refused_is_no_yes() -> None:
    sets = ("jobs.maxtext-elastic-8b.ici={fsdp: 16}",)
    too_large = (*sets, "jobs.maxtext-elastic-8b.per_device_batch_size=23")
    done = fit("--stack", "tpu-elastic", "--estimate", sets=too_large)
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    assert "nearest: per_device_batch_size 8" in " ".join(done.stdout.split())
    kept = ("jobs.maxtext-elastic-8b.remat_policy=minimal",)
    done = fit("--stack", "tpu-elastic", "--estimate", sets=kept)
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    (found, _) = said("--stack", "tpu-elastic", "--estimate", sets=sets)
    assert found["verdict"] == "maybe"
    assert "1.4 times such a bound: 19.0 GiB" in found["compiled_before"]


def test_without_maxtext_the_target_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aistack.fit.compiler.is_there", lambda: False)
    done = fit("--stack", "tpu-multislice")
    assert done.exit_code == ExitCode.MAY_NOT_FIT
    assert "nearest: make fit-tools" in done.stderr


# The two presets, and 70B as docs/tpu.md has it, on the tutorial's chips and on twice as many.
WIDER = (
    "pools.v6e-16.topology=4x8",
    f"{JOB}.model=llama3-70b",
    f"{JOB}.per_device_batch_size=1",
    f"{JOB}.ici={{fsdp: 8, tensor: 4}}",
    f"{JOB}.dcn={{data: 1, fsdp: 2}}",
    f"{JOB}.remat_policy=full",
)
RUNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("tpu-multislice", "tpu-multislice", ()),
    ("tpu-elastic", "tpu-elastic", ()),
    ("70B, the tutorial's", "tpu-multislice", LARGE),
    ("70B, these", "tpu-multislice", WIDER),
)


def table() -> str:
    titles = ("what", "slices x chips", "GiB a chip, at least", "of", "fits")
    rows = [(*titles, "TFLOPs a step", "step at 40 %"), ("---",) * 7]
    for name, stack, sets in RUNS:
        rows += [_row(name, it) for it in said("--stack", stack, "--estimate", sets=sets)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(name: str, it: dict[str, Any]) -> tuple[str, ...]:
    return (
        name,
        f"{it['slices']} x {it['accelerators'] // it['slices']}",
        f"{it['used_gib']:.1f}",
        f"{it['memory_gib']:g}",
        it["verdict"],
        f"{it['tflops']:,.0f}",
        f"{it['step_seconds']:.2f} s",
    )


def test_the_table_in_the_docs_is_what_a_run_says() -> None:
    page = (ROOT / "docs" / "tpu.md").read_text(encoding="utf-8")
    assert page.split("<!-- fit -->")[1].strip() == table()
