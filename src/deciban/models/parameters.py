"""Parameters take effect at the next `fit`: a fitted model goes on with those that it was fitted with.

scikit-learn lets users set parameters at any time, by `set_params` or as attributes, and says that they count from the
next `fit` on. A model that reads some of them when it predicts, learns more rows or is saved would mix old and new.
Here the first parameter that is set on a fitted model lays those of the fit aside, and until the next `fit` all public
methods work on a view of the model that has these: `predict`, `explain` and `save` as well as `partial_fit`, `merge`,
`forget` and `learn_one`. Public methods are wrapped when a class is made, as scikit-learn wraps `transform` for
`set_output`; while no parameter was set anew, the wrapper costs one look into a dictionary.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from types import FunctionType
from typing import Any, ClassVar, Concatenate, ParamSpec, Self, TypeVar

from sklearn.base import BaseEstimator

__all__ = ["FITTED_WITH", "FittedParameters", "as_fitted", "sees_fitted"]

FITTED_WITH = "_fitted_with"
"""Where a model keeps the parameters of its fit once others are set."""

_FITTING = frozenset({"fit"})

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Model = TypeVar("Model", bound="FittedParameters")


def as_fitted(
    method: Callable[Concatenate[Model, Arguments], Result],
) -> Callable[Concatenate[Model, Arguments], Result]:
    """Let a method see the parameters that the model was fitted with; what it learns comes back to the model."""

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
    """Mark a method that looks for `FITTED_WITH` itself, because a call of the wrapper would take too long."""
    method.sees_fitted = True  # type: ignore[attr-defined]
    return method


class FittedParameters(BaseEstimator):  # type: ignore[misc]
    """An estimator whose fitted state never mixes the parameters of its fit with those set later."""

    _parameter_names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._parameter_names = frozenset(cls._get_param_names())
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

    def _is_fitted(self) -> bool:
        return False

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
        """What a view has learned; the parameters stay as they were set."""
        kept = self._parameter_names | {FITTED_WITH}
        for name in [name for name in self.__dict__ if name not in view.__dict__ and name not in kept]:
            del self.__dict__[name]
        self.__dict__.update({name: value for name, value in view.__dict__.items() if name not in kept})


def _is_public(name: str, member: Any) -> bool:
    return isinstance(member, FunctionType) and not name.startswith("_") and name not in _FITTING
