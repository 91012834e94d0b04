"""The parameters of a model: they are checked, and take effect at the next `fit`.

In scikit-learn parameters can be set at any time, by `set_params` or as attributes, and take effect at the next `fit`.
A model that read them when it predicts, learns more rows or is saved would mix old and new values. So `fit` learns in a
new instance that has the parameters of the moment (`_unfitted`), and the model takes over the result with these
parameters (`_become`). Methods read parameters from `_settings` alone.

An unknown or impossible parameter is an error that names the closest known one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, Self, get_args

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError, StrOptions

from deciban.choices import closest, did_you_mean
from deciban.decide import Reject
from deciban.decide.rules import Rule
from deciban.errors import InputTypeError, ParameterError, UnfittedError

__all__ = [
    "DECIDER_CONSTRAINTS",
    "Estimator",
    "Measure",
    "Missing",
    "MissingOrAuto",
    "Rule",
    "SkipOrError",
    "Unseen",
    "check_parameters",
    "words",
]


class Estimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that uses the parameters of its fit until the next fit: the base of all of deciban's."""

    _fitted_with: Self
    """An instance with the parameters of the fit, which is not fitted itself and never changed."""

    def __new__(cls, *args: object, **parameters: object) -> Self:  # noqa: ARG004  the constructor reads them
        for name in parameters:
            if name not in cls._get_param_names():
                known = did_you_mean(name, cls._get_param_names())
                raise InputTypeError(f"{cls.__name__} has no parameter {name!r}.{known}")
        return super().__new__(cls)

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters, which take effect at the next `fit`.

        Parameters
        ----------
        **parameters
            The parameters and their new values.

        Returns
        -------
        self : the model
        """
        for name in parameters:
            if name.partition("__")[0] not in self._get_param_names():
                close = did_you_mean(name, self._get_param_names())
                raise ParameterError(f"Invalid parameter {name!r} for {type(self).__name__}.{close}")
        super().set_params(**parameters)
        return self

    @property
    def _settings(self) -> Self:
        """The parameters in use: those of the fit, or before it those that are set."""
        return self.__dict__.get("_fitted_with", self)

    def _unfitted(self) -> Self:
        """An instance with the parameters that are set, and nothing learned."""
        new = object.__new__(type(self))
        new.__dict__.update({name: getattr(self, name) for name in self._get_param_names()})
        return new

    def _become(self, fitted: Self) -> Self:
        """Take over what another instance with the same parameters has learned, and its parameters as those in use."""
        self._drop_stale()
        parameters = set(self._get_param_names())
        self.__dict__.update({name: value for name, value in fitted.__dict__.items() if name not in parameters})
        return self

    def _drop_stale(self) -> None:
        """Forget what was computed from what was learned before."""
        for name in [name for name in self.__dict__ if isinstance(getattr(type(self), name, None), cached_property)]:
            self.__dict__.pop(name, None)  # another thread may have dropped it meanwhile

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _is_fitted(self) -> bool:
        return False

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_fitted()

    def _check_fitted(self) -> None:
        if not self._is_fitted():
            raise UnfittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )


def check_parameters(estimator: BaseEstimator) -> None:
    """Refuse parameters that are outside of `_parameter_constraints`."""
    try:
        estimator._validate_params()
    except InvalidParameterError as error:
        raise ParameterError(_with_hint(str(error), estimator)) from None


def _with_hint(message: str, estimator: BaseEstimator) -> str:
    """scikit-learn's message with the options in order, and the closest option."""
    message = re.sub(r"\{('[^{}]*')\}", lambda found: f"{{{', '.join(sorted(found[1].split(', ')))}}}", message)
    name = message.split("'")[1]
    value = getattr(estimator, name)
    if isinstance(value, type):
        return f"{message} Did you mean {value.__name__}()?"
    if not isinstance(value, str):
        return message
    rules = estimator._parameter_constraints[name]
    options = {option for rule in rules for option in getattr(rule, "options", ()) if isinstance(option, str)}
    return message + closest(value, sorted(options))


Missing = Literal["skip", "state", "error"]
"""What a missing value is: no evidence, a state of its own, or an error."""

MissingOrAuto = Literal["auto", "skip", "state", "error"]
"""The same, or "auto": no evidence or a state, as the rows decide."""

SkipOrError = Literal["skip", "error"]
"""What a missing value is in a model without states of missing values."""

Unseen = Literal["smooth", "ignore", "error"]
"""What a label is that did not occur in fit: a state counted 0 times, no evidence, or an error."""

Measure = Literal["mi", "chi2", "su"]
"""A measure of association: mutual information, χ², or symmetrical uncertainty."""


def words(options: Any) -> StrOptions:
    """The constraint that a parameter is one of the words of a `Literal`."""
    return StrOptions(set(get_args(options)))


DECIDER_CONSTRAINTS: dict[str, list[Any]] = {
    "rule": [words(Rule)],
    "loss": [Mapping, "array-like", None],
    "reject": [Reject, float, None],
}
"""Which values `rule`, `loss` and `reject` take."""
