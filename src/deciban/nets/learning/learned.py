"""What a Bayes net learns from data: fit, learn more, join, forget, and smooth anew without counting again.

Tables are estimated from a tally of all families, so learning in batches, joining nets that learned elsewhere and
forgetting rows are sums and differences of tallies, and exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputTypeError, ParameterError, UnfittedError
from deciban.estimate import Laplace
from deciban.nets.data.samples import CodedSample
from deciban.nets.data.states import States, read_states
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.learning.counting import tally_families
from deciban.nets.learning.em import EM, EMTrace, Progress, check_exact, learn_with_gaps
from deciban.nets.learning.families import FamilyTally, check_cells
from deciban.nets.learning.report import report
from deciban.nets.learning.sample import FitMissing, read_sample
from deciban.nets.learning.tables import Rule, UnseenPolicy, check_policy, estimate_tables, read_rules
from deciban.nets.learning.unseen import Unseen
from deciban.nets.network import HoldsNetwork, Network, State

__all__ = ["FitSettings", "Learned"]


@dataclass(frozen=True)
class FitSettings:
    """What fit was asked for."""

    smoothing: Rule | Mapping[Any, Rule]
    unseen: UnseenPolicy = "prior"
    missing: FitMissing = "error"
    limit: int | None = None


class Learned(HoldsNetwork):
    """A net whose tables are counted."""

    _dag: DAG
    _network: Network | None
    _tally: FamilyTally | None = None
    _settings: FitSettings = FitSettings(Laplace())
    _trace: EMTrace | None = None

    def fit(
        self,
        data: Any,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        sample_weight: Any = None,
        missing: FitMissing = "error",
        unseen: UnseenPolicy = "prior",
        states: Mapping[Any, Iterable[State] | int] | None = None,
        limit: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-6,
        starts: int = 1,
        random_state: int | np.random.Generator | None = None,
        progress: Progress = False,
    ) -> Self:
        """Estimate every table from the rows of a table; what the net knew before is forgotten.

        Parameters
        ----------
        data
            A frame, a mapping of columns, a list of rows, or any other table. Every node needs the column of its name;
            other columns are not read.
        smoothing
            ``Laplace()`` where not given, so that no probability is 0: one pseudo-count for each state under each
            configuration of the parents. ``MLE()`` for relative frequencies, ``BDeu(ess)`` for `ess` imaginary rows
            shared out to each table, or any other rule of naive Bayes; or a mapping from nodes to rules.
        sample_weight
            What each row counts for.
        missing
            ``"error"``; ``"skip"`` counts each family on the rows where it is complete, which is right where values are
            missing completely at random; ``"em"`` shares rows out to their completions, and allows hidden nodes: nodes
            without a column, whose states are given. `max_iter`, `tol` (nats a row), `starts`, `random_state` and
            `progress` (True, or a function of an ``EMStep``) belong to it.
        unseen
            The rows of configurations that were never counted, which ``unseen_`` lists: ``"prior"``, as the smoothing
            has it (an error with ``MLE``, which has nothing), ``"uniform"``, ``"marginal"`` or ``"error"``.
        states
            For some nodes their states in order, or their number n for 0 … n − 1; another value is then an error.
            Otherwise the states are the categories that the column's type declares, or its sorted distinct values.
        limit
            Bytes that the tables may take, and with ``"em"`` those of the tree of cliques; the memory limit
            (``DECIBAN_MEMORY_LIMIT``) where not given.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]}
        >>> net = db.BayesNet([("rain", "wet")]).fit(days, smoothing=db.MLE())
        >>> net.tables["wet"].round(3).tolist()
        [[0.667, 0.333], [0.0, 1.0]]
        """
        settings = _read_settings(FitSettings(smoothing or Laplace(), unseen, missing, limit))
        em = EM(max_iter, tol, starts, random_state, progress)
        fixed = read_states(self._dag.nodes, states)
        sample = self._read(data, fixed, {}, sample_weight, settings)
        if missing == "em":
            rules = read_rules(self._dag.nodes, settings.smoothing)
            return self._adopt(*learn_with_gaps(self._dag, sample, rules, em, limit), settings)
        return self._adopt(tally_families(self._dag, sample), None, settings)

    def partial_fit(
        self,
        data: Any,
        *,
        sample_weight: Any = None,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        missing: Literal["error", "skip"] | None = None,
        unseen: UnseenPolicy | None = None,
        states: Mapping[Any, Iterable[State] | int] | None = None,
    ) -> Self:
        """Count more rows; new states make the tables larger. What is not given stays as it was."""
        if self._tally is None:
            self._check_untold()
            return self.fit(
                data,
                sample_weight=sample_weight,
                smoothing=smoothing,
                missing=missing or "error",
                unseen=unseen or "prior",
                states=states,
            )
        if states is not None:
            raise ParameterError("states are fixed by the first call; call fit to begin anew.")
        old = self._settings
        changed = FitSettings(smoothing or old.smoothing, unseen or old.unseen, missing or old.missing, old.limit)
        settings = _read_settings(changed)
        return self._join(self._count(data, sample_weight, settings), settings)

    def merge(self, other: Learned) -> Self:
        """Add what another net of the same graph has counted."""
        if not isinstance(other, Learned):
            raise InputTypeError(f"a net takes in what another net has counted, not {other!r}")
        self._check_exact()
        other._check_exact()
        return self._join(other.tally_, self._settings)

    def forget(self, data: Any, *, sample_weight: Any = None) -> Self:
        """Take rows out again, as if they had never been counted. Rows that were not counted are an error."""
        self._check_exact()
        return self._adopt(self.tally_ - self._count(data, sample_weight, self._settings), None, self._settings)

    def smoothed(self, smoothing: Rule | Mapping[Any, Rule], unseen: UnseenPolicy | None = None) -> Self:
        """A net with the same counts and other smoothing; nothing is counted again.

        Counts that are expected ones (``missing="em"``) stay those that the old smoothing led to.
        """
        settings = replace(self._settings, smoothing=smoothing, unseen=unseen or self._settings.unseen)
        return type(self)(self._dag)._adopt(self.tally_, self._trace, _read_settings(settings))  # type: ignore[call-arg]

    @classmethod
    def from_tally(
        cls,
        tally: FamilyTally,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        unseen: UnseenPolicy = "prior",
    ) -> Self:
        """A net from counts, without seeing a row."""
        settings = _read_settings(FitSettings(smoothing or Laplace(), unseen))
        return cls(tally.dag)._adopt(tally, None, settings)  # type: ignore[call-arg]

    @property
    def tally_(self) -> FamilyTally:
        """The counts of all families: a value that adds, subtracts and scales."""
        if self._tally is None:
            raise UnfittedError("this net has counted nothing yet: call fit(data)")
        return self._tally

    @property
    def unseen_(self) -> Unseen:
        """The configurations of parents that were never counted: what the net says there comes from no row."""
        return Unseen(self.tally_)

    @property
    def em_(self) -> EMTrace:
        """How expectation maximization went."""
        if self._trace is None:
            raise UnfittedError('this net has not been fitted with missing="em"')
        return self._trace

    @property
    def log_likelihoods_(self) -> tuple[float, ...]:
        """The log-likelihood of the observed values at first and after each turn of expectation maximization."""
        return self.em_.log_likelihoods

    def report(self) -> str:
        """What was counted, how it was smoothed, and what was never seen."""
        settings = self._settings
        return report(self.tally_, read_rules(self._dag.nodes, settings.smoothing), settings.unseen, self._trace)

    def _count(self, data: Any, weights: Any, settings: FitSettings) -> FamilyTally:
        self._check_exact()
        known = self.tally_.state_lists
        fixed = {node: states for node, states in known.items() if states.kind == "fixed"}
        return tally_families(self._dag, self._read(data, fixed, known, weights, settings))

    def _read(
        self,
        data: Any,
        fixed: Mapping[Node, States],
        known: Mapping[Node, States],
        weights: Any,
        settings: FitSettings,
    ) -> CodedSample:
        nodes = self._dag.nodes
        sample = read_sample(data, nodes, fixed=fixed, known=known, sample_weight=weights, missing=settings.missing)
        check_cells(self._dag, sample.states, settings.limit)
        return sample

    def _join(self, batch: FamilyTally, settings: FitSettings) -> Self:
        check_cells(self._dag, self.tally_.union_states(batch), settings.limit)
        return self._adopt(self.tally_ + batch, None, settings)

    def _adopt(self, tally: FamilyTally, trace: EMTrace | None, settings: FitSettings) -> Self:
        rules = read_rules(self._dag.nodes, settings.smoothing)
        tables = estimate_tables(tally, rules, settings.unseen)
        self._network = Network(tally.dag, tally.states, tables, tally.parents)
        self._tally, self._trace, self._settings = tally, trace, settings
        return self

    def _unseen_note(self) -> str:
        """For a net's one line: how many configurations were never counted, if any."""
        count = self.unseen_.count if self._tally is not None else 0
        return f", {count:,} configuration{'s'[: count != 1]} never counted" if count else ""

    def _check_untold(self) -> None:
        if self._network is not None:
            raise UnfittedError("the tables of this net were given, not counted: fit(data) replaces them.")

    def _check_exact(self) -> None:
        """Refuse where counts are expected ones, which depend on all rows."""
        check_exact(self._trace)
        if self._tally is None:
            self._check_untold()


def _read_settings(settings: FitSettings) -> FitSettings:
    check_policy(settings.unseen)
    check_choice("missing", settings.missing, get_args(FitMissing))
    if settings.limit is not None and not settings.limit > 0:
        raise ParameterError(f"limit is a number of bytes above 0, not {settings.limit!r}")
    return settings
