"""Export a model, and score rows with onnxruntime."""

import numpy as np
import onnxruntime

import deciban as db

table = {
    "sky": ["sun", "sun", "rain", "rain", "fog", "sun"],
    "warm": [24.0, 21.5, 14.0, 11.5, 12.0, None],
    "doors": [2, 4, 4, 2, 2, 4],
}
model = db.NaiveBayes(missing="skip").fit(
    table, ["play", "play", "stay", "stay", "stay", "play"]
)
graph = model.to_onnx()

session = onnxruntime.InferenceSession(graph.SerializeToString())
for each in [*session.get_inputs(), *session.get_outputs()]:
    print(each.name, each.type, each.shape)

rows = {
    "sky": np.array([["sun"], ["hail"], [""]], dtype=object),
    "warm": np.array([[20.0], [np.nan], [13.0]]),
    "doors": np.array([[2], [4], [2]]),
}
labels, posteriors = session.run(["label", "probabilities"], rows)
same = model.predict_proba(
    {"sky": ["sun", "hail", None], "warm": [20.0, None, 13.0], "doors": [2, 4, 2]}
)
print(labels, np.abs(posteriors - same).max() < 1e-9)
