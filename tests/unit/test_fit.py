"""What `aistack fit` says of jobs, from a stack's file alone: by arithmetic, and of what a compiler
found, which a stand-in says here. What a real one says is in the tier of the workloads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from aistack.__main__ import app
from aistack.exit_codes import ExitCode
from aistack.fit.compiler import Compiled
from aistack.fit.fits import fits_of, layouts_of
from aistack.fit.report import Storage
from stacks.config import validate
from tests.conftest import ROOT, changed
from tests.parts.machine_samples import IRONWOOD
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
        ("tpu-multislice", 32, 11.5, 31.25),
        ("verl-b200", 16, 130.9, 180),
        ("verl-h200", 16, 107.5, 141),
        ("b200-lustre", 64, 69.6, 180),
        ("kueue-mixed", 4, 1.5, 24),
    ],
)
def test_the_presets_fit_by_arithmetic(
    stack: str, accelerators: int, used: float, of: float
) -> None:
    (found,) = said("--stack", stack, "--estimate")
    assert (found["accelerators"], found["memory_gib"]) == (accelerators, of)
    assert found["used_gib"] == pytest.approx(used, abs=0.05)
    assert (found["fits"], found["how"]) == (True, "estimate")
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
    assert found.memory_gib == 96
    assert found.layout.endswith("sequences a device")
    assert found.tflops is not None
    assert found.step_seconds == pytest.approx(found.tflops / (32 * 2307 * 0.5))
    (fastest, *_) = layouts_of(plan, jobs, 0.5, most=2, compiles=False, tell=print)
    assert fastest.fits


def test_the_scenarios_70b_does_not_fit_and_the_nearest_that_does_is_named() -> None:
    done = fit("--stack", "tpu-multislice", "--estimate", sets=LARGE)
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    assert (
        "does not fit; nearest: model llama3-8b, or pools.v6e-16.topology 4x8 with ici "
        "{fsdp: -1, tensor: 4}"
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


def test_a_model_that_the_catalog_does_not_know_is_not_judged_and_that_is_said() -> None:
    done = fit("--stack", "verl-b200", "--estimate", sets=("jobs.verl-grpo.model=me/mine",))
    assert done.exit_code == ExitCode.FINE
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


def compiler(monkeypatch: pytest.MonkeyPatch, memory: float = 31.25) -> list[dict[str, Any]]:
    """One that has 10 GiB for the state, and 2 for each sequence of a chip; what it was given."""
    asked: list[dict[str, Any]] = []

    def compile_step(options: dict[str, str], flags: str, *place: Any) -> Compiled:
        asked.append({**options, "flags": flags, "place": place})
        used = 10 + 2.0 * int(options["per_device_batch_size"])
        there = None if used <= memory else memory
        return Compiled(fits=used <= memory, used_gib=used, memory_gib=there, by="x", seconds=60)

    monkeypatch.setattr("aistack.fit.compiler.is_there", lambda: True)
    monkeypatch.setattr("aistack.fit.maxtext.compile_step", compile_step)
    return asked


def test_a_job_on_tpus_is_compiled_as_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = compiler(monkeypatch)
    found = said("--stack", "tpu-elastic")
    assert [it["place"] for it in asked] == [("4x4", "v6e", 2), ("4x4", "v6e", 1)]
    assert asked[0]["ici_tensor_parallelism"] == "4"
    assert "--xla_tpu_scoped_vmem_limit_kib" in asked[0]["flags"]
    assert [(it["how"], it["used_gib"], it["fits"]) for it in found] == [("compiled", 18, True)] * 2


def test_what_a_compiler_refuses_does_not_fit_whatever_arithmetic_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler(monkeypatch, memory=17)
    done = fit("--stack", "tpu-multislice")
    assert done.exit_code == ExitCode.DOES_NOT_FIT
    assert "compiling maxtext-llama3-8b, slices: 2" in done.stderr


def test_a_search_orders_what_fits_and_the_compiler_has_the_last_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = compiler(monkeypatch)
    found = said("--stack", "tpu-multislice", "--search")
    assert len(found) == 5
    assert said("--stack", "tpu-multislice", "--search", "--layouts", "2") == found[:2]
    assert all(it["fits"] and it["used_gib"] <= 31.25 for it in found)
    # 23 sequences pass the arithmetic, and the compiler says what is too much of them.
    assert [int(it["per_device_batch_size"]) for it in asked[:3]] == [23, 11, 10]
    rates = [round(it["tflops"] / it["step_seconds"]) for it in found]
    assert rates == sorted(rates, reverse=True)


def test_without_maxtext_the_target_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aistack.fit.compiler.is_there", lambda: False)
    done = fit("--stack", "tpu-multislice")
    assert done.exit_code == ExitCode.FINE
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
        "yes" if it["fits"] else "no",
        f"{it['tflops']:,.0f}",
        f"{it['step_seconds']:.2f} s",
    )


def test_the_table_in_the_docs_is_what_a_run_says() -> None:
    page = (ROOT / "docs" / "tpu.md").read_text(encoding="utf-8")
    assert page.split("<!-- fit -->")[1].strip() == table()
