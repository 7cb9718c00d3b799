"""Names are legal for their kind. Nothing here can tell whether a name is still free."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.base.naming import NameKind, check_name, cloud_name

PARTS = st.lists(st.from_regex(r"[a-z][a-z0-9]{0,20}", fullmatch=True), min_size=1, max_size=6)


def test_the_names_of_the_main_stack_do_not_change() -> None:
    assert cloud_name(NameKind.NETWORK, "ray-a4-gpu-spot", "net") == "ray-a4-gpu-spot-net"
    assert cloud_name(NameKind.SERVICE_ACCOUNT, "ray-a4-gpu-spot", "gpu") == "ray-a4-gpu-spot-gpu"


@pytest.mark.parametrize(
    ("kind", "longest"),
    [
        (NameKind.PROJECT, 30),
        (NameKind.CLUSTER, 40),
        (NameKind.NODE_POOL, 40),
        (NameKind.NETWORK, 63),
        (NameKind.LUSTRE, 63),
        (NameKind.BUCKET, 63),
        (NameKind.NAMESPACE, 63),
        (NameKind.RAY_CLUSTER, 53),
        (NameKind.RAY_JOB, 47),
        (NameKind.KUBERNETES, 253),
    ],
)
def test_a_given_name_may_be_as_long_as_its_kind_allows(kind: NameKind, longest: int) -> None:
    assert check_name(kind, "a" * longest) == "a" * longest
    with pytest.raises(ValueError, match=rf"has at most {longest}; nearest: a+-[0-9a-f]{{6}}$"):
        check_name(kind, "a" * (longest + 1))


@pytest.mark.parametrize("bad", ["Lustre", "1st", "a_b", "a-", "-a", "a.b"])
def test_an_illegal_name_is_refused_with_one_that_is_legal(bad: str) -> None:
    with pytest.raises(ValueError, match=r"no hyphen last\); nearest: [a-z]") as caught:
        check_name(NameKind.CLUSTER, bad)
    nearest = str(caught.value).rpartition(" ")[2]
    assert check_name(NameKind.CLUSTER, nearest) == nearest


def test_a_short_name_is_refused_where_the_kind_has_a_minimum() -> None:
    with pytest.raises(ValueError, match=r"has at least 6; nearest: dev-stack$"):
        check_name(NameKind.PROJECT, "dev")


@given(PARTS)
def test_service_account_names_are_always_legal_and_repeatable(parts: list[str]) -> None:
    base = ["stack", *parts]
    name = cloud_name(NameKind.SERVICE_ACCOUNT, *base)
    assert 6 <= len(name) <= 30
    assert check_name(NameKind.SERVICE_ACCOUNT, name) == name
    assert cloud_name(NameKind.SERVICE_ACCOUNT, *base) == name


@given(st.text(alphabet="abc-", min_size=30, max_size=60).map(lambda tail: f"a{tail}z"))
def test_shortened_names_that_differ_only_at_the_end_stay_apart(name: str) -> None:
    one = cloud_name(NameKind.SERVICE_ACCOUNT, name, "cpu")
    other = cloud_name(NameKind.SERVICE_ACCOUNT, name, "gpu")
    assert one != other


@given(st.text(max_size=80), st.sampled_from(NameKind))
def test_the_nearest_name_offered_is_legal(text: str, kind: NameKind) -> None:
    try:
        check_name(kind, text)
    except ValueError as error:
        nearest = str(error).rpartition("nearest: ")[2]
        assert check_name(kind, nearest) == nearest
