"""docs/parts.md: its examples are stacks. docs/keys.md: its tables say what the schema says.

That the tables in the page are the current ones is tested beside the schema's files.
"""

import re

import pytest

from stacks.config import validate
from stacks.plan import Plan
from stacks.schema import stack_schema
from stacks.schema_tables import MARKER, key_sections, with_keys
from tests.pages.blocks import PAGES, shown_config
from tests.programs import WITH_TOKEN

TEXT = PAGES["docs/parts.md"]
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
    ("key", "default", "takes"),
    [
        ("name", "required", "text"),
        ("labels", "none", "text by name"),
        ("network.dcn", "2 of its own", "list of keys"),
        ("network.dcn.range", "required", "text"),
        ("pools.NAME.slices", "none", "1 to 1000 or list of 0 to 9999"),
        ("pools.NAME.taints.value", "empty", "text"),
        ("pools.NAME.disk.size_gb", "100", "20 to 65536"),
        ("cluster.mode", "standard", "`standard`, `autopilot`"),
        ("ray.NAME.head", "required", "keys"),
        ("ray.NAME.workers.NAME.pools", "none", "text or list of text"),
        ("queues.cluster_queues.NAME.flavors.NAME.lending.gpus", "none", "0 to 16000"),
        ("servers.NAME.engine", "vllm", "`tgi`, `vllm`"),
    ],
)
def test_a_row_says_what_a_key_is_by_itself_and_what_it_takes(
    key: str, default: str, takes: str
) -> None:
    assert ROWS[key][:2] == [default, takes]


def test_a_block_that_is_always_there_has_no_row_of_its_own() -> None:
    assert "pools.NAME.disk" not in ROWS
    assert "pools.NAME.autoscaling" in ROWS


def test_what_only_some_choices_have_says_which() -> None:
    assert ROWS["pools.NAME.capacity.mode"][0] == "on-demand"
    assert ROWS["pools.NAME.capacity.block"][2].startswith("`reservation`: ")
    assert ROWS["pools.NAME.capacity.max_run_hours"][2].startswith("`flex-start`, `queued`: ")


def test_each_type_of_job_has_a_table() -> None:
    for kind in ("nemo-rl", "verl", "maxtext", "image-classifier", "fine-tune"):
        assert f"\n## `jobs`, `type: {kind}`\n" in SECTIONS


def test_tables_go_between_the_markers_and_the_rest_of_a_page_stays() -> None:
    page = with_keys(f"before\n{MARKER}\nold\n{MARKER}\nafter\n", stack_schema())
    assert page == f"before\n{MARKER}\n\n{SECTIONS}\n\n{MARKER}\nafter\n"
