"""Compiles the training step of a MaxText job for TPUs that are not there, on this machine's CPU.

Run by the Python that has MaxText, JAX and libtpu, with MaxText's own options as arguments; what
its `train_compile` finds is printed last, as one line of JSON. What `train_compile` alone imports,
and a compilation has no use for, is stood in for: TensorFlow and the like are many GB.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import re
import sys
import time
from abc import ABCMeta
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from importlib.resources import files
from types import ModuleType
from typing import Any

# Data, tokenizers, logs, diagnostics, kernels and quantization that are off by default: whoever
# turned one on would be told that a stand-in is no number.
ABSENT = frozenset(
    {
        "PIL",
        "aqt",
        "cloud_accelerator_diagnostics",
        "cloud_tpu_diagnostics",
        "drjax",
        "google_cloud_mldiagnostics",
        "grain",
        "jinja2",
        "librosa",
        "ml_goodput_measurement",
        "pathwaysutils",
        "qwix",
        "requests",
        "sentencepiece",
        "sympy",
        "tensorboardX",
        "tensorflow",
        "tiktoken",
        "tokamax",
        "tokenizers",
        "transformers",
        "urllib3",
    }
)
# As XLA's TPU compiler says it (jax 0.8.1 with libtpu 0.0.30).
_OUT_OF_MEMORY = re.compile(r"Used ([\d.]+)([KMG]) of ([\d.]+)([KMG]) hbm")
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


class _Anything(ABCMeta):
    """A class that any name is taken from, and that may be a base, a type and a decorator."""

    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})

    def __or__(cls, other: object) -> type:
        return cls

    def __ror__(cls, other: object) -> type:
        return cls

    def __getitem__(cls, item: object) -> type:
        return cls

    def __call__(cls, *args: Any, **named: Any) -> Any:
        return args[0] if len(args) == 1 and callable(args[0]) and not named else cls


class _StandIn(ModuleType):
    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})


class _StandIns(MetaPathFinder, Loader):
    """Asked after the real ones: a package that is installed is itself."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        known = fullname.partition(".")[0] in ABSENT
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class _CompiledError(Exception):
    """Ends `train_compile` once the step is compiled: it would ask libtpu 0.0.30 next what the step
    costs, which aborts the process where no TPU is."""


def compiled(options: list[str]) -> dict[str, Any]:
    """Bytes that a chip needs of those that it has."""
    from maxtext.trainers.pre_train import train_compile

    kept: list[Any] = []
    compile_ = train_compile.jit_and_compile

    def keep(*args: Any, **named: Any) -> Any:
        kept.append(compile_(*args, **named))
        raise _CompiledError

    train_compile.jit_and_compile = keep
    config = str(files("maxtext.configs") / "base.yml")
    try:
        train_compile.main(["maxtext", config, *named_topology(options)])
    except _CompiledError:
        pass
    except Exception as error:
        if (found := _OUT_OF_MEMORY.search(str(error))) is None:
            return {"error": str(error).strip()[:2000] or type(error).__name__}
        used, unit, there, of = found.groups()
        return {
            "fits": False,
            "used_bytes": round(float(used) * _UNITS[unit]),
            "hbm_bytes": round(float(there) * _UNITS[of]),
        }
    memory = kept[0].memory_analysis()
    sizes = ("argument", "output", "temp", "alias", "generated_code")
    parts = {it: int(getattr(memory, f"{it}_size_in_bytes")) for it in sizes}
    # XLA's own: the sum of the parts can be more than there is although every buffer has its place.
    return {"fits": True, "used_bytes": int(memory.peak_memory_in_bytes), "parts": parts}


def named_topology(options: list[str]) -> list[str]:
    """MaxText knows `v6e:4x4` as v6e-16; not every topology of a generation has a name there."""
    from maxtext.utils import accelerator_to_spec_map as known

    key, asked = "compile_topology=", ""
    for option in options:
        asked = option.removeprefix(key) if option.startswith(key) else asked
    shape = asked.replace("v5p:", "v5:")
    names = known.UserFacingNameToSystemCharacteristics
    name = next((it for it, facts in names.items() if facts.topology_name == shape), None)
    if name is None:
        raise ValueError(f"train_compile has no name for {asked}; nearest: --estimate")
    return [f"{key}{name}" if it.startswith(key) else it for it in options]


def main() -> None:
    sys.meta_path.append(_StandIns())
    since = time.monotonic()
    found = compiled(sys.argv[1:])
    by = ", ".join(f"{it} {version(it)}" for it in ("maxtext", "jax", "libtpu"))
    print(json.dumps({**found, "by": by, "seconds": round(time.monotonic() - since, 1)}))


if __name__ == "__main__":
    main()
