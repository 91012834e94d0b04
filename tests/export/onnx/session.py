"""Runs exported models under onnxruntime, and compares them with the models themselves."""

import numpy as np
import onnxruntime

__all__ = ["assert_same", "run", "table_of"]

TYPES = {"tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(bool)": np.bool_, "tensor(string)": object}


def run(model, data):
    """The outputs of the exported model, by name. `data` is a matrix, or a mapping of names to lists of values."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString(), options)
    feed = {each.name: _tensor(data, each) for each in session.get_inputs()}
    return dict(zip([each.name for each in session.get_outputs()], session.run(None, feed), strict=True))


def _tensor(data, declared):
    dtype = TYPES[declared.type]
    if not isinstance(data, dict):
        return np.asarray(data, dtype=dtype)
    values = ["" if value is None and dtype is object else value for value in data[declared.name]]
    return np.array(values, dtype=dtype).reshape(-1, 1)


def assert_same(model, data):
    """The exported model has the posteriors and labels of the model: to 1e-9, or to the rounding of the logarithms."""
    outputs, expected = run(model, data), model.predict_proba(data)
    assert outputs["probabilities"].dtype == np.float64
    joint = model.predict_joint_log_proba(data)
    rounding = 8 * np.finfo(float).eps * np.abs(joint[np.isfinite(joint)]).max(initial=0.0)
    np.testing.assert_allclose(outputs["probabilities"], expected, rtol=0, atol=1e-9 + rounding)
    first, second = np.sort(expected, axis=1)[:, ::-1][:, :2].T if expected.shape[1] > 1 else (1.0, 0.0)
    clear = np.broadcast_to(first - second > 1e-9 + rounding, len(expected))  # rounding may decide between equals
    labels = model.predict(data)
    assert outputs["label"].tolist() == [a if c else b for a, b, c in zip(labels, outputs["label"], clear, strict=True)]
    return outputs


def table_of(rows=120, seed=0):
    """A table with columns of every kind, and its target."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return {
        "size": (rng.normal(size=rows) + y).tolist(),
        "sky": rng.choice(["sun", "rain", "fog"], rows).tolist(),
        "visits": (rng.poisson(2 + y)).tolist(),
        "open": (rng.random(rows) < 0.4).tolist(),
        "money": np.exp(rng.normal(size=rows) - y).tolist(),
        "wind": [None if k == 0 else ["north", "south"][k % 2] for k in rng.integers(0, 4, rows)],
        "grade": [float("nan") if k == 0 else float(k) for k in rng.integers(0, 5, rows)],
        "door": rng.integers(100, 104, rows).tolist(),
    }, [["low", "middle", "high"][j] for j in y]
