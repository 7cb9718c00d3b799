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
        "huggingface_hub",
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
# Generations that MaxText calls by another name than Google's machines and Ray do (maxtext 0.2.5,
# utils/accelerator_to_spec_map.py).
MAXTEXT_GENERATIONS = {"v5p": "v5", "v7x": "tpu7x"}
# As XLA's TPU compiler says it (jax 0.8.1 with libtpu 0.0.30; where sparse cores have a part,
# openxla/xla docs/errors/error_1000.md, 21ecdc47), and since jax 0.11.1 with libtpu 0.0.46 of a
# program whose temporaries alone are too large, before it places anything (Llama 3 8B cut to two
# layers, 16, 24 and 64 sequences a chip of a slice 2x4 of v6e, compiled 2026-11-27).
_SIZE = r"([\d.]+)([BKMGTPE])"
_TEMPORARIES = re.compile(
    rf"total memory required for HLO temporaries \({_SIZE}\) exceeds available HBM \({_SIZE}\)"
)
_OUT_OF_MEMORY = re.compile(rf"Used {_SIZE} of {_SIZE} hbm")
_OF_BOTH_CORES = re.compile(
    rf"TensorCore Hbm usage: {_SIZE}, SparseCore Hbm usage:? {_SIZE}, exceeding available bytes: "
    + _SIZE
)
_UNITS = {unit: 1024**power for power, unit in enumerate("BKMGTPE")}


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
    # Of no release: MaxText 0.2.5 compares that of transformers.
    __version__ = "0"

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
        said = str(error).strip()
        return too_large(said) or {"error": said[:2000] or type(error).__name__}
    memory = kept[0].memory_analysis()
    sizes = ("argument", "output", "temp", "alias", "generated_code")
    parts = {it: int(getattr(memory, f"{it}_size_in_bytes")) for it in sizes}
    # XLA's own: the sum of the parts can be more than there is although every buffer has its place.
    return {"fits": True, "used_bytes": int(memory.peak_memory_in_bytes), "parts": parts}


def too_large(said: str) -> dict[str, Any] | None:
    """What XLA counted of a program that it has no place for; None where it says something else."""
    temporaries = _TEMPORARIES.search(said)
    found = temporaries or _OUT_OF_MEMORY.search(said) or _OF_BOTH_CORES.search(said)
    if found is None:
        return None
    words = iter(found.groups())
    *used, there = (round(float(it) * _UNITS[next(words)]) for it in words)
    counted = {"fits": False, "used_bytes": sum(used), "hbm_bytes": there}
    return counted | ({"without_arguments": True} if temporaries else {})


def named_topology(options: list[str]) -> list[str]:
    """MaxText knows `v6e:4x4` as v6e-16; not every topology of a generation has a name there."""
    from maxtext.utils import accelerator_to_spec_map as known

    key, asked = "compile_topology=", ""
    for option in options:
        asked = option.removeprefix(key) if option.startswith(key) else asked
    generation, colon, sides = asked.partition(":")
    shape = f"{MAXTEXT_GENERATIONS.get(generation, generation)}{colon}{sides}"
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
