"""The models that `deciban fit` knows by name, made from its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import typer

__all__ = ["DOCUMENT_MODELS", "ModelName", "Settings", "make_models"]


class ModelName(StrEnum):
    """A kind of model."""

    NAIVE = "naive"
    TAN = "tan"
    NET = "net"
    AODE = "aode"
    KDB = "kdb"
    COMBINED = "combined"
    TEXT = "text"
    RATIO = "ratio"
    AUTO = "auto"


_OF_TABLES = (
    ModelName.NAIVE,
    ModelName.TAN,
    ModelName.NET,
    ModelName.AODE,
    ModelName.KDB,
    ModelName.COMBINED,
)
"""From simple to complex: the order in which `auto` prefers them."""
DOCUMENT_MODELS = (ModelName.TEXT, ModelName.RATIO)
_CLASSES = {
    ModelName.NAIVE: "NaiveBayes",
    ModelName.TAN: "TAN",
    ModelName.NET: "BayesNetClassifier",
    ModelName.AODE: "AODE",
    ModelName.KDB: "KDB",
    ModelName.COMBINED: "AutoBayes",
    ModelName.TEXT: "TextNB",
    ModelName.RATIO: "LogCountRatio",
}
_DISTRIBUTIONS = {
    name.lower(): name
    for name in (
        "Bernoulli",
        "Binned",
        "Categorical",
        "Exponential",
        "Gaussian",
        "Ignore",
        "Kernel",
        "LogNormal",
        "NegativeBinomial",
        "Poisson",
        "Text",
    )
}
_RULES = {"laplace": "Laplace", "jeffreys": "Jeffreys", "mle": "MLE"}


@dataclass(frozen=True)
class Settings:
    """The options of `deciban fit` that are parameters of a model; None for those that were not given."""

    missing: str | None = None
    na_values: tuple[str, ...] = ()
    smoothing: str | None = None
    priors: str | None = None
    seed: int = 0
    columns: tuple[str, ...] = ()

    @property
    def suit_documents(self) -> bool:
        """False where a setting was given that only models of tables have."""
        return self.missing is None and not self.na_values and not self.columns


def make_models(name: ModelName, settings: Settings, *, documents: bool) -> dict[str, Any]:
    """The model of a name, or those that `auto` compares, by name, from simple to complex."""
    if name is ModelName.AUTO:
        names = DOCUMENT_MODELS if documents else _OF_TABLES
        return {each.value: _make(each, settings, strict=False) for each in names}
    return {name.value: _make(name, settings, strict=True)}


def _make(name: ModelName, settings: Settings, *, strict: bool) -> Any:
    """A model with the settings that it has; `strict`: a setting that it does not have is an error."""
    import deciban as db

    model = getattr(db, _CLASSES[name])()
    known = model.get_params()
    for option, value in _parameters(settings).items():
        if option in known:
            model.set_params(**{option: value})
        elif strict:
            flag = option.replace("_", "-")
            raise typer.BadParameter(f"the model {name.value} has no such setting.", param_hint=f"--{flag}")
    return model.set_params(random_state=settings.seed) if "random_state" in known else model


def _parameters(settings: Settings) -> dict[str, Any]:
    """The parameters that were given."""
    found: dict[str, Any] = {}
    if settings.missing is not None:
        found["missing"] = settings.missing
    if settings.na_values:
        found["na_values"] = list(settings.na_values)
    if settings.columns:
        found["columns"] = dict(map(_column, settings.columns))
    if settings.smoothing is not None:
        found["smoothing"] = _smoothing(settings.smoothing)
    if settings.priors is not None:
        found["priors"] = _priors(settings.priors)
    return found


def _column(given: str) -> tuple[str, Any]:
    """A column and its distribution, which has the settings of its class by default."""
    import deciban as db
    from deciban.suggest import did_you_mean

    name, _, kind = given.rpartition("=")
    if not name or kind.lower() not in _DISTRIBUTIONS:
        hint = did_you_mean(kind, _DISTRIBUTIONS) if name else ""
        message = f"{given!r} is not a column and a distribution, like age=gaussian.{hint}"
        raise typer.BadParameter(message, param_hint="--column")
    return name, getattr(db, _DISTRIBUTIONS[kind.lower()])()


def _smoothing(given: str) -> Any:
    """A rule by its name, or by the number of pseudo-counts."""
    import deciban as db
    from deciban.suggest import did_you_mean

    if given.lower() in _RULES:
        return getattr(db, _RULES[given.lower()])()
    try:
        return db.Lidstone(float(given))
    except ValueError:
        hint = did_you_mean(given, _RULES)
        message = f"{given!r} is neither a number of pseudo-counts nor the name of a rule.{hint}"
        raise typer.BadParameter(message, param_hint="--smoothing") from None


def _priors(given: str) -> str | Mapping[str, float]:
    """empirical, uniform, or probabilities by class: yes=0.1,no=0.9."""
    if "=" not in given:
        if given in ("empirical", "uniform"):
            return given
        raise typer.BadParameter(
            f"{given!r} is neither empirical, uniform, nor classes with probabilities (yes=0.1,no=0.9).",
            param_hint="--priors",
        )
    found = {}
    for part in given.split(","):
        label, _, share = part.rpartition("=")
        try:
            found[label.strip()] = float(share)
        except ValueError:
            raise typer.BadParameter(f"{part!r} is not a class and a number.", param_hint="--priors") from None
    return found
