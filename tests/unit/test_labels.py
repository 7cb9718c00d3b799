"""Labels follow Google's and Kubernetes' rules at once."""

import pytest

from components.base.labels import check_labels, stack_labels


def test_a_stack_adds_its_own_labels_to_the_users() -> None:
    labels = stack_labels({"purpose": "rl-demo"}, "b200-lustre")
    assert labels == {"purpose": "rl-demo", "stack": "b200-lustre", "managed-by": "pulumi"}


def test_a_stack_name_that_is_no_label_value_is_made_one() -> None:
    assert stack_labels({}, "My.Stack_")["stack"] == "my-stack"


@pytest.mark.parametrize(
    ("labels", "end"),
    [
        ({"Team": "a"}, "nearest: team$"),
        ({"1st": "a"}, "nearest: st$"),
        ({"team-": "a"}, "nearest: team$"),
        ({"team": "A B"}, 'nearest: "a-b"$'),
        ({"team": "x" * 64}, r"nearest: \"x{63}\"$"),
        ({"team": "_x"}, 'nearest: "x"$'),
        ({f"k{n}": "v" for n in range(65)}, "nearest: 64$"),
    ],
)
def test_an_illegal_label_is_refused_with_one_that_works(labels: dict[str, str], end: str) -> None:
    with pytest.raises(ValueError, match=end):
        check_labels(labels)


@pytest.mark.parametrize("key", ["stack", "managed-by"])
def test_the_programs_own_labels_cannot_be_taken(key: str) -> None:
    with pytest.raises(ValueError, match=f"sets itself; nearest: my-{key}$"):
        stack_labels({key: "mine"}, "dev")
