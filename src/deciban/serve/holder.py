"""Where the routes find the current model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

__all__ = ["FixedModel", "Holder"]


class Holder(Protocol):
    """A model that may be replaced as a whole while the service runs; a route takes it once for each request."""

    @property
    def model(self) -> Any:
        """The model as it is now."""

    def metrics(self) -> Mapping[str, float]:
        """Current values for ``/metrics``, by name without the prefix."""

    def status(self) -> Mapping[str, Any]:
        """What ``/model`` shows of the journal."""

    def close(self) -> None:
        """Close what is open."""


class FixedModel:
    """A model that never changes, for ``make_app``.

    Parameters
    ----------
    model : classifier or net
        A fitted classifier, a ``BayesNet`` or a ``GaussianNet``.

    Attributes
    ----------
    model : classifier or net
        The model.

    See Also
    --------
    deciban.serve.learning.live_model.LiveModel : A model that learns while it is served.

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.serve.holder import FixedModel
    >>> FixedModel(db.BayesNet([("rain", "wet")]).fit({"rain": [0, 1], "wet": [0, 1]})).model
    BayesNet(2 nodes, 1 arrow, 6 table entries)
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def metrics(self) -> Mapping[str, float]:
        """Numbers for ``/metrics``.

        Returns
        -------
        dict
            It is empty.
        """
        return {}

    def status(self) -> Mapping[str, Any]:
        """What ``/model`` says of the journal.

        Returns
        -------
        dict
            It is empty: there is no journal.
        """
        return {}

    def close(self) -> None:
        """Nothing is open."""
