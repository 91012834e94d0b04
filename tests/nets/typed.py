"""What users hold in variables, for mypy alone: a ``dict[str, …]`` must pass wherever nodes are keys."""

import deciban as db


def ask(net: db.BayesNet, seen: dict[str, str], heard: dict[str, dict[str, float]], names: list[str]) -> None:
    """Evidence, likelihoods and targets."""
    net.query(names, seen, likelihoods=heard)
    net.marginals(seen)
    net.mpe(seen)
    net.beliefs(seen)
    net.cost(names, seen)
    net.information("rain", seen, utility=heard)
    net.sensitivity(seen, seen)
    net.sample(3, random_state=0, evidence=seen)
    net.estimate("rain", seen, n=10)


def make(
    arrows: list[tuple[str, str]], states: dict[str, tuple[str, str]], tables: dict[str, list[float]]
) -> db.BayesNet:
    """Tables, rules and actions."""
    parents: dict[str, list[str]] = {"wet": ["rain"]}
    rules: dict[str, db.Laplace] = {"rain": db.Laplace()}
    counts: dict[str, int] = {"rain": 2}
    lot: dict[str, dict[str, float]] = {"rain": {"yes": 0.5, "no": 0.5}}
    net = db.BayesNet.from_tables(arrows, states, tables, parents=parents).do(lot)
    return net.fit({}, smoothing=rules, states=states).partial_fit({}, states=counts).smoothed(rules)


def count(numbers: dict[str, float], given: dict[str, db.LinearGaussian], arrows: list[tuple[str, str]]) -> None:
    """Nets of numbers, and effects."""
    net = db.GaussianNet.from_parameters(arrows, given).do(numbers)
    net.query("b", numbers)
    net.joint.given(numbers)
    found = db.effect({}, db.DAG(arrows), effect="wet", cause="rain")
    found.difference(numbers, numbers)
