"""log Γ is built from other operators, so it is compared with SciPy's: a wrong digit would change every posterior."""

import numpy as np
import onnxruntime
from scipy.special import gammaln

from deciban.export.onnx.columns import add_rising, log_gamma
from deciban.export.onnx.graph import Graph


def evaluate(add, values):
    """The result of nodes that `add` adds to a graph with one input of rows × 1."""
    graph = Graph()
    graph.input("x", "double", 1)
    graph.output("y", add(graph, "x"), "double", 1)
    session = onnxruntime.InferenceSession(graph.model("test", "0", {}).SerializeToString())
    return session.run(None, {"x": np.reshape(values, (-1, 1))})[0].ravel()


def test_log_gamma_is_scipys():
    z = np.concatenate([10.0 ** np.arange(-100, 300, 7), np.linspace(0.01, 30, 500), [1.0, 2.0, 8.0]])
    expected = gammaln(z)
    np.testing.assert_allclose(evaluate(log_gamma, z), expected, rtol=1e-14, atol=1e-13)


def test_rising_factorials_do_not_cancel():
    """Γ(x + r) / Γ(r) = r(r + 1)…(r + x − 1)."""
    for size in (1e-8, 0.5, 7.0, 99.9, 100.1, 1e6, 1e12):
        x = np.arange(12.0)
        expected = np.concatenate([[0.0], np.cumsum(np.log(size + x[:-1]))])
        found = evaluate(lambda graph, x, size=size: add_rising(graph, x, np.array([[size]])), x)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-12)
    assert (evaluate(lambda graph, x: add_rising(graph, x, np.array([[np.inf]])), np.arange(3.0)) == 0.0).all()
