"""Texts of stack files that readers of YAML read in different ways."""

from __future__ import annotations

import random

# The kinds of scalars: each with neighbours that are another kind, or none.
SCALARS = (
    *("yes", "Yes", "on", "off", "y", "NO", "true", "True", "TRUE", "tRUE", "~", "null", "Null"),
    *("0o17", "0O17", "0123", "08", "0o8", "0x1F", "0X1F", "0xg", "0b11", "-0b1", "0b-11", "0o+7"),
    *("1_000", "1__0", "_1", "0_1", "0x_1", "+1", "-5", "1.", ".5", "+.5", ".1_0", "._5", "1_0.5"),
    *("1e3", "1E3", "1e6", "1e20", "1e21", "1.5e300", "1e400", ".1e2", "1.5e-7", "-0.0", "5e-324"),
    *("1e", ".e5", "0x1p3", ".infinity", "1:30", "190:20:30", "=", "<<", "1.0", "1.50", "!x foo"),
    *(
        "12345678901234567890",
        "18446744073709551616",
        "-9223372036854775809",
        "9223372036854775808",
    ),
    *("2026-01-03", "2026-1-3", "20_26-01-03", "2026-02-30", "0001-01-01", "2026-01-03T02:00:00Z"),
    *("2026-01-03T02:00:00+02:00", "2026-01-03t02:00:00Z", "2026-01-03T02:00:00"),
    *("2026-01-03 02:00:00", "2026-01-03  2:3:4", "2026-01-03 02:00:00.50", "-2026-01-03"),
    *("!!str 5", "!!float 5", "!!binary aGk=", "!!int 5", "!!timestamp 2026-01-03", "'yes'", '"5"'),
)
_SIGNS = "0123456789__--++..eExXoObB::TtZz yn~<=ai"

# Files that the CLI takes, and those that it refuses, as we do.
FILES = {
    "no prefix": "config:\n  stack: {a: 1}\n  hugging_face_token: x\n  gcp:zone: z\n",
    "a prefix of three parts": "config:\n  gke-ai-stacks:config:stack: {a: 1}\n",
    "three parts of something else": "config:\n  gke-ai-stacks:foo:stack: {a: 1}\n",
    "no config": "config:\n",
    "an empty file": "",
    "only a comment": "# x\n",
    "a file of null": "~\n",
    "a list": "- a\n",
    "config is a list": "config: []\n",
    "config is text": "config: abc\n",
    "texts of other types": "config:\n  gcp:zone: 010\n  gcp:project: true\n  gcp:region: 1e6\n"
    "  d: 2026-01-03\n  n: ~\n  f: 1.50\n  q:\n",
    "null deep in the stack": "config:\n  stack: {a: ~, b: {c: }}\n",
    "keys that are no texts": "config:\n  stack: {1: x, true: t, 1.5: f, 0x10: h, yes: y, ~: n}\n",
    "a number as a key of config": "config:\n  1: x\n  stack: {a: 1}\n",
    "a number as a key of the file": "1: x\nconfig:\n  stack: {a: 1}\n",
    "a list as a key": "config:\n  stack:\n    ? [a, b]\n    : 1\n",
    "anchors and merges": "config:\n  stack:\n    a: &x {p: 1, s: 8}\n    b: *x\n"
    "    c: {<<: *x, p: 3}\n    e: {p: 4, <<: [{p: 5, r: 6}, {r: 7}]}\n",
    "an unknown anchor": "config:\n  stack: {c: *x}\n",
    "an anchor that holds itself": "config:\n  stack: &x\n    c: *x\n",
    "two merges": "config:\n  stack:\n    a: &x {p: 1}\n    c: {<<: *x, <<: {q: 1}}\n",
    "a key twice": "config:\n  stack:\n    b: {p: 1}\n    c: 1\n    b: {q: 1}\n",
    "a key twice in a flow": "config:\n  stack: {a: 1, b: {c: 1, c: 2}}\n",
    "a key twice, once in quotes": "config:\n  stack: {a: 1, 'a': 2}\n",
    "config twice": "config:\n  stack: {a: 1}\nconfig:\n  stack: {b: 1}\n",
    "a key twice beside config": "x: {a: 1, a: 2}\nconfig:\n  stack: {a: 1}\n",
    "other keys beside config": "x-mine: &x {p: 1}\nconfig:\n  stack: {a: *x}\n",
    "a byte order mark": "\ufeffconfig:\n  stack: {a: 1}\n",
    "lines of Windows": "config:\r\n  stack:\r\n    a: 1\r\n    b: |\r\n      x\r\n      y\r\n",
    "a tab that indents": "config:\n\tstack: {a: 1}\n",
    "tabs that do not": "config:\n  stack:\t{a: 1,\n\tb: x\ty}\t# z\n",
    "a control character": "config:\n  stack: {a: \x01}\n",
    "a version of YAML": "%YAML 1.1\n---\nconfig:\n  stack: {a: yes}\n",
    "another version of YAML": "%YAML 1.2\n---\nconfig:\n  stack: {a: yes}\n",
    "a brace that is not closed": "config:\n  stack: {a: 1\n",
    "another indentation": "config:\n  stack:\n    a: 1\n   b: 2\n",
    "blocks of text": "config:\n  stack:\n    a: >\n      x\n      y\n    b: |-\n      z\n"
    "    c: 'it''s'\n    d: \"a\\\n      b\"\n",
    "JSON": '{"config": {"stack": {"a": 1, "b": [true, null], "c": "\\u00e9"}}}',
    "a sign that begins nothing": "config:\n  stack: {a: @x}\n",
    "a number without an end": "config:\n  stack: {a: .inf}\n",
    "a tag that is not so": "config:\n  stack: {a: !!int x}\n",
    "sets and tagged blocks": "config:\n  stack: {a: !!set {x, y}, b: !!omap [c: 1]}\n",
    "colons without blanks": 'config:\n  stack: {a: x:1, "b":2}\n',
}

# Files of which the CLI passes over a part, or takes one of two values without a word.
PASSED_OVER = {
    "config:\n  stack: {a: 1}\n---\nconfig:\n  stack: {b: 1}\n": "line 4: a second document",
    "config:\n  stack: {a: 1}\n...\nconfig: [\n": "line 4, column 1: text behind the end",
    "config:\n  stack: {a: 1}\n  gke-ai-stacks:stack: {b: 1}\n": "stack: stands twice, as stack in "
    "line 2 and as gke-ai-stacks:stack in line 3",
    "config:\n  gke-ai-stacks:config:stack: {a: 1}\n  stack: {b: 1}\n": "stack: stands twice",
    "config:\n  stack: {1: x, 0x1: y}\n": "stack.1: stands twice, in line 2",
    "config:\n  stack:\n    a: &x {p: 1}\n    b: &x {p: 2}\n    c: *x\n": "line 4, column 8: an "
    "anchor (&NAME) that another value has already (begun in line 3)",
    "configs: {a: 1}\nconfig:\n  stack: {a: 1}\n": "configs (line 1): Pulumi passes over such a "
    "key; nearest: config",
    "stack: {a: 1}\nconfig:\n  gcp:zone: z\n": "stack (line 1): stands beside config",
    "gcp:zone: y\nconfig:\n  gcp:zone: z\n": "gcp:zone (line 1): stands beside config",
    "x: &x {config: {stack: {a: 1}}}\n<<: *x\n": "<< (line 2): stands where every key is",
}


def mutants(seed: int, count: int) -> list[str]:
    """Plain scalars near those above, by chance; none with a meaning to the syntax itself."""
    chance = random.Random(seed)
    found: set[str] = set()
    while len(found) < count:
        signs = list(chance.choice([it for it in SCALARS if it[0] not in "!'\""]))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(signs) + 1)
            signs[place : place + chance.randint(0, 1)] = [chance.choice(["", *_SIGNS])]
        text = "".join(signs).strip()
        bare = text.lstrip("+-").lower()
        if not text or bare in (".inf", ".nan") or text[0] in ":" or text[-1] == ":":
            continue
        if ": " not in text and not text.startswith(("- ", "-:")) and text != "-":
            found.add(text)
    return sorted(found)
