"""docs/own-stack.md: its examples are stacks. docs/keys.md: its tables say what the schema says.

That the tables in the page are the current ones is tested beside the schema's files.
"""

import re

import pytest

from stacks.config import validate
from stacks.plan import Plan
from stacks.schema import stack_schema
from stacks.schema_tables import MARKER, key_sections, takes_by_path, with_keys
from tests.pages.blocks import PAGES, shown_config
from tests.programs import WITH_TOKEN

TEXT = PAGES["docs/own-stack.md"]
SECTIONS = key_sections(stack_schema())
ROWS = {
    cells[0].strip("`"): cells[1:]
    for line in SECTIONS.splitlines()
    if line.startswith("| `")
    for cells in [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]]
}


def plan_of(name: str) -> Plan:
    return validate(dict(shown_config(name)), secrets_set=WITH_TOKEN)


def test_there_is_a_stack_of_ten_lines() -> None:
    written = re.search(r"stack:\n(.*?)```", TEXT, re.S)
    assert written is not None
    assert len(written[1].splitlines()) < 10
    assert "name: mine\n" in written[1]


def test_examples_are_what_their_headings_say() -> None:
    queued = plan_of("verl-queued")
    assert queued.queues is not None
    assert [it.type for it in queued.ray_jobs.values()] == ["verl"]
    assert queued.stack.ray["verl"].queue == "research"
    types = plan_of("two-types")
    assert [*types.gpu_pools] == ["l4", "h200"]
    assert types.stack.lustre is not None
    tpus = plan_of("tpu-bucket")
    assert [*tpus.tpu_pools] == ["tpu"]
    assert [*tpus.buckets] == ["runs"]
    chat = plan_of("chat")
    assert chat.autopilot
    assert [*chat.servers] == ["gemma"]
    assert not chat.stack.ray
    assert [*plan_of("two-rays").ray] == ["one", "two"]
    either = plan_of("either")
    (workers,) = either.ray["either"].groups.values()
    assert [it.config.capacity.mode for it in workers.pools] == ["reservation", "spot"]
    kept = plan_of("kept")
    assert kept.stack.redis is not None
    assert kept.stack.ray["serve"].head.redis
    guest, platform, work = map(plan_of, ("shared-vpc", "platform", "work"))
    assert not guest.stack.makes_network
    assert guest.stack.cluster.is_made
    assert platform.stack.makes_network
    reference = work.stack.cluster.stack
    assert reference is not None
    assert reference.endswith("/platform")


@pytest.mark.parametrize(
    ("key", "takes"),
    [
        ("name", "text (required)"),
        ("labels", "text by name"),
        ("network.dcn", "list of keys (2 of its own)"),
        ("network.dcn.range", "text (required)"),
        ("pools.NAME.slices", "1..1000 or list of 0..9999"),
        ("pools.NAME.taints.value", "text (empty)"),
        ("pools.NAME.disk.size_gb", "20..65536 (100)"),
        ("cluster.mode", "`standard`, `autopilot` (standard)"),
        ("ray.NAME.head", "keys (required)"),
        ("ray.NAME.workers.NAME.pools", "text or list of text"),
        ("queues.cluster_queues.NAME.flavors.NAME.borrowing.gpus", "0..16000"),
        ("servers.NAME.engine", "`tgi`, `vllm` (vllm)"),
    ],
)
def test_a_row_says_what_a_key_takes_and_what_it_is_by_itself(key: str, takes: str) -> None:
    assert ROWS[key][0] == takes


def test_a_block_that_is_alike_to_one_above_names_it() -> None:
    assert ROWS["ray.NAME.head.limits"][0] == "keys of `ray.NAME.head.requests`"
    assert "ray.NAME.head.limits.cpu" not in ROWS
    assert "ray.NAME.head.limits.cpu" in takes_by_path(stack_schema())


def test_what_several_types_of_jobs_have_stands_once() -> None:
    shared = "| `nemo-rl`, `verl`, `maxtext`, `image-classifier`: RayCluster that it runs on;"
    assert SECTIONS.count(shared) == 1
    assert SECTIONS.count("| `jobs.NAME.type` ") == 1


def test_a_block_that_is_always_there_has_no_row_of_its_own() -> None:
    assert "pools.NAME.disk" not in ROWS
    assert "pools.NAME.autoscaling" in ROWS


def test_what_only_some_choices_have_says_which() -> None:
    assert ROWS["pools.NAME.capacity.mode"][0].endswith("(on-demand)")
    assert ROWS["pools.NAME.capacity.block"][1].startswith("`reservation`: ")
    assert ROWS["pools.NAME.capacity.max_run_hours"][1].startswith("`flex-start`, `queued`: ")


def test_each_type_of_job_has_a_table() -> None:
    for kind in ("nemo-rl", "verl", "maxtext", "image-classifier", "fine-tune"):
        assert f"\n## `jobs`, `type: {kind}`\n" in SECTIONS


def test_tables_go_between_the_markers_and_the_rest_of_a_page_stays() -> None:
    page = with_keys(f"before\n{MARKER}\nold\n{MARKER}\nafter\n", stack_schema())
    assert page == f"before\n{MARKER}\n\n{SECTIONS}\n\n{MARKER}\nafter\n"
