"""Kueue's admission as a pure function: what holds for any queues and any workloads."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.memory_kube.kueue.model import Claim, Flavor, Group, PodSet, Policy, Queue
from sandbox.memory_kube.kueue.quota import Holder, Limits
from sandbox.memory_kube.kueue.schedule import Schedule

GPU = "nvidia.com/gpu"
KEY = ("l4", GPU)
FLAVORS = {"l4": Flavor(name="l4", labels={}, taints=(), tolerations=())}
QUEUES = ("a", "b", "c")
WITHIN = ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
RECLAIM = ("Never", "LowerPriority", "Any")
Setting = tuple[int, str, str, bool]
Wish = tuple[str, int, int]

settings_of_queue = st.tuples(
    st.integers(0, 8), st.sampled_from(WITHIN), st.sampled_from(RECLAIM), st.booleans()
)
wishes = st.tuples(st.sampled_from(QUEUES), st.integers(0, 3), st.integers(1, 6))


def cohort(queues: list[Setting]) -> dict[str, Queue]:
    team = Holder(name="team")
    found: dict[str, Queue] = {}
    for name, (nominal, within, reclaim, borrows) in zip(QUEUES, queues, strict=True):
        holder = Holder(name=name, limits={KEY: Limits(nominal=Fraction(nominal))})
        holder.join(team)
        policy = Policy(
            within_queue=within,
            within_cohort=reclaim,
            # Kueue refuses the one without the other.
            preempts_to_borrow=borrows and reclaim != "Never",
            borrows_below=None,
            strict_order=False,
            tries_next_to_borrow=False,
            tries_next_to_preempt=True,
        )
        group = Group(resources=(GPU,), flavors=("l4",))
        found[name] = Queue(name=name, holder=holder, groups=(group,), policy=policy)
    return found


def claims(asked: list[Wish]) -> list[Claim]:
    return [
        Claim(
            key=f"job-{order}",
            queue=queue,
            priority=priority,
            order=order,
            pod_sets=(PodSet(name="main", count=1, spec={}, requests={GPU: Fraction(gpus)}),),
        )
        for order, (queue, priority, gpus) in enumerate(asked)
    ]


def admitted(found: list[Claim]) -> list[str]:
    return [claim.key for claim in found if claim.admitted]


@settings(max_examples=150, deadline=None)
@given(st.lists(settings_of_queue, min_size=3, max_size=3), st.lists(wishes, max_size=7))
def test_the_cohort_never_gives_more_than_it_has(queues: list[Setting], asked: list[Wish]) -> None:
    found, waiting = cohort(queues), claims(asked)
    Schedule(found, FLAVORS, waiting).run()
    total = sum(nominal for nominal, *_ in queues)
    given_out = sum(
        gpus for (_, _, gpus), claim in zip(asked, waiting, strict=True) if claim.admitted
    )
    assert given_out <= total
    assert all(claim.message for claim in waiting if not claim.admitted)


@settings(max_examples=150, deadline=None)
@given(st.lists(settings_of_queue, min_size=3, max_size=3), st.lists(wishes, max_size=7))
def test_what_has_come_to_rest_stays_as_it_is(queues: list[Setting], asked: list[Wish]) -> None:
    waiting = claims(asked)
    Schedule(cohort(queues), FLAVORS, waiting).run()
    before = admitted(waiting)
    Schedule(cohort(queues), FLAVORS, waiting).run()
    assert admitted(waiting) == before


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 8), st.lists(wishes, max_size=7), wishes)
def test_a_newcomer_only_takes_from_lower_priorities(
    nominal: int, asked: list[Wish], last: Wish
) -> None:
    queues = [(nominal, "LowerPriority", "LowerPriority", False)] * 3
    waiting = claims(asked)
    Schedule(cohort(queues), FLAVORS, waiting).run()
    before = {*admitted(waiting)}
    newcomer = claims([*asked, last])[-1]
    Schedule(cohort(queues), FLAVORS, [*waiting, newcomer]).run()
    lost = [claim for claim in waiting if claim.key in before and not claim.admitted]
    assert all(claim.priority < newcomer.priority for claim in lost)
