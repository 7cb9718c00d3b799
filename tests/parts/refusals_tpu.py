"""Mistakes in slices of TPUs and in trainings on them, one a line."""

from tests.conftest import changed
from tests.parts.preset_samples import ELASTIC, TPU, TPU_AUTOPILOT
from tests.parts.refusals import Refused, dcn
from tests.parts.samples import BARE

_LLAMA = "jobs__maxtext-llama3-8b"
_LLAMA_FIELD = "jobs.maxtext-llama3-8b"
_ELASTIC_JOB = "jobs__maxtext-elastic-8b"
_ELASTIC_JOB_FIELD = "jobs.maxtext-elastic-8b"
_SLICES = "pools__v6e-16"
# One cube, which is a sub-block of the reservation.
_CUBE = {
    "machine_type": "tpu7x-standard-4t",
    "topology": "4x4x4",
    "slices": 1,
    "capacity": {"mode": "reservation", "name": "cubes", "block": "b", "sub_block": "s"},
}
_CUBES = changed(BARE, zone="us-central1-c", pools={"tpu": _CUBE})
_SLICES_FIELD = "pools.v6e-16"

# The tutorial's, which the libtpu of its day took.
FUSED = [
    {"name": "xla_tpu_enable_async_collective_fusion_multiple_steps", "value": "true"},
    {"name": "xla_tpu_enable_async_collective_fusion_fuse_all_gather", "value": "true"},
    {"name": "xla_enable_async_all_gather"},
]

TPUS = [
    Refused(
        TPU,
        {f"{_SLICES}__libtpu_flags": FUSED},
        f"{_SLICES_FIELD}.libtpu_flags[1].value",
        "the libtpu that it installs refuses them on v6e; nearest: false",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__model": "llama3-70b", f"{_LLAMA}__dcn": {"data": 1, "fsdp": 2}},
        "pools.v6e-16.topology",
        "cut over 32 chips. `aistack fit` compiles what is nearest; nearest: 4x8 with ici "
        "{fsdp: -1, tensor: 4} and per_device_batch_size 1",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__ici": {"fsdp": 5, "tensor": 3}},
        f"{_LLAMA_FIELD}.ici",
        "does not make the 16 chips of a slice; nearest: {fsdp: -1, tensor: 1, data: 1}",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__ici": {"fsdp": -1, "tensor": 3}},
        f"{_LLAMA_FIELD}.ici.tensor",
        "tensor 3 x data 1 = 3 does not make the 16 chips of a slice; nearest: 2",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__ici": {"fsdp": -1, "tensor": -1}},
        f"{_LLAMA_FIELD}.ici.tensor",
        "only one factor can take what is left, and fsdp does; nearest: 1",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__ici": {"fsdp": 0}},
        f"{_LLAMA_FIELD}.ici.fsdp",
        "0 is no number of parts; nearest: 16",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__dcn": {"data": 1, "fsdp": 3}},
        f"{_LLAMA_FIELD}.dcn.fsdp",
        "data 1 x fsdp 3 = 3 does not make the 2 slices; nearest: 2",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__dcn": {"fsdp": 2}, f"{_SLICES}__slices": [1]},
        f"{_LLAMA_FIELD}.dcn.fsdp",
        "fsdp 2 = 2 does not make the 1 slices; nearest: 1",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__finished_runs": ["maxtext-llama3-8b", "maxtext-llama3-8b-2"]},
        f"{_LLAMA_FIELD}.run_name",
        "its checkpoints leave nothing to do; nearest: maxtext-llama3-8b-3",
    ),
    Refused(
        TPU,
        {f"{_LLAMA}__run_name": "second", f"{_LLAMA}__finished_runs": ["first", "second"]},
        f"{_LLAMA_FIELD}.run_name",
        "its checkpoints leave nothing to do; nearest: second-2",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__elastic__min_slices": 3},
        f"{_ELASTIC_JOB_FIELD}.elastic.min_slices",
        "3 are more than the 2 slices that there are; nearest: 2",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__dcn": {"data": 2}},
        f"{_ELASTIC_JOB_FIELD}.dcn",
        "cannot shrink with a fixed cut between slices; nearest: {data: -1, fsdp: 1}",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__dcn": {"data": 1, "fsdp": 2}},
        f"{_ELASTIC_JOB_FIELD}.dcn",
        "cannot shrink with a fixed cut between slices; nearest: {data: -1, fsdp: 1}",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__dcn": {"fsdp": 2}},
        f"{_ELASTIC_JOB_FIELD}.dcn",
        "cannot shrink with a fixed cut between slices; nearest: {data: -1, fsdp: 1}",
    ),
    Refused(
        ELASTIC,
        {f"{_ELASTIC_JOB}__dcn": {"data": 1, "fsdp": -1}},
        f"{_ELASTIC_JOB_FIELD}.dcn",
        "cannot shrink with a fixed cut between slices; nearest: {data: -1, fsdp: 1}",
    ),
    Refused(
        TPU,
        {
            "catalog": {
                "machine_types": {
                    "ct9-standard-4t": {
                        "vcpus": 180,
                        "memory_gib": 720,
                        "accelerator": {
                            "kind": "tpu",
                            "type": "tpu-v9-slice",
                            "count": 4,
                            "memory_gib": 32,
                        },
                        "boot_disk_types": ["hyperdisk-balanced"],
                    }
                },
                "zones": {"us-central1-b": {"offers": ["ct9-standard-4t"]}},
            },
            f"{_SLICES}__machine_type": "ct9-standard-4t",
        },
        f"{_SLICES_FIELD}.machine_type",
        "knows no topology of ct9-standard-4t; nearest: ct6e-standard-4t, "
        "ct6e-standard-8t, ct6e-standard-1t",
    ),
    Refused(
        TPU,
        {
            _SLICES: {"machine_type": "ct5p-hightpu-4t", "topology": "4x4x28", "slices": 2},
            "zone": "us-central1-a",
        },
        f"{_SLICES_FIELD}.topology",
        "workers would fail and start again for ever; nearest: 4x8x12, 8x8x8, 4x4x20",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__slices": [2, 0, 2]},
        f"{_SLICES_FIELD}.slices",
        "names a slice twice; nearest: [0, 2]",
    ),
    Refused(
        TPU,
        {f"{_SLICES}__capacity": {"mode": "reservation", "name": "r", "zone": "us-east5-a"}},
        f"{_SLICES_FIELD}.capacity.zone",
        "or a reservation in us-central1-b",
    ),
    Refused(
        TPU,
        dcn("net-1 10.8.0.0/17"),
        "network.dcn[0].range",
        "overlaps pods 10.8.0.0/16; nearest: 10.0.128.0/17",
    ),
    Refused(
        TPU,
        dcn("net-1 10.50.0.0/16", "net-2 10.50.4.0/22"),
        "network.dcn[1].range",
        "overlaps dcn[0].range 10.50.0.0/16; nearest: 10.0.16.0/22",
    ),
    Refused(
        TPU,
        dcn("net-1 10.50.0.0/16", "net-1 10.60.0.0/16"),
        "network.dcn[1].name",
        "net-1 is there already; nearest: net-1-2",
    ),
    Refused(
        TPU,
        dcn("net-1 10.50.0.0/16", "net-2 10.60.0.0/16", "net-3 10.70.0.0/16"),
        "network.dcn",
        "more than the further interfaces of ct6e-standard-4t; nearest: 2 of them",
    ),
    Refused(
        TPU,
        {
            f"{_SLICES}__machine_type": "ct5lp-hightpu-4t",
            "zone": "us-central1-a",
            **dcn("net-1 10.50.0.0/16"),
        },
        "network.dcn",
        "more than the further interfaces of ct5lp-hightpu-4t; nearest: leave it out",
    ),
    Refused(
        TPU,
        {"cluster__version": "1.34.1-gke.1829000"},
        "cluster.version",
        'is older than dranet needs; nearest: "1.35", with quotes',
    ),
    Refused(
        TPU,
        {"cluster__version": "1.31.2-gke.1115000", "network": {"dcn": []}},
        "cluster.version",
        'is older than gcsfuse_streaming_writes needs; nearest: "1.35", with quotes',
    ),
    Refused(
        TPU,
        {
            "ray__maxtext-tpu-cluster__workers__tpu-group__requests__cpu": 200,
            f"{_SLICES}__threads_per_core": 2,
        },
        "ray.maxtext-tpu-cluster.workers.tpu-group.requests.cpu",
        "more than a node of ct6e-standard-4t leaves to pods; nearest: 178",
    ),
    Refused(
        TPU_AUTOPILOT,
        {f"{_SLICES}__max_pods_per_node": 64},
        f"{_SLICES_FIELD}.max_pods_per_node",
        "for its nodes; nearest: leave it out",
    ),
    Refused(
        TPU_AUTOPILOT,
        {f"{_SLICES}__threads_per_core": 1},
        f"{_SLICES_FIELD}.threads_per_core",
        "for its nodes; nearest: leave it out",
    ),
    Refused(
        TPU_AUTOPILOT,
        {"cluster__version": "1.34.1-gke.1829001"},
        "cluster.version",
        "is older than dranet_autopilot needs; nearest: 1.35.2-gke.1842000",
    ),
    Refused(
        TPU_AUTOPILOT,
        {"ray__maxtext-tpu-cluster__head__requests__cpu": 30},
        "ray.maxtext-tpu-cluster.head.requests.cpu",
        "more than a node of c2-standard-30 leaves to pods; nearest: 29",
    ),
    Refused(
        TPU_AUTOPILOT,
        {
            "zone": "us-central1-c",
            f"{_SLICES}__machine_type": "tpu7x-standard-4t",
            f"{_SLICES}__topology": "2x2x4",
        },
        f"{_SLICES_FIELD}.topology",
        "placed by a workload policy, which is made for node pools alone",
    ),
    Refused(
        _CUBES,
        {"pools__tpu__slices": 4},
        "pools.tpu.slices",
        "64 machines are more than the 16 of the sub-block s; nearest: 1, or the block",
    ),
    Refused(
        _CUBES,
        {"pools__tpu__topology": "4x4x8"},
        "pools.tpu.topology",
        "32 machines are more than the 16 of the sub-block s; nearest: the block without",
    ),
    Refused(
        _CUBES,
        {"pools__more": _CUBE},
        "pools.more.topology",
        "32 machines are more than the 16 of the sub-block s; nearest: the block without",
    ),
]
