"""Problems of a part under the names that the part has in a stack. No Pulumi import."""

import re
from collections.abc import Iterable, Iterator, Mapping

from stacks.problems import Problem


def under(names: Mapping[str, str], problems: Iterable[Problem]) -> Iterator[Problem]:
    """The same problems where rules speak of the fields in `names` by other names.

    A rule that knows one job says `job.steps`; of a job called first it is `jobs.first.steps`.
    """
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w./-])({'|'.join(map(re.escape, longest_first))})(?=[.\[]|$)")

    def renamed(text: str) -> str:
        return pattern.sub(lambda found: names[found[1]], text)

    for one in problems:
        yield Problem(renamed(one.field), renamed(one.message))
