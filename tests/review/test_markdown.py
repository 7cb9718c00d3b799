"""The comment: dangers first, within its length, and nothing left out without a word."""

from __future__ import annotations

from review.budget import Section, fitted
from review.change import Cause, Change
from review.cost import Amount, Cost, Part
from review.danger import Danger
from review.markdown import MARK, markdown
from review.picture import coloured
from review.review import Review
from review.stack_review import StackReview
from stacks.acknowledge import Acknowledge, entry
from stacks.money import Unpriced
from tests.review.test_changes import POOL, urn

PATH = "nodeConfig.taints[0].key"
SPOT = Cause("nodeConfig.spot", "true", "false")
CHANGE = Change(urn("gpu-pool"), "replace", (SPOT,), {}, {})
ENTRY = entry("gpu-pool", PATH, "held")
LOST = Danger("gpu-pool", POOL, "replace", (PATH,), "a | b", "8 GPUs taken away", (ENTRY,))
BEFORE = Cost((Part("gpu", "machines", Amount(1.0, 2.0), "a page"),), {"GPU": (8, 8)})
AFTER = Cost((Part("gpu", "machines", Amount(2.0, 4.0), "a page"), Part("l", "x", None, "none")))


def reviewed(**more: object) -> StackReview:
    fields: dict[str, object] = {"changes": (CHANGE,), "before": BEFORE, "after": AFTER}
    return StackReview("dev", "changed", **{**fields, **more})  # type: ignore[arg-type]


def text_of(*stacks: StackReview) -> str:
    return markdown(Review("main", "0123456789abcdef", stacks))


def test_dangers_come_before_everything_else() -> None:
    text = text_of(reviewed(dangers=(LOST,)))
    assert text.startswith(f"{MARK}\n")
    assert text.index("### Dangers") < text.index("### Stacks") < text.index("### dev")
    assert "| dev | `gpu-pool` replaced | `a \\| b` | `8 GPUs taken away` | **no** |" in text


def test_the_text_to_agree_with_is_yaml_that_the_config_takes() -> None:
    import yaml

    text = text_of(reviewed(dangers=(LOST,)))
    block = text.partition("```yaml\n")[2].partition("```")[0]
    (pasted,) = yaml.safe_load(block)["acknowledge"]
    wanted = Acknowledge(resource="gpu-pool", property=PATH, to="held")
    assert Acknowledge.model_validate(pasted) == wanted


def test_an_agreement_that_is_spent_is_to_be_deleted() -> None:
    old = Acknowledge(resource="gpu-pool", property="nodeConfig.spot", to=False)
    text = text_of(StackReview("dev", "same", "no difference", spent=(old,)))
    line = "{resource: gpu-pool, property: nodeConfig.spot, to: false}"
    assert f"has `{line}`, which agrees to nothing any more: delete it" in text


def test_every_stack_has_what_a_month_of_it_costs_and_the_last_line_has_all_of_them() -> None:
    assert "together" not in text_of(reviewed()).partition("### dev")[0]
    gone = reviewed(after=None)
    table = text_of(reviewed(), reviewed(), gone).partition("### Stacks")[2].partition("###")[0]
    assert table.count("| 1,460.00 to 2,920.00 |") == 2
    (last,) = [it for it in table.splitlines() if it.startswith("| **together**")]
    assert last == ("| **together** | | 4.00 to 8.00 + 2 unknown | 2,920.00 to 5,840.00 | | |")


def test_a_stack_without_a_difference_is_one_line() -> None:
    text = text_of(StackReview("dev", "same", "no difference"))
    assert text.count("dev") == 1


def test_cost_is_shown_before_after_and_as_a_difference_with_what_is_unknown() -> None:
    row = next(it for it in text_of(reviewed()).splitlines() if it.startswith("| dev | "))
    assert (
        "1.00 to 2.00 -> 2.00 to 4.00 + 1 unknown (+1.00 to +2.00, and 1 unknown that differs)"
        in row
    )
    assert "8 GPU -> none" in row


def test_accelerators_without_a_price_stand_in_every_sum_and_leave_no_month() -> None:
    lacks = Unpriced("2 x a3-ultragpu-8g (16 H200)", "a3-ultragpu-8g")
    flex = Part("gpu", "2 x a3-ultragpu-8g, flex-start", None, "no price known", unpriced=lacks)
    after = Cost((Part("gke", "cluster fee", Amount(0.1, 0.1), "a page"), flex))
    text = text_of(reviewed(after=after), reviewed(after=after))
    said = "at least 0.10, and 2 x a3-ultragpu-8g (16 H200) of unknown price"
    row = next(it for it in text.splitlines() if it.startswith("| dev | "))
    assert f"| 1.00 to 2.00 -> {said} | unknown | " in row
    known = next(it for it in text.splitlines() if it.startswith("| **known together**"))
    assert known.endswith(f"| {said} | unknown | |")
    (last,) = [it for it in text.splitlines() if it.startswith("| **together**")]
    assert last.endswith(
        "at least 0.20, and 2 x a3-ultragpu-8g (16 H200) and 2 x a3-ultragpu-8g (16 H200) "
        "of unknown price | unknown | | |"
    )
    bill = reviewed(after=after).to_json()["cost"]["after"]
    assert bill["known_usd_month"] is None
    assert bill["unpriced_accelerators"] == ["2 x a3-ultragpu-8g (16 H200)"]


def test_the_time_of_up_is_shown_with_its_range() -> None:
    chain = (("create", "gke-cluster", 480.0),)
    text = text_of(reviewed(makespan_s=480.0, low_s=213.0, high_s=4000.0, chain=chain))
    assert text.count("8:00 min (3:33 min to 1:06:40 h)") == 2
    short = text_of(reviewed(makespan_s=480.0, low_s=213.0, high_s=522.0, chain=chain))
    assert "About 8:00 min (3:33 to 8:42 min) of cloud time" in short


def test_a_value_cannot_break_out_of_its_place() -> None:
    cause = Cause("labels.a", "", "``` | `</details>")
    text = text_of(reviewed(changes=(Change(urn("gpu"), "update", (cause,), {}, {}),)))
    line = next(it for it in text.splitlines() if it.startswith("- update"))
    assert line == "- update `gpu` (NodePool): `labels.a:  -> ''' \\| '</details>`"


def test_a_report_that_is_too_long_shortens_its_largest_parts_and_says_so() -> None:
    large = reviewed(manifests="\n".join(f"+{'x' * 200}{i}" for i in range(2000)))
    small = reviewed(manifests="+x\n" * 500)
    text = text_of(large, small, reviewed(mermaid="flowchart LR\n" + "    a --> b\n" * 9000))
    assert len(text) <= 65_536
    assert "100 lines more; the whole of it is in the JSON report" in text
    assert "Left out for length: Kubernetes manifests of dev (" in text
    assert "Left out for length: picture of dev (" in text
    assert text.count("<details>") == text.count("</details>")


def test_thousands_of_dangers_are_counted_where_they_do_not_fit() -> None:
    text = text_of(*[reviewed(dangers=(LOST,) * 50, changes=(CHANGE,) * 50)] * 60)
    assert len(text) <= 65_536
    assert "2940 more dangers" in text


def test_sections_of_no_rank_stay_until_nothing_else_is_left_to_shorten() -> None:
    parts = [Section("a" * 50), Section("b" * 100, "b", rank=1), Section("c" * 40, "c", rank=2)]
    assert fitted(parts, 160) == "\n\n".join(["a" * 50, "b" * 100, "c"])
    assert fitted(parts, 60) == "\n\n".join(["a" * 50, "b", "c"])
    cut = fitted([Section("a" * 500)], 200)
    assert len(cut) <= 200
    assert "The report was cut here: 500 characters do not fit" in cut


def test_a_picture_colours_components_by_the_worst_that_happens_in_them() -> None:
    stack = "urn:pulumi:dev::gke-ai-stacks::"
    kind = "gke-ai-stacks:a:A"
    state = [
        {"urn": f"{stack}{kind}::gpu", "type": kind},
        {"urn": f"{stack}{kind}${POOL}::gpu-pool", "type": POOL, "parent": f"{stack}{kind}::gpu"},
        {"urn": f"{stack}{kind}::net", "type": kind},
    ]
    changes = [
        Change(str(state[1]["urn"]), verb, (), {}, {}) for verb in ("replace", "create", "update")
    ]
    mermaid = coloured({}, state, changes)  # type: ignore[arg-type]
    lines = [it for it in mermaid.splitlines() if it.startswith("    class")]
    assert lines == ["    classDef replace fill:#e0823d,color:#000", "    class gpu replace"]
