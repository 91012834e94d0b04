"""Parameters take effect at the next `fit`: until then a fitted model uses those that it was fitted with.

In scikit-learn parameters can be set at any time, by `set_params` or as attributes, and take effect at the next `fit`.
A model that reads some of them when it predicts, learns more rows or is saved would mix old and new values. Here the
first parameter that is set on a fitted model makes it store the parameters of the fit, and until the next `fit` all
public methods work on a view of the model that has these: `predict`, `explain` and `save` as well as `partial_fit`,
`merge`, `forget` and `learn_one`. Public methods are wrapped when a class is defined, as scikit-learn wraps `transform`
for `set_output`; while no parameter has been changed, the wrapper costs one dictionary lookup.

An unknown or impossible parameter is an error that names the closest known one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from types import FunctionType
from typing import Any, ClassVar, Concatenate, Literal, ParamSpec, Self, TypeVar, get_args

from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError, StrOptions

from deciban.choices import closest, did_you_mean
from deciban.decide import Reject
from deciban.decide.decider import Rule
from deciban.errors import InputTypeError, ParameterError, UnfittedError

__all__ = [
    "DECIDER_CONSTRAINTS",
    "FITTED_WITH",
    "FittedParameters",
    "Measure",
    "Missing",
    "MissingOrAuto",
    "Rule",
    "SkipOrError",
    "Unseen",
    "as_fitted",
    "check_parameters",
    "sees_fitted",
    "words",
]


FITTED_WITH = "_fitted_with"
"""The attribute with the parameters of the fit, where others were set since."""

_FITTING = frozenset({"fit", "fit_files", "fit_sql"})

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Model = TypeVar("Model", bound="FittedParameters")


def as_fitted(
    method: Callable[Concatenate[Model, Arguments], Result],
) -> Callable[Concatenate[Model, Arguments], Result]:
    """Make a method use the parameters that the model was fitted with; what it learns is stored in the model."""

    @wraps(method)
    def call(self: Model, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if FITTED_WITH not in self.__dict__:
            return method(self, *args, **kwargs)
        view = self._as_fitted()
        result = method(view, *args, **kwargs)
        self._take_over(view)
        return self if result is view else result

    return call


def sees_fitted(method: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Mark a method that checks for `FITTED_WITH` itself, because a call of the wrapper would take too long."""
    method.sees_fitted = True  # type: ignore[attr-defined]
    return method


class FittedParameters(BaseEstimator):  # type: ignore[misc]
    """An estimator that uses the parameters of its fit until the next fit: the base of all of deciban's."""

    _parameter_names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._parameter_names = frozenset(cls._get_param_names())
        if "__init__" in vars(cls):
            cls.__init__ = _naming_parameters(cls.__init__)  # type: ignore[method-assign]
        for name, member in list(vars(cls).items()):
            if _is_public(name, member) and not hasattr(member, "sees_fitted"):
                setattr(cls, name, as_fitted(member))
            elif isinstance(member, cached_property):
                member.func = as_fitted(member.func)

    def __setattr__(self, name: str, value: Any) -> None:
        held = self.__dict__
        if name in self._parameter_names and FITTED_WITH not in held and self._is_fitted():
            held[FITTED_WITH] = {parameter: held[parameter] for parameter in self._parameter_names}
        super().__setattr__(name, value)

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
            if name.partition("__")[0] not in self._parameter_names:
                close = did_you_mean(name, self._get_param_names())
                raise ParameterError(f"Invalid parameter {name!r} for {type(self).__name__}.{close}")
        super().set_params(**parameters)
        return self

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

    def _as_fitted(self) -> Self:
        """The model with the parameters of its fit: itself, unless others have been set."""
        kept = self.__dict__.get(FITTED_WITH)
        if kept is None:
            return self
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        view.__dict__.update(kept)
        del view.__dict__[FITTED_WITH]
        return view

    def _take_over(self, view: Self) -> None:
        """Store what a view has learned; the parameters stay as they were set."""
        kept = self._parameter_names | {FITTED_WITH}
        for name in [name for name in self.__dict__ if name not in view.__dict__ and name not in kept]:
            del self.__dict__[name]
        self.__dict__.update({name: value for name, value in view.__dict__.items() if name not in kept})


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


def _naming_parameters(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor whose error for an unknown parameter names the closest one."""

    @wraps(init)
    def construct(self: FittedParameters, *args: Any, **kwargs: Any) -> None:
        unknown = [name for name in kwargs if name not in self._parameter_names]
        if unknown:
            known = did_you_mean(unknown[0], self._get_param_names())
            raise InputTypeError(f"{type(self).__name__} has no parameter {unknown[0]!r}.{known}")
        init(self, *args, **kwargs)

    return construct


def _is_public(name: str, member: Any) -> bool:
    return isinstance(member, FunctionType) and not name.startswith("_") and name not in _FITTING


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
