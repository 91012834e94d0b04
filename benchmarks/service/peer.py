"""The peer: FastAPI, a pydantic model of a row, and a scikit-learn pipeline on a pandas frame, as guides show it.

``python -m benchmarks.service.peer PORT`` fits the pipeline on Adult and serves it.
"""

from __future__ import annotations

import sys
from typing import Any

import pandas as pd
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.accuracy.tables import split_columns
from benchmarks.tables.adult import read_adult

__all__ = ["Prediction", "Row", "fit_pipeline", "make_service"]


class Row(BaseModel):
    """A row of Adult."""

    age: int
    workclass: str
    fnlwgt: int
    education: str
    education_num: int
    marital_status: str
    occupation: str
    relationship: str
    race: str
    sex: str
    capital_gain: int
    capital_loss: int
    hours_per_week: int
    native_country: str


class Prediction(BaseModel):
    """The class and the probabilities."""

    label: str
    probabilities: dict[str, float]


def fit_pipeline() -> Pipeline:
    """Labels one-hot, numbers scaled, and logistic regression."""
    X, y = read_adult()
    labels, numbers = split_columns(X)
    columns = [("labels", OneHotEncoder(handle_unknown="ignore"), labels), ("numbers", StandardScaler(), numbers)]
    return make_pipeline(ColumnTransformer(columns), LogisticRegression(max_iter=1000)).fit(X, y)


def make_service(pipeline: Any) -> FastAPI:
    """The application."""
    app = FastAPI()

    @app.post("/predict")
    def predict(row: Row) -> Prediction:
        posterior = pipeline.predict_proba(pd.DataFrame([row.model_dump()]))[0]
        probabilities = dict(zip(pipeline.classes_.tolist(), posterior.tolist(), strict=True))
        return Prediction(label=str(pipeline.classes_[posterior.argmax()]), probabilities=probabilities)

    return app


if __name__ == "__main__":
    uvicorn.run(make_service(fit_pipeline()), port=int(sys.argv[1]), access_log=False)
