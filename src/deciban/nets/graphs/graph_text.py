r"""Graphs as text: the model strings of R's bnlearn, and the language of dagitty.

A model string lists each node in brackets, with its parents after a bar,

    [A][B|A][C|A:B]

In the language of dagitty, which is based on Graphviz's DOT, a graph is a list of edges,

    dag { A -> B <- C; B -> { D E }; "blood pressure" [latent, pos="0.1,0.2"] }

with ``->``, ``<->`` and ``--``, and ``@->``, ``@-@`` and ``@--`` where ``@`` is a circle. Semicolons and line breaks
are spaces. A name of letters, digits, ``_`` and ``.`` is written as it is, any other in quotes, where ``\"`` is a quote
and ``\\`` a backslash. Attributes are ignored: a graph here has no positions and no roles.

bnlearn has no quotes: model strings take them, too, for names with brackets, bars, colons or quotes in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from deciban.choices import closest
from deciban.errors import GraphError, GraphTextError

__all__ = ["DagittyEdge", "read_dagitty", "read_model_string", "write_dagitty", "write_model_string"]


_EDGES = {
    "->": "→", "<-": "←", "<->": "↔", "--": "—", "@->": "o→", "<-@": "←o", "@-@": "o—o", "@--": "o—", "--@": "—o",
}  # fmt: skip
_OPERATORS = {symbol: operator for operator, symbol in _EDGES.items()}
_TYPES = ("dag", "pdag", "mag", "pag", "graph", "digraph")

_BARE = re.compile(r"[0-9a-zA-Z_.]+")
_ESCAPED = re.compile(r"\\([\"\\])")
# A backslash is doubled only where it would otherwise be read with what follows it, as dagitty has no such escape.
_TO_ESCAPE = re.compile(r"\\(?=[\"\\]|\Z)|\"")
_QUOTED = r'"(?:\\[\s\S]|[^"\\])*"'
_DEEPEST = 100
"""The most braces within braces: they are read recursively."""


class _Token(NamedTuple):
    """A piece of the text: its kind ("name", a mark, or "end"), its value and where it begins."""

    kind: str
    value: str
    start: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else repr(self.value)


class _Tokens:
    """The tokens of a text, and the index of the next one."""

    def __init__(self, text: str, pattern: re.Pattern[str], example: str) -> None:
        if not isinstance(text, str):
            raise GraphError(f"the text of a graph is a string such as {example!r}, not {text!r}")
        self.text = text
        self._tokens = [*_tokens(text, pattern), _Token("end", "", len(text))]
        self._next = 0

    def peek(self) -> _Token:
        return self._tokens[self._next]

    def take(self) -> _Token:
        """The next token, which is consumed; the end is never passed."""
        token = self.peek()
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token

    def skip(self, *kinds: str) -> bool:
        """Whether the next token is of one of these kinds; it is then consumed."""
        is_next = self.peek().kind in kinds
        if is_next:
            self.take()
        return is_next

    def expect(self, kind: str, what: str) -> _Token:
        """Consume the next token, which must be of this kind."""
        if self.peek().kind != kind:
            raise self.error(self.peek(), f"expected {what}, found {self.peek()}")
        return self.take()

    def error(self, token: _Token, reason: str) -> GraphTextError:
        """An error that points at a token."""
        return GraphTextError(reason, self.text, token.start)


def _tokens(text: str, pattern: re.Pattern[str]) -> Iterable[_Token]:
    at = 0
    while at < len(text):
        found = pattern.match(text, at)
        if found is None:
            reason = f"{text[at]!r} does not belong here: write names in quotes"
            if text[at] == '"':  # a quoted name would have matched, had it an end
                reason = "the quote is not closed"
            raise GraphTextError(reason, text, at)
        kind, value = str(found.lastgroup), found[0]
        if kind == "quoted":
            yield _Token("name", _ESCAPED.sub(r"\1", value[1:-1]), at)
        elif kind == "name":
            yield _Token("name", value.strip(), at)
        elif kind != "space":
            yield _Token(value, value, at)
        at = found.end()


def _quoted(name: str) -> str:
    return '"' + _TO_ESCAPE.sub(lambda found: "\\" + found[0], name) + '"'


def _names(nodes: Sequence[object], is_bare: Callable[[str], bool]) -> list[str]:
    """Each node as it is written; an error if two of them have the same text."""
    texts: dict[str, object] = {}
    for node in nodes:
        text = str(node)
        if text in texts:
            raise GraphError(f"two nodes are both written {text!r}: {texts[text]!r} and {node!r}. Rename one.")
        texts[text] = node
    return [text if is_bare(text) else _quoted(text) for text in texts]


_MODEL = re.compile(rf'(?P<space>\s+)|(?P<quoted>{_QUOTED})|(?P<mark>[\[\]|:])|(?P<name>[^\[\]|:"\s][^\[\]|:"]*)')
_MODEL_BARE = re.compile(r'[^\[\]|:"\s]([^\[\]|:"]*[^\[\]|:"\s])?')


def read_model_string(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The nodes and the arrows of a model string.

    >>> read_model_string("[A][B|A][C|A:B]")
    (['A', 'B', 'C'], [('A', 'B'), ('A', 'C'), ('B', 'C')])
    """
    tokens = _Tokens(text, _MODEL, "[A][B|A][C|A:B]")
    parents: dict[str, list[_Token]] = {}
    while tokens.peek().kind != "end":
        tokens.expect("[", "'[' and the name of a node")
        node = tokens.expect("name", "the name of a node")
        if node.value in parents:
            raise tokens.error(node, f"the node {node.value!r} has two brackets")
        above = parents.setdefault(node.value, [])
        while tokens.skip(":" if above else "|"):
            above.append(tokens.expect("name", f"a parent of {node.value!r}"))
        tokens.expect("]", "':' and another parent, or ']'" if above else "'|' and parents, or ']'")
    for name, above in parents.items():
        _check_parents(tokens, name, above, parents)
    return list(parents), [(up.value, name) for name, above in parents.items() for up in above]


def _check_parents(tokens: _Tokens, node: str, above: Sequence[_Token], nodes: Collection[str]) -> None:
    """Each parent is another node, with a bracket of its own, and named once."""
    seen: set[str] = set()
    for up in above:
        if up.value not in nodes:
            meant = closest(up.value, nodes) or f" Add [{up.value}] if it has no parents."
            raise tokens.error(up, f"the parent {up.value!r} of {node!r} has no bracket of its own.{meant}")
        if up.value == node:
            raise tokens.error(up, f"{node!r} cannot be its own parent")
        if up.value in seen:
            raise tokens.error(up, f"the parent {up.value!r} of {node!r} is named twice")
        seen.add(up.value)


def write_model_string(nodes: Sequence[object], parents: Mapping[object, Sequence[object]]) -> str:
    r"""The model string of a DAG, the nodes in their order.

    >>> print(write_model_string(["A", "B:C"], {"B:C": ["A"]}))
    [A]["B:C"|A]
    """
    texts = _names(nodes, lambda text: _MODEL_BARE.fullmatch(text) is not None)
    name = dict(zip(nodes, texts, strict=True))
    parts = []
    for node in nodes:
        above = ":".join(name[up] for up in parents.get(node, ()))
        parts.append(f"[{name[node]}|{above}]" if above else f"[{name[node]}]")
    return "".join(parts)


class DagittyEdge(NamedTuple):
    """An edge such as ("a", "o→", "b"), and where its operator stands in the text."""

    a: str
    kind: str
    b: str
    start: int


# The longest operators first, so that "<->" is not read as "<-".
_OPERATOR = "|".join(sorted(map(re.escape, _EDGES), key=len, reverse=True))
_DAGITTY = re.compile(
    rf"(?P<space>[\s;]+)|(?P<quoted>{_QUOTED})|(?P<operator>{_OPERATOR})|(?P<mark>[{{}}\[\]=,])|(?P<name>-?{_BARE.pattern})"
)


def read_dagitty(text: str) -> tuple[list[str], list[DagittyEdge]]:
    """The nodes, in the order in which they are named, and the edges of a graph in the language of dagitty.

    >>> nodes, edges = read_dagitty("dag { x <- {a b}; a -> b }")
    >>> nodes, [edge[:3] for edge in edges]
    (['x', 'a', 'b'], [('a', '→', 'x'), ('b', '→', 'x'), ('a', '→', 'b')])
    """
    tokens = _Tokens(text, _DAGITTY, "dag { A -> B }")
    if tokens.peek().kind == "name" and tokens.peek().value.lower() == "strict":
        tokens.take()
    kind = tokens.expect("name", "'dag {'")
    if kind.value.lower() not in _TYPES:
        raise tokens.error(kind, f"expected one of {', '.join(_TYPES)}, and then '{{', found {kind}")
    tokens.skip("name")  # the name of the graph
    tokens.expect("{", "'{'")
    parser = _Dagitty(tokens)
    parser.statements()
    tokens.expect("}", "an edge, the name of a node, or '}'")
    tokens.expect("end", "the end of the text")
    return list(parser.nodes), list(parser.edges.values())


class _Dagitty:
    """Reads statements: nodes with attributes, options, groups in braces, and chains of edges between them."""

    def __init__(self, tokens: _Tokens) -> None:
        self.tokens = tokens
        self.nodes: dict[str, None] = {}
        self.edges: dict[frozenset[str], DagittyEdge] = {}
        self.depth = 0

    def statements(self) -> list[str]:
        """All statements up to a closing brace or the end; the nodes that they name."""
        named: list[str] = []
        while self.tokens.peek().kind in ("name", "{"):
            named += self.statement()
        return list(dict.fromkeys(named))

    def statement(self) -> list[str]:
        tokens = self.tokens
        first = tokens.peek()
        if first.kind == "name":
            tokens.take()
            if tokens.skip("="):  # an option of the graph, such as its bounding box
                tokens.expect("name", f"a value of {first.value!r}")
                return []
            is_bare = tokens.text[first.start] != '"'
            if is_bare and first.value in ("graph", "node", "edge") and tokens.peek().kind == "[":
                self.attributes()  # of Graphviz: how everything is drawn
                return []
            group = self.named(first.value)
        else:
            group = self.group()
        chain = [group]
        operators = []
        while tokens.peek().kind in _EDGES:
            operators.append(tokens.take())
            chain.append(self.operand())
        if tokens.peek().kind == "[":
            self.attributes()
        for operator, (left, right) in zip(operators, pairwise(chain), strict=True):
            for a in left:
                for b in right:
                    self.join(a, operator, b)
        return [node for group in chain for node in group]

    def operand(self) -> list[str]:
        """The nodes at one end of an edge: one, or those of a group."""
        if self.tokens.peek().kind == "{":
            return self.group()
        return self.named(self.tokens.expect("name", "the name of a node, or '{'").value)

    def group(self) -> list[str]:
        brace = self.tokens.take()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.tokens.error(brace, f"more than {_DEEPEST} braces within braces")
        nodes = self.statements()
        self.tokens.expect("}", "the name of a node, or '}'")
        self.depth -= 1
        return nodes

    def named(self, node: str) -> list[str]:
        self.nodes.setdefault(node)
        return [node]

    def attributes(self) -> None:
        """Skip what stands in brackets, such as ``[latent, pos="0.1,0.2"]``."""
        self.tokens.take()
        while not self.tokens.skip("]"):
            if not self.tokens.skip(","):
                self.tokens.expect("name", "an attribute, or ']'")
                if self.tokens.skip("="):
                    self.tokens.expect("name", "the value of the attribute")

    def join(self, a: str, operator: _Token, b: str) -> None:
        """Add an edge; an arrow that points back is turned round, and one that is there already is left out."""
        if a == b:
            raise self.tokens.error(operator, f"this edge joins {a!r} to itself; leave it out")
        kind = _EDGES[operator.value]
        if kind in ("←", "←o", "o—"):
            a, b, kind = b, a, {"←": "→", "←o": "o→", "o—": "—o"}[kind]
        edge = DagittyEdge(a, kind, b, operator.start)
        before = self.edges.setdefault(frozenset((a, b)), edge)
        is_same = before[:3] == edge[:3] or (before.kind == kind and kind in ("↔", "—", "o—o"))
        if not is_same:
            raise self.tokens.error(
                operator,
                f"a second edge between {a!r} and {b!r}, after {before.a} {before.kind} {before.b}; give one edge. "
                "Where a cause and its effect also have a hidden common cause, make that a node",
            )


def write_dagitty(kind: str, nodes: Sequence[object], edges: Iterable[tuple[object, str, object]]) -> str:
    """A graph in the language of dagitty: its nodes in their order, then its edges.

    >>> print(write_dagitty("mag", ["a b", "c"], [("a b", "↔", "c")]))
    mag {
      "a b"
      c
      "a b" <-> c
    }
    """
    texts = _names(nodes, lambda text: _BARE.fullmatch(text) is not None and text not in ("graph", "node", "edge"))
    name = dict(zip(nodes, texts, strict=True))
    lines = [*texts, *(f"{name[a]} {_OPERATORS[symbol]} {name[b]}" for a, symbol, b in edges)]
    return "\n".join([f"{kind} {{", *(f"  {line}" for line in lines), "}"])
