"""Bayes nets: a query names nodes, observed states, and states that are set by an intervention."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from deciban.choices import did_you_mean
from deciban.errors import InputError, InputTypeError, TooLargeError
from deciban.nets import BayesNet
from deciban.nets.inference.ask import parse_question
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.normal import MultivariateNormal, Normal
from deciban.read import number_of
from deciban.serve.adapters.adapter import Adapter, Tensor, as_json, as_key, as_number, datatype_of

__all__ = ["Net"]

_KEYS = ("query", "targets", "evidence", "likelihoods", "actions")


class Net(Adapter):
    """A net of labels, or of numbers."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._nodes = {as_key(node): node for node in model.dag.nodes}

    @property
    def has_states(self) -> bool:
        """Whether the nodes have states; else they have numbers."""
        return isinstance(self.model, BayesNet)

    # Queries -------------------------------------------------------------------------------------------------------

    def query(self, body: Any, most: int) -> dict[str, Any]:
        """The answer to a query; one with more than `most` numbers is refused."""
        if not isinstance(body, dict):
            raise InputTypeError('a query is an object such as {"targets": "rain", "evidence": {"wet": "yes"}}.')
        unknown = next((key for key in body if key not in _KEYS), None)
        if unknown is not None:
            raise InputError(f"a query has no member {unknown!r}.{did_you_mean(unknown, _KEYS)}")
        if "query" in body:
            return self._ask(body, most)
        net = self.model.do(self._states(body["actions"], "actions")) if body.get("actions") else self.model
        evidence = self._states(body.get("evidence"), "evidence")
        likelihoods = {"likelihoods": self._likelihoods(body["likelihoods"])} if body.get("likelihoods") else {}
        targets = self._targets(body.get("targets"), most)
        if targets is None:
            found = net.marginals(evidence, **likelihoods)
            return {"marginals": {as_key(node): _one(own) for node, own in found.items()}}
        return answer_of(net.query(targets, evidence, **likelihoods))

    def _ask(self, body: Mapping[str, Any], most: int) -> dict[str, Any]:
        if len(body) > 1:
            raise InputError("a query is either a text, in 'query', or has targets and evidence, not both.")
        question = parse_question(body["query"])
        if question.kind == "P" and len(question.targets) > 1:
            names = [term.name.text for term in question.targets if term.state is None]
            self._check_size([self._nodes[name] for name in names if name in self._nodes], most)
        return answer_of(self.model.ask(body["query"]))

    def _targets(self, given: Any, most: int) -> Any:
        if given is None or isinstance(given, str):
            return None if given is None else self._node(given)
        if not isinstance(given, list) or not given:
            raise InputTypeError("targets is the name of a node, or a list of names.")
        nodes = [self._node(name) for name in given]
        self._check_size(nodes, most)
        return nodes

    def _check_size(self, nodes: Sequence[Any], most: int) -> None:
        """Refuse a joint table, or covariances, with more than `most` numbers."""
        sizes = [len(self.model.states[node]) for node in nodes] if self.has_states else [len(nodes)] * 2
        if prod(sizes) > most:
            raise TooLargeError(f"the answer has {prod(sizes):,} numbers, more than {most:,}. Ask for fewer nodes.")

    def _node(self, name: Any) -> Any:
        if isinstance(name, str) and name in self._nodes:
            return self._nodes[name]
        raise InputError(f"there is no node {name!r}.{did_you_mean(name, self._nodes)}")

    def _states(self, given: Any, what: str) -> dict[Any, Any]:
        if given is None:
            return {}
        if not isinstance(given, dict):
            raise InputTypeError(f"{what} is an object of nodes and states, not {given!r}.")
        for name, value in given.items():
            spelled = number_of(value) if isinstance(value, str) else value
            if not self.has_states and (isinstance(spelled, bool) or not isinstance(spelled, int | float)):
                raise InputTypeError(f"{what}: {name!r} is {value!r}, which is not a number.")
        return {self._node(name): state for name, state in given.items()}

    def _likelihoods(self, given: Any) -> dict[Any, Any]:
        if not self.has_states:
            raise InputError(f"a {self.kind} takes no likelihoods.")
        return self._states(given, "likelihoods")

    # The Open Inference Protocol -------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Sequence[Tensor]:
        return [Tensor(name, self._datatype(node), (-1,)) for name, node in self._nodes.items()]

    def _datatype(self, node: Any) -> str:
        return datatype_of([as_json(state) for state in self.model.states[node]]) if self.has_states else "FP64"

    @property
    def outputs(self) -> Sequence[Tensor]:
        if not self.has_states:
            return [Tensor(name, "FP64", (-1, 2)) for name in self._nodes]
        return [Tensor(name, "FP64", (-1, len(self.model.states[node]))) for name, node in self._nodes.items()]

    def default_outputs(self, columns: Mapping[str, Any]) -> list[str]:
        return [name for name in self._nodes if name not in columns]

    def infer(self, columns: Mapping[str, list[Any]], wanted: Sequence[str]) -> dict[str, list[Any]]:
        """For each wanted node P(node | the rest of the row); of numbers, the mean and the variance."""
        known = {self._node(name): values for name, values in columns.items()}
        if self.has_states:
            return {name: self.model.predict_proba(known, self._nodes[name]).ravel().tolist() for name in wanted}
        rows = [dict(zip(known, row, strict=True)) for row in zip(*known.values(), strict=True)]
        return {name: [value for row in rows for value in self._moments(name, row)] for name in wanted}

    def _moments(self, name: str, row: Mapping[Any, Any]) -> tuple[float, float]:
        node = self._nodes[name]
        others = {other: value for other, value in row.items() if other != node and value is not None}
        found = self.model.query(node, others)
        return found.mean, found.variance

    # Describing ----------------------------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        dag = self.model.dag
        nodes = [
            {"name": name, "parents": sorted(map(as_key, dag.parents(node))), **self._own(node)}
            for name, node in self._nodes.items()
        ]
        return {"kind": self.kind, "nodes": nodes}

    def _own(self, node: Any) -> dict[str, Any]:
        return {"states": [as_json(state) for state in self.model.states[node]]} if self.has_states else {}

    def query_schema(self) -> dict[str, Any]:
        """The JSON schema of a query."""
        nodes = {"enum": list(self._nodes)}
        several = {"type": "array", "items": nodes, "minItems": 1, "uniqueItems": True}
        states = self._members({name: self._state_schema(node) for name, node in self._nodes.items()})
        members: dict[str, Any] = {
            "targets": {"anyOf": [nodes, several, {"type": "null"}]},
            "evidence": states,
            "actions": states,
        }
        if self.has_states:
            weight = {"type": "number", "minimum": 0}
            of_states = {
                name: self._members({as_key(state): weight for state in self.model.states[node]})
                for name, node in self._nodes.items()
            }
            members["likelihoods"] = self._members(of_states)
        members["query"] = {"type": "string", "examples": [f"P({next(iter(self._nodes))})"]}
        return self._members(members) | {"type": "object"}

    def _members(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return {"type": ["object", "null"], "properties": dict(properties), "additionalProperties": False}

    def _state_schema(self, node: Any) -> dict[str, Any]:
        return (
            {"enum": [as_json(state) for state in self.model.states[node]]} if self.has_states else {"type": "number"}
        )

    def example(self) -> dict[str, Any]:
        """A query that the net can answer."""
        *_, last = self._nodes
        first = next(iter(self._nodes))
        if first == last:
            return {"targets": first}
        state = as_json(self.model.states[self._nodes[last]][0]) if self.has_states else 1.0
        return {"targets": first, "evidence": {last: state}}

    def example_tensors(self) -> dict[str, Any]:
        """Observed states by the names of the inputs."""
        return self.example().get("evidence", {})


def answer_of(found: Any) -> dict[str, Any]:
    """What a net answers, as JSON."""
    for kind, write in _ANSWERS.items():
        if isinstance(found, kind):
            return write(found)
    return {"value": as_number(float(found))}


def _joint(found: JointDistribution) -> dict[str, Any]:
    table = [{"states": list(map(as_json, states)), "probability": found[states]} for states in found]
    return {"targets": list(map(as_key, found.nodes)), "probabilities": table}


def _completion(found: Completion) -> dict[str, Any]:
    states = {as_key(node): as_json(state) for node, state in found.items()}
    return {"states": states, "probability": found.probability, "posterior": found.posterior}


def _normals(found: MultivariateNormal) -> dict[str, Any]:
    names = list(map(as_key, found.nodes))
    return {"targets": names, "mean": found.mean.tolist(), "covariance": found.covariance.tolist()}


def _one(found: Any) -> dict[str, Any]:
    """The distribution of one node."""
    if isinstance(found, Normal):
        return {"mean": as_number(found.mean), "variance": as_number(found.variance)}
    return {as_key(state): p for state, p in found.items()}


_ANSWERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Distribution: lambda found: {"target": as_key(found.node), "probabilities": _one(found)},
    JointDistribution: _joint,
    Completion: _completion,
    Normal: _one,
    MultivariateNormal: _normals,
    bool: lambda found: {"independent": found},
}
