"""What vLLM needs of a model's shape and of its GPUs, by arithmetic, and what that refuses.

It cannot show that a server which passes starts: only GPUs can.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import Catalog
from stacks.parts.servers.vllm_rules import VllmServer, vllm_problems
from stacks.problems import Problem

CATALOG = Catalog.load()
TABLE = CATALOG.served_models
GIB = 2**30
L4 = VllmServer(table=TABLE, model="google/gemma-2-9b-it", gpus=2, most_gpus=8, gpu_memory_gib=24)
LLAMA = replace(L4, model="meta-llama/Llama-3.1-8B-Instruct", gpus=1)
NAMES = sorted(TABLE.models)
SERVERS = st.builds(
    VllmServer,
    table=st.just(TABLE),
    model=st.sampled_from([*NAMES, "somebodys/model"]),
    gpus=st.integers(1, 16),
    most_gpus=st.sampled_from([1, 2, 4, 8]),
    gpu_memory_gib=st.sampled_from([16, 24, 80, 141, 180]),
    max_model_len=st.none() | st.integers(1, 200_000),
    gpu_memory_utilization=st.none() | st.floats(0.05, 1),
)


def problems(server: VllmServer) -> list[Problem]:
    return list(vllm_problems(server))


def offered(problem: Problem) -> str:
    return problem.message.rpartition("; nearest: ")[2]


def accepting(server: VllmServer, problem: Problem) -> VllmServer:
    field = problem.field.removeprefix("server.")
    value = offered(problem)
    return replace(server, **{field: int(value) if value.isdigit() else value})


# The models


def test_models_have_the_parameters_that_their_makers_print() -> None:
    """Billions, as Hugging Face and OpenAI's model card print them."""
    printed = {
        "google/gemma-2-2b": 2.61,
        "google/gemma-2-9b": 9.24,
        "google/gemma-2-27b": 27.23,
        "Qwen/Qwen2.5-7B-Instruct": 7.62,
        "Qwen/Qwen2.5-32B-Instruct": 32.76,
        "Qwen/Qwen2.5-72B-Instruct": 72.71,
        "Qwen/Qwen3-8B": 8.19,
        "Qwen/Qwen3-32B": 32.76,
        "openai/gpt-oss-20b": 20.91,
        "openai/gpt-oss-120b": 116.83,
    }
    assert {it: round(TABLE.models[it].parameters / 1e9, 2) for it in printed} == printed


@pytest.mark.parametrize("size", ["8b", "70b"])
def test_llama_is_the_one_that_maxtext_trains(size: str) -> None:
    served = TABLE.models[f"meta-llama/Llama-3.1-{size.upper()}"]
    trained = CATALOG.maxtext.models[f"llama3.1-{size}"]
    assert served.parameters == trained.parameters
    assert (served.hidden, served.layers, served.heads, served.kv_heads, served.head_width) == (
        trained.width,
        trained.layers,
        trained.heads,
        trained.kv_heads,
        trained.head_width,
    )


def test_weights_of_four_bits_are_as_large_as_the_makers_files() -> None:
    sizes = [TABLE.weights(f"openai/gpt-oss-{it}", 1) / GIB for it in ("20b", "120b")]
    assert sizes == pytest.approx([12.8, 60.8], abs=0.05)


def test_no_model_looks_at_every_token_in_more_layers_than_it_has() -> None:
    assert all(it.full_layers <= it.layers for it in TABLE.models.values())


# The rules


@pytest.mark.parametrize("name", NAMES)
def test_every_model_starts_on_a_node_with_eight_large_gpus_or_says_on_how_many(name: str) -> None:
    server = replace(L4, model=name, gpus=8, gpu_memory_gib=141)
    for problem in problems(server):
        server = accepting(server, problem)
    assert not problems(server)


def test_the_tutorials_gemma_starts_on_its_two_l4s() -> None:
    assert not problems(L4)


@pytest.mark.parametrize(
    ("name", "gpus", "nearest"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", 8, "4"),
        # 28 attention heads would do, four key-value heads do not.
        ("Qwen/Qwen2.5-7B-Instruct", 7, "4"),
        ("google/gemma-2-2b-it", 3, "2"),
        ("Qwen/Qwen3-8B", 6, "4"),
    ],
)
def test_heads_are_shared_out_evenly(name: str, gpus: int, nearest: str) -> None:
    (found,) = problems(replace(L4, model=name, gpus=gpus))
    assert (found.field, offered(found)) == ("server.gpus", nearest)


@pytest.mark.parametrize("gpus", [16, 32])
def test_one_key_value_head_may_be_on_several_gpus(gpus: int) -> None:
    assert TABLE.models["meta-llama/Llama-3.1-70B"].splits_into(gpus)
    per_gpu = TABLE.token("meta-llama/Llama-3.1-70B", gpus)
    assert per_gpu == TABLE.token("meta-llama/Llama-3.1-70B", 8)


def test_no_request_is_longer_than_the_model_tells_apart() -> None:
    assert not problems(replace(L4, max_model_len=8192))
    (found,) = problems(replace(L4, max_model_len=8193))
    assert (found.field, offered(found)) == ("server.max_model_len", "8192")


def test_weights_that_have_no_room_want_more_gpus_of_the_node() -> None:
    (found,) = problems(replace(L4, model="meta-llama/Llama-3.1-70B-Instruct"))
    assert found == Problem(
        "server.gpus",
        "meta-llama/Llama-3.1-70B-Instruct on 2 GPUs has 65.7 GiB of weights on each, of whose 24 "
        "GiB vLLM takes 22.1; nearest: 8",
    )


def test_where_no_gpus_of_the_node_would_do_a_smaller_model_does() -> None:
    (found,) = problems(replace(L4, model="google/gemma-2-27b-it", gpus=1, most_gpus=1))
    assert found.field == "server.model"
    assert not problems(replace(L4, model=offered(found), gpus=1))


def test_where_no_known_model_would_do_it_takes_larger_gpus() -> None:
    (found,) = problems(replace(L4, gpus=1, most_gpus=1, gpu_memory_gib=2))
    assert (found.field, offered(found)) == ("server.model", "GPUs with more memory")


def test_a_model_in_its_whole_length_may_have_no_room_for_one_request() -> None:
    (found,) = problems(LLAMA)
    assert found == Problem(
        "server.max_model_len",
        "a request of 131072 tokens takes 16.0 GiB of each GPU, where vLLM has 7.1 beside the "
        "weights of meta-llama/Llama-3.1-8B-Instruct; nearest: 58336",
    )
    assert not problems(replace(LLAMA, max_model_len=58336))
    assert problems(replace(LLAMA, max_model_len=58337))


def test_more_of_the_memory_makes_room_for_longer_requests() -> None:
    """As far as vLLM is told to take it; by default it is 0.92."""
    assert problems(LLAMA) == problems(replace(LLAMA, gpu_memory_utilization=0.92))
    (found,) = problems(replace(LLAMA, gpu_memory_utilization=0.95))
    assert int(offered(found)) > 58336


def test_a_pod_has_room_on_its_disk_for_what_it_downloads_unless_a_bucket_has_it() -> None:
    (found,) = problems(replace(L4, disk_gib=19))
    assert found == Problem(
        "server.requests.ephemeral_storage_gib",
        "19 GiB do not hold the weights of google/gemma-2-9b-it, which a pod downloads, and 2 GiB "
        "beside them; nearest: 20",
    )
    assert not problems(replace(L4, disk_gib=20))
    assert not problems(replace(L4, disk_gib=None))


def test_the_disk_and_the_gpus_are_wrong_at_once() -> None:
    both = problems(replace(L4, model="meta-llama/Llama-3.1-70B", disk_gib=30))
    assert [it.field for it in both] == ["server.requests.ephemeral_storage_gib", "server.gpus"]


def test_of_a_model_that_is_not_known_nothing_is_said() -> None:
    assert not problems(replace(L4, model="somebodys/model", gpus=7, max_model_len=10**9))


@given(SERVERS)
def test_what_is_offered_in_its_place_is_accepted(server: VllmServer) -> None:
    seen = set[str]()
    while found := problems(server):
        (problem,) = found
        if offered(problem) == "GPUs with more memory":
            return
        # Each thing is wrong once; fewer GPUs for the heads may be too few for the weights.
        step = f"{problem.field}: {problem.message.partition(' ')[0]}"
        assert step not in seen
        seen.add(step)
        server = accepting(server, problem)
