"""Fitted models in other languages: each export computes what `predict_proba` computes."""

from __future__ import annotations
