"""A drop-in takes one tensor; the classes are in the metadata."""

import json

import numpy as np
import onnxruntime
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import deciban as db

X, y = load_iris(return_X_y=True)
graph = db.GaussianNB().fit(X, y).to_onnx()
session = onnxruntime.InferenceSession(graph.SerializeToString())
labels, posteriors = session.run(None, {"X": X})
print(json.loads(session.get_modelmeta().custom_metadata_map["classes"]))
print(np.abs(posteriors - GaussianNB().fit(X, y).predict_proba(X)).max() < 1e-9)
