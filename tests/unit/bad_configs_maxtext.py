"""Mistakes in the job of the TPU stacks, one a line, and how the message about each ends."""

from typing import Any

Bad = list[tuple[dict[str, Any], str, str]]

# (what is set in tpu-multislice, by path; the field that is named; the end of the message)
BAD_JOB: Bad = [
    (
        {"job__ici": {"fsdp": 8, "tensor": 4}},
        "stack.job.ici.fsdp",
        "fsdp 8 x tensor 4 x data 1 = 32 does not make the 16 chips of a slice; nearest: 4",
    ),
    (
        {"job__model": "llama3-70b", "job__dcn": {"data": 1, "fsdp": 2}},
        "stack.job.model",
        "; 88 such chips would do, cut by fsdp or tensor; nearest: llama3-8b",
    ),
    (
        {"job__per_device_batch_size": 64},
        "stack.job.per_device_batch_size",
        "gradients cut over 16 chips, 64.0 of activations; nearest: 24",
    ),
    ({"job__checkpoints_to_keep": 0}, "stack.job.checkpoints_to_keep", "nearest: 1"),
    (
        {"job__ici": {"fsdp": 5, "tensor": 3}},
        "stack.job.ici",
        "does not make the 16 chips of a slice; nearest: {fsdp: -1, tensor: 1, data: 1}",
    ),
    (
        {"tpu__topology": "4x8"},
        "stack.job.ici.fsdp",
        "does not make the 32 chips of a slice; nearest: 8",
    ),
    (
        {"job__ici": {"fsdp": -1, "tensor": 3}},
        "stack.job.ici.tensor",
        "tensor 3 x data 1 = 3 does not make the 16 chips of a slice; nearest: 2",
    ),
    (
        {"job__ici": {"fsdp": -1, "tensor": -1}},
        "stack.job.ici.tensor",
        "only one factor can take what is left, and fsdp does; nearest: 1",
    ),
    ({"job__ici": {"fsdp": 0}}, "stack.job.ici.fsdp", "0 is no number of parts; nearest: 1"),
    ({"job__ici__fsdp": -2}, "stack.job.ici.fsdp", "nearest: -1"),
    (
        {"job__dcn": {"data": 1, "fsdp": 3}},
        "stack.job.dcn.fsdp",
        "data 1 x fsdp 3 = 3 does not make the 2 slices; nearest: 2",
    ),
    (
        {"job__dcn": {"fsdp": 2}, "tpu__slices": [1]},
        "stack.job.dcn.fsdp",
        "fsdp 2 = 2 does not make the 1 slices; nearest: 1",
    ),
    (
        {"job__finished_runs": ["maxtext-llama3-8b", "maxtext-llama3-8b-2"]},
        "stack.job.run_name",
        "its checkpoints leave nothing to do; nearest: maxtext-llama3-8b-3",
    ),
    (
        {"job__run_name": "second", "job__finished_runs": ["first", "second"]},
        "stack.job.run_name",
        "its checkpoints leave nothing to do; nearest: second-2",
    ),
    ({"job__run_name": "a/b"}, "stack.job.run_name", "nearest: one like first-run"),
    (
        {"job__checkpoint_period": 101},
        "stack.job.checkpoint_period",
        "101 steps are never reached in 100; nearest: 100",
    ),
    ({"job__model": "llama3-9b"}, "stack.job.model", "nearest: llama3-8b, llama3.1-8b"),
    ({"job__directory": "/data"}, "stack.job.directory", "nearest: one like runs/first"),
]

# The same for tpu-elastic.
BAD_ELASTIC: Bad = [
    (
        {"job__elastic__min_slices": 3},
        "stack.job.elastic.min_slices",
        "3 are more than the 2 slices that there are; nearest: 2",
    ),
    ({"job__elastic__min_slices": 0}, "stack.job.elastic.min_slices", "nearest: 1"),
    ({"job__elastic__max_failures": -2}, "stack.job.elastic.max_failures", "nearest: -1"),
    *(
        (
            {"job__dcn": dcn},
            "stack.job.dcn",
            "cannot shrink with a fixed cut between slices; nearest: {data: -1, fsdp: 1}",
        )
        for dcn in ({"data": 2}, {"data": 1, "fsdp": 2}, {"fsdp": 2}, {"data": 1, "fsdp": -1})
    ),
]
