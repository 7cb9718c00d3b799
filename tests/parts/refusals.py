"""What no config may say, in refused/*.yaml: a stack and what is changed in it, by paths as
`tests.conftest.changed` has them, then the field that is named and words of its line. What is right
beside it is in right.yaml. A row with files is of what a job brings: each file's text or bytes, or
what it is a link to (-> OTHER), or `null` for a folder."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import yaml

from stacks.config import validate
from stacks.parts.jobs.script import Script
from stacks.parts.jobs.script_files import read, tokens_of
from tests.conftest import changed, stack_config
from tests.parts.claim_samples import CLAIMED
from tests.parts.existing_samples import IN_CLUSTER, ON_NETWORK, ON_PLATFORM
from tests.parts.machine_samples import FALCON, NVLINK
from tests.parts.preset_samples import TPU_AUTOPILOT
from tests.parts.samples import HARDENED, SAMPLES, SERVE_ALONE
from tests.parts.test_taints import STACK as TAINTED
from tests.programs import WITH_TOKEN, lines_of
from tests.unit import script_samples
from tests.unit.effect_queues import EITHER
from tests.unit.team_stack import LAB

_FOLDER = Path(__file__).parent / "refused"
_PRESET = "Pulumi."
_LINK = "-> "
STACKS: dict[str, dict[str, Any]] = {
    **SAMPLES,
    "claimed": CLAIMED,
    "either": EITHER,
    "falcon": FALCON,
    "hardened": HARDENED,
    "in-cluster": IN_CLUSTER,
    "nvlink": NVLINK,
    "on-network": ON_NETWORK,
    "on-platform": ON_PLATFORM,
    "scripts": script_samples.STACK,
    "scripts-b200": script_samples.B200,
    "serve-alone": SERVE_ALONE,
    "tainted": TAINTED,
    "teams": LAB,
    "tpu-autopilot": TPU_AUTOPILOT,
}


class Refused(NamedTuple):
    """`values` are set in `stack` by their paths; `words` are in the line about `field`."""

    stack: dict[str, Any]
    values: dict[str, Any]
    field: str
    words: str
    files: Mapping[str, str | bytes | None] = {}

    @property
    def config(self) -> dict[str, Any]:
        return changed(self.stack, **self.values)

    def lines(self) -> tuple[str, ...]:
        if not self.files:
            return lines_of(self.config, WITH_TOKEN)
        stack = validate(self.config, secrets_set=WITH_TOKEN).stack
        scripts = {name: it for name, it in stack.jobs.items() if isinstance(it, Script)}
        tokens = {name: tokens_of(stack, it) for name, it in scripts.items()}
        with TemporaryDirectory() as folder:
            for name, text in self.files.items():
                _bring(Path(folder, name), text)
            problems = read(Path(folder), scripts, tokens).problems
        return tuple(f"stack.{it.field}: {it.message}" for it in problems)


def _bring(path: Path, text: str | bytes | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.mkdir()
    elif isinstance(text, bytes):
        path.write_bytes(text)
    elif text.startswith(_LINK):
        path.symlink_to(text.removeprefix(_LINK))
    else:
        path.write_text(text)


def _named(number: int, **values: str) -> dict[str, str]:
    return {"name": f"a{number}", **values}


_WINDOW = {"start": "2099-01-03T02:00:00Z", "end": "2099-01-03T08:00:00Z"}
_DAYS = {"start": "2099-01-01T00:00:00Z", "end": "2099-02-01T00:00:00Z", "scope": "NO_UPGRADES"}
_EXCLUSIONS = [_named(number, **_DAYS) for number in range(21)]


def _stack(name: str) -> dict[str, Any]:
    return stack_config(name[len(_PRESET) :]) if name.startswith(_PRESET) else STACKS[name]


def _rows() -> Iterator[Refused]:
    for file in sorted(_FOLDER.glob("*.yaml")):
        for row in yaml.safe_load(file.read_text()):
            files = row.pop("files", {})
            (name, values), (field, words) = row.items()
            yield Refused(_stack(name), values, field, words, files)


def _right() -> Iterator[dict[str, Any]]:
    for row in yaml.safe_load(_FOLDER.with_name("right.yaml").read_text()):
        ((name, values),) = row.items()
        yield changed(_stack(name), **values)


# Too long to be written out.
_LONG: list[tuple[str, dict[str, Any], str, str]] = [
    (
        "bare",
        {"buckets__data": {"lifecycle": [{"action": "delete", "age_days": 1}] * 101}},
        "buckets.data.lifecycle",
        "101 rules are more than a bucket takes; nearest: 100 of them",
    ),
    (
        "bare",
        {"cluster__authorized_networks": [_named(n, cidr=f"203.0.{n}.0/24") for n in range(101)]},
        "cluster.authorized_networks",
        "101 ranges are more than GKE takes; nearest: 100 of them",
    ),
    (
        "bare",
        {
            "cluster__maintenance": {
                **_WINDOW,
                "exclusions": [_named(n, **_DAYS) for n in range(21)],
            }
        },
        "cluster.maintenance.exclusions",
        "21 exclusions are more than a cluster takes; nearest: 20 of them",
    ),
    ("bare", {"labels": {f"a{n}": "a" for n in range(62)}}, "labels", "nearest: 61 of them"),
    ("bare", {"pools__gpu__nodes": 10**6000}, "pools.gpu.nodes", "nearest: 1000"),
    ("bare", {"pools__gpu__nodes": "1" * 900}, "pools.gpu.nodes", "nearest: 1000"),
    (
        "scripts",
        {"jobs__train__command": ["run", "x" * 16385]},
        "jobs.train.command[1]",
        "16385 characters are more than any text here has; nearest: one of at most 16384",
    ),
]
RIGHT = [*_right()]
REFUSED = [
    *_rows(),
    *(Refused(STACKS[name], values, field, words) for name, values, field, words in _LONG),
]
