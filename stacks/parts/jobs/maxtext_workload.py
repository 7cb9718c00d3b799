"""A MaxText training as parameters of its trainer. Pure, but for reading the trainer."""

from pathlib import Path

from components.ray_manifest import LAUNCHER_DIR
from stacks.parts.jobs.maxtext_job import MaxTextJob
from stacks.parts.pools.tpu_slices import TpuSlices

TRAINER_NAME = "maxtext_trainer.py"
# Ray's names of the generations (ray.util.accelerators).
ACCELERATORS = {"v5e": "TPU-V5LITEPOD", "v5p": "TPU-V5P", "v6e": "TPU-V6E"}

_SLICES = "slices"
_TRAINER = Path(__file__).parents[3] / "workloads" / "maxtext" / TRAINER_NAME


def trainer() -> str:
    return _TRAINER.read_text(encoding="utf-8")


def files(slices: int) -> dict[str, str]:
    """What the trainer reads when it starts, so that another slice needs no other job."""
    return {_SLICES: f"{slices}\n"}


def worker_environment(tpu: TpuSlices, devices: list[str]) -> dict[str, str]:
    """`devices` are the interfaces that pods claim. How many slices there are is Ray's to say:
    set here, it would stay when an elastic job shrinks."""
    flags = [flag.argument for flag in tpu.libtpu_flags]
    if devices:
        flags.append(f"--megascale_grpc_interface_prefixes={','.join([*devices, 'lo'])}")
    return {
        "MEGASCALE_PORT": "9915",
        "JAX_PLATFORMS": "tpu,cpu",
        "ENABLE_PJRT_COMPATIBILITY": "true",
        "LIBTPU_INIT_ARGS": " ".join(flags),
    }


def parameters(
    job: MaxTextJob,
    *,
    run_name: str,
    tpu: TpuSlices,
    generation: str,
    hosts: int,
    chips_per_host: int,
    mount_path: str,
    maxtext: str,
) -> dict[str, str]:
    """The trainer's own, and MaxText 0.2.1's options by their names there."""
    elastic = job.elastic
    folder = mount_path if job.directory is None else f"{mount_path}/{job.directory}"
    return {
        "slices": f"@{LAUNCHER_DIR}/{_SLICES}",
        "hosts": str(hosts),
        "chips": str(chips_per_host),
        "topology": tpu.topology,
        "accelerator": ACCELERATORS[generation],
        "maxtext": maxtext,
        **({} if elastic is None else {"min_slices": str(elastic.min_slices)}),
        **({} if elastic is None else {"max_failures": str(elastic.max_failures)}),
        "run_name": run_name,
        "base_output_directory": folder,
        "model_name": job.model,
        "dataset_type": job.dataset,
        "steps": str(job.steps),
        "per_device_batch_size": str(job.per_device_batch_size),
        "max_target_length": str(job.max_target_length),
        **{f"ici_{key}_parallelism": str(it) for key, it in job.ici.factors().items()},
        **{f"dcn_{key}_parallelism": str(it) for key, it in job.dcn.factors().items()},
        **({} if job.remat_policy is None else {"remat_policy": job.remat_policy}),
        "checkpoint_period": str(job.checkpoint_period),
        "max_num_checkpoints_to_keep": str(job.checkpoints_to_keep),
        # Beside the runs: whoever starts again, on new machines, too, compiles nothing anew.
        "jax_cache_dir": f"{folder}/jax_cache",
    }
