"""Thirty measurements of cell nuclei from 569 breast tumours (Wisconsin)."""

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer(as_frame=True)
nuclei, tumour = data.data, data.target_names[data.target]
