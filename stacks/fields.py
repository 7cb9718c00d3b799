"""Problems of a part under the names that the part has in a stack. No Pulumi import."""

import re
from collections.abc import Iterable, Iterator, Mapping

from stacks.problems import Problem


def under(names: Mapping[str, str], problems: Iterable[Problem]) -> Iterator[Problem]:
    """The same problems where rules speak of the fields in `names` by other names.

    A rule that knows one job says `job.steps`; of a job called first it is `jobs.first.steps`.
    """
    longest_first = sorted(names, key=len, reverse=True)
    names_of_fields = "|".join(map(re.escape, longest_first))
    # What a slash follows is a group of an API, such as kueue.x-k8s.io/v1beta2.
    pattern = re.compile(rf"(?<![\w./-])({names_of_fields})(?=[.\[]|$)(?![\w.-]*/)")

    def renamed(text: str) -> str:
        return pattern.sub(lambda found: names[found[1]], text)

    for one in problems:
        yield Problem(renamed(one.field), renamed(one.message))
