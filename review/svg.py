"""A Mermaid flowchart of `tools/picture.py` as an SVG that needs no script. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

import networkx as nx

from review.change import Verb
from review.picture import COLOURS

_NODE = re.compile(r'^ {4}(\w+)\["<b>([^<]*)</b>(.*)"\]$', re.M)
_EDGE = re.compile(r"^ {4}(\w+) --> (\w+)$", re.M)
_LINE, _WIDTH, _GAP, _PAD = 16, 200, 56, 10


def drawn(mermaid: str, verbs: Mapping[str, Verb]) -> str:
    """Boxes in columns: each stands to the right of all that it waits for."""
    labels = {node: [name, *_lines(rest)] for node, name, rest in _NODE.findall(mermaid)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(labels)
    graph.add_edges_from(_EDGE.findall(mermaid))
    column: dict[str, int] = {}
    for node in nx.topological_sort(graph) if nx.is_directed_acyclic_graph(graph) else labels:
        column[node] = max((column.get(it, 0) + 1 for it in graph.predecessors(node)), default=0)
    places: dict[str, tuple[int, int, int]] = {}
    bottoms: dict[int, int] = {}
    for node, texts in labels.items():
        top = bottoms.get(column[node], _PAD)
        height = _LINE * len(texts) + _PAD
        places[node] = (_PAD + column[node] * (_WIDTH + _GAP), top, height)
        bottoms[column[node]] = top + height + _PAD
    width = (max(column.values(), default=0) + 1) * (_WIDTH + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{max(bottoms.values(), default=_PAD) + _PAD}" '
        'font-family="sans-serif" font-size="12">',
    ]
    parts += [_arrow(places[first], places[second]) for first, second in graph.edges]
    parts += [_box(places[node], texts, verbs.get(node)) for node, texts in labels.items()]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _lines(rest: str) -> list[str]:
    return [line for line in rest.split("<br/>") if line]


def _arrow(first: tuple[int, int, int], second: tuple[int, int, int]) -> str:
    x1, y1 = first[0] + _WIDTH, first[1] + first[2] // 2
    x2, y2 = second[0], second[1] + second[2] // 2
    middle = (x1 + x2) // 2
    return (
        f'<path d="M{x1},{y1} C{middle},{y1} {middle},{y2} {x2},{y2}" '
        'fill="none" stroke="#8b949e"/>'
    )


def _box(place: tuple[int, int, int], texts: list[str], verb: Verb | None) -> str:
    x, y, height = place
    fill = COLOURS[verb] if verb else "#eaeef2"
    weights = ["bold", *["normal"] * len(texts)]
    lines = "".join(
        f'<text x="{x + 8}" y="{y + _LINE * (number + 1)}" font-weight="{weights[number]}">'
        f"{escape(text)}</text>"
        for number, text in enumerate(texts)
    )
    told = f"<title>{verb}</title>" if verb else ""
    return (
        f'<g>{told}<rect x="{x}" y="{y}" width="{_WIDTH}" height="{height}" rx="4" '
        f'fill="{fill}" stroke="#57606a"/>{lines}</g>'
    )
