"""What the catalog and `aistack fit` take from MaxText, held against the pinned wheel itself: names
of topologies, and what its remat policies save. Nothing is compiled."""

import ast
import runpy
import sys
from types import ModuleType
from typing import Any

import pytest

from aistack.fit.compile_step import named_topology
from catalog import Catalog
from catalog.table import load_table
from catalog.topologies import TopologyTable
from tests.workloads.launchers.conftest import OPTIONS

SHAPES = load_table(TopologyTable, "topologies").shapes
# Activations that exist only where projections are fused, which MaxText's defaults leave off.
FUSED = {"qkv_proj": "fused_qkv", "mlpwi": "fused_mlp"}
# Of attention with compressed keys, which only other models have (layers/attention_compressed.py).
COMPRESSED = "kv_proj"
# Only additions follow it, so that the way back does not read it.
NOT_READ = "mlpwo"


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of MaxText that knows the names, without the rest of the package."""
    path = OPTIONS / "maxtext" / "utils" / "accelerator_to_spec_map.py"
    known = ModuleType("maxtext.utils.accelerator_to_spec_map")
    vars(known).update(runpy.run_path(str(path)))
    utils = ModuleType("maxtext.utils")
    vars(utils)["accelerator_to_spec_map"] = known
    for module in (ModuleType("maxtext"), utils, known):
        monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("shape", SHAPES, ids=lambda it: it.machine_type)
def test_every_topology_of_the_catalog_can_be_compiled_for(shape: Any) -> None:
    for topology in shape.topologies:
        (named,) = named_topology([f"compile_topology={shape.generation}:{topology}"])
        assert named.startswith("compile_topology=")
        assert ":" not in named


@pytest.mark.usefixtures("names")
def test_a_topology_that_maxtext_has_no_name_for_is_refused_with_the_way_round() -> None:
    with pytest.raises(ValueError, match="no name for v7x:3x3x3; nearest: --estimate"):
        named_topology(["compile_topology=v7x:3x3x3"])


def saved_by_policy() -> dict[str, set[str]]:
    """By remat policy the names that MaxText gives to JAX: strings in the branch of the policy, or
    in the function that the branch calls."""
    path = OPTIONS / "maxtext" / "layers" / "nnx_decoders.py"
    functions = {
        it.name: it
        for it in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(it, ast.FunctionDef)
    }
    lists = [it for it in ast.walk(functions["minimal_policy"]) if isinstance(it, ast.List)]
    minimal = {str(ast.literal_eval(one)) for it in lists for one in it.elts}
    found: dict[str, set[str]] = {"full": set(), "minimal": minimal}
    for branch in ast.walk(functions["get_remat_policy"]):
        if isinstance(branch, ast.If) and isinstance(branch.test, ast.Compare):
            (compared,) = branch.test.comparators
            calls = [it for one in branch.body for it in ast.walk(one) if isinstance(it, ast.Call)]
            saves = [it for it in calls if "save_only_these_names" in ast.unparse(it.func)]
            if isinstance(compared, ast.Constant) and saves:
                found[str(compared.value)] = {ast.literal_eval(it) for it in saves[0].args}
    return found


def test_what_a_remat_policy_saves_is_maxtexts_list_as_far_as_the_way_back_reads_it(
    maxtext_options: dict[str, Any],
) -> None:
    assert not any(maxtext_options[option] for option in FUSED.values())
    of_maxtext = saved_by_policy()
    for policy, saved in Catalog.load().maxtext.saved.items():
        assert {*saved} == of_maxtext[policy] - {*FUSED, COMPRESSED, NOT_READ}


def test_sizes_of_numbers_and_files_are_maxtexts_defaults(maxtext_options: dict[str, Any]) -> None:
    table = Catalog.load().maxtext
    assert table.default_remat_policy == maxtext_options["remat_policy"]
    assert (
        table.checkpoint_file_bytes
        == (maxtext_options["checkpoint_storage_target_data_file_size_bytes"])
    )
    bytes_ = {"float32": 4, "bfloat16": 2}
    weight = bytes_[maxtext_options["weight_dtype"]]
    assert table.state_bytes == 3 * weight
    assert table.gradient_bytes == bytes_[maxtext_options["grad_dtype"]]
    assert table.activation_bytes == bytes_[maxtext_options["dtype"]]
    assert not maxtext_options["logits_dot_in_fp32"]
    assert maxtext_options["num_vocab_tiling"] == 1
    assert table.logit_bytes == bytes_[maxtext_options["dtype"]]
