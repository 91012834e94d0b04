"""A fitted classifier as one SELECT.

The stages are those of `predict`: columns get fixed types and then states ("typed", "coded"), the log-probabilities of
the classes are added up ("scored"), and posteriors and a decision follow.

The largest joint log-probability is subtracted first, so that no exponential overflows. A row that is impossible in
every class has the priors as its posterior; where some classes are certain, at +∞, they alone remain. A row that cannot
be scored has NULL throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from deciban.decide import Calibration, Isotonic, Reject, Temperature, check_loss
from deciban.decide.rules import Decider
from deciban.errors import ParameterError
from deciban.estimate.closed_form import Average, ClosedForm, Tree
from deciban.export.sql.columns import column_for
from deciban.export.sql.expressions import Expression, Expressions, Stages, distinct_names, read_source
from deciban.export.sql.likelihoods import AverageSum, ColumnSum, Likelihoods, TreeSum
from deciban.types import Floats
from deciban.units import decibans_from_nats

__all__ = ["Wanted", "write_query"]


_VOID = "is_void"
"""True in rows that are impossible in every class, where the columns weigh nothing."""


@dataclass(frozen=True)
class Wanted:
    """What the query reads and returns: a table, the columns that pass through, and whether decibans are shown."""

    table: str
    key: tuple[str, ...] = ()
    explain: bool = False


def write_query(
    sql: Expressions,
    form: ClosedForm,
    labels: Sequence[Any],
    decider: Decider,
    calibration: Calibration | None,
    wanted: Wanted,
) -> str:
    """The query as text."""
    stages = Stages(sql, read_source(wanted.table, sql))
    classes = len(labels)
    likelihoods = _likelihoods(sql, form)
    keys = [f"key_{k}" for k in range(len(wanted.key))]
    scored = _score(stages, form, likelihoods, wanted, keys, needs_likelihood=decider.rule == "ml")
    finish = Finish(stages, classes)
    if wanted.explain:
        start = decider.start(form.start)
        _keep_order(finish, start, ML if decider.rule == "ml" else "joint")
    finish.posterior(form.prior, calibration, has_certain=form.has_certain)
    finish.decide(decider, labels)
    finish.log_odds()
    if wanted.explain:
        finish.against("order")
        likelihoods.add_explaining(stages, ("best", "other"))
        _weigh(finish, likelihoods, decider.start(form.start), scored)
    return stages.final(_output(sql, form, labels, wanted, keys))


def _likelihoods(sql: Expressions, form: ClosedForm) -> Likelihoods:
    columns = [column_for(sql, held, index) for index, held in enumerate(form.columns)]
    if isinstance(form.structure, Tree):
        return TreeSum(sql, columns, form.structure, form.temperature, len(form.start))
    if isinstance(form.structure, Average):
        return AverageSum(sql, columns, form.structure, form.temperature, len(form.start))
    return ColumnSum(sql, columns, len(form.start))


def _score(
    stages: Stages,
    form: ClosedForm,
    likelihoods: Likelihoods,
    wanted: Wanted,
    keys: Sequence[str],
    *,
    needs_likelihood: bool,
) -> list[str]:
    """Add the stages up to "joint_j"; returns the columns that later stages need to explain."""
    sql, columns = stages.sql, likelihoods.columns
    given = [(made, sql.column(name)) for made, name in zip(keys, wanted.key, strict=True)]
    stages.select([*given, *((c.value, c.typed()) for c in columns)] or [("nothing", sql.null())], name="typed")
    _code(stages, likelihoods, keys)
    likelihoods.add_stages(stages, [*keys, FAULT])
    scored = likelihoods.explained() if wanted.explain else []
    joint = [
        (name, sql.add([sql.number(float(form.start[j])), likelihoods.likelihood(j)]))
        for j, name in enumerate(names_of("joint", len(form.start)))
    ]
    alone = [(f"{ML}_{j}", likelihoods.likelihood(j)) for j in range(len(form.start))] if needs_likelihood else []
    stages.select([*stages.keep([*keys, FAULT, *scored]), *joint, *alone], name="scored")
    return scored


def _code(stages: Stages, likelihoods: Likelihoods, keys: Sequence[str]) -> None:
    """Add the stages "coded", and "checked" with whether a row can be scored."""
    sql, columns = stages.sql, likelihoods.columns
    joins = []
    for column in columns:
        rows = column.table()
        if rows is not None:
            k, name = column.index, f"labels_{column.index}"
            stages.table(name, [f"label_{k}", f"code_{k}"], rows)
            joins.append((name, sql.is_equal(column.read(), sql.column(f"label_{k}"))))
    values = [(c.value, c.read()) for c in columns]
    codes = [(c.scored, c.coded()) for c in columns if c.scored != c.value]
    if codes:
        stages.select([*stages.keep(keys), *values, *codes], joins=joins, name="coded")
    faults = [sql.coalesce(fault, sql.exp.false()) for c in columns for fault in c.faults()]
    kept = stages.keep([*keys, *(c.scored for c in columns)])
    stages.select([*kept, (FAULT, sql.any_of(faults))], name="checked")


def _keep_order(finish: Finish, start: Floats, given: str) -> None:
    """Add "order_j": by how much each class is below the most probable one, before calibration."""
    stages, sql = finish.stages, finish.sql
    names = names_of(given, finish.classes)
    copies = [(f"copied_{j}", sql.column(name)) for j, name in enumerate(names)]
    stages.select([*stages.keep(stages.columns), *copies])
    finish.relative("copied", "order", start, flag=_VOID)


def _weigh(finish: Finish, likelihoods: Likelihoods, start: Floats, scored: Sequence[str]) -> None:
    """Add the decibans of the priors, of each column and of all."""
    sql, stages = finish.sql, finish.stages
    parts = ["prior", *(str(k) for k in range(len(likelihoods.parts())))]
    made = []
    for side, choice in (("for", "best"), ("against", "other")):
        made.append((f"{side}_prior", sql.lookup(start.tolist(), partial(sql.column, choice))))
        made += [(f"{side}_{k}", log) for k, log in enumerate(likelihoods.evidence_of(choice))]
    kept = [name for name in stages.columns if name not in scored]
    stages.select([*stages.keep(kept), *made])
    weights = [(f"weight_{part}", _decibans(sql, part)) for part in parts]
    stages.select([*stages.keep(kept), *weights])
    total = sql.add([sql.column(f"weight_{part}") for part in parts])
    stages.select([*stages.keep(stages.columns), ("weight_total", total)])


def _decibans(sql: Expressions, part: str) -> Expression:
    """The difference of two log-probabilities in decibans; 0 where both are the same infinity."""
    own, other = f"for_{part}", f"against_{part}"
    less = sql.minus(sql.column(own), sql.column(other))
    no_weight = [sql.is_equal(sql.column(own), sql.column(other)), *([sql.column(_VOID)] if part != "prior" else [])]
    weight = sql.times(less, sql.number(decibans_from_nats(1.0)))
    return sql.case([(sql.column(FAULT), sql.null()), (sql.any_of(no_weight), sql.number(0.0))], weight)


def _output(
    sql: Expressions, form: ClosedForm, labels: Sequence[Any], wanted: Wanted, keys: Sequence[str]
) -> list[tuple[str, Expression]]:
    """The columns of the result."""
    written = [sql.literal(label) for label in labels]
    posteriors = [sql.column(name) for name in names_of("posterior", len(labels))]
    made = [
        *((name, sql.column(key)) for name, key in zip(wanted.key, keys, strict=True)),
        ("label", sql.pick(partial(sql.column, "choice"), written)),
        ("posterior", sql.pick(partial(sql.column, "best"), posteriors)),
        ("log_odds", sql.column("log_odds")),
        *((f"p_{label}", sql.column(f"posterior_{j}")) for j, label in enumerate(labels)),
    ]
    if wanted.explain:
        others = [sql.literal(label) for label in labels]
        made.append(("against", sql.pick(partial(sql.column, "other"), others)))
        made.append(("db_prior", sql.column("weight_prior")))
        names = _parts(form)
        made += [(f"db_{name}", sql.column(f"weight_{k}")) for k, name in enumerate(names)]
        made.append(("db_total", sql.column("weight_total")))
    names = distinct_names([name for name, _ in made])
    return [(name, expression) for name, (_, expression) in zip(names, made, strict=True)]


def _parts(form: ClosedForm) -> list[str]:
    """The names of the parts of the evidence."""
    rest = ["(averaging)"] if isinstance(form.structure, Average) else []
    return [*(column.name for column in form.columns), *rest]


ML = "likelihood"
"""The prefix of the columns with log-likelihoods, which the rule "ml" decides by."""

FAULT = "is_unusable"
"""The column that is true in rows that cannot be scored."""
# As in `Temperature`: a posterior of 0 has the logarithm of the least normal double.
_LOWEST = math.log(float(np.finfo(np.float64).tiny))
# Where the sum over the other classes is below, terms of it may have become 0: the next class alone stands for it.
_SMALLEST = 1e-300


def names_of(prefix: str, classes: int) -> list[str]:
    """The names of the columns of all classes."""
    return [f"{prefix}_{j}" for j in range(classes)]


class Finish:
    """Adds the stages after "joint_0", "joint_1" and so on; other columns pass through all of them."""

    def __init__(self, stages: Stages, classes: int) -> None:
        self.stages, self.sql, self.classes = stages, stages.sql, classes

    def columns(self, prefix: str) -> list[Expression]:
        return [self.sql.column(name) for name in names_of(prefix, self.classes)]

    def posterior(self, prior: Floats, calibration: Calibration | None, *, has_certain: bool = False) -> None:
        """Add "log_j", the logarithm relative to the largest, "odds_j", the exponential, and "posterior_j".

        `has_certain` where a joint log-probability may be +∞.
        """
        if has_certain:
            self._of_certain(prior)
        self.relative("joint", "log", prior)
        if calibration is not None:
            self._calibrate(calibration)
        self.exponentials("log", "odds")
        self._normalize("odds", "posterior")

    def relative(self, given: str, made: str, fallback: Floats, flag: str = "is_impossible") -> None:
        """log-probabilities minus the largest of them; the fallback where all are −∞.

        A `flag` with another name than "is_impossible" stays, as the column that is true in these rows.
        """
        sql = self.sql
        self._select([("largest", sql.greatest(self.columns(given)))])
        base = float(np.max(fallback))
        is_zero = sql.is_equal(sql.column("largest"), sql.number(-math.inf))
        usable = sql.case([(sql.any_of([sql.column(FAULT), is_zero]), sql.null())], sql.column("largest"))
        is_impossible = sql.all_of([sql.exp.Not(this=sql.column(FAULT)), is_zero.copy()])
        self._select([("usable", usable), (flag, is_impossible)], dropped=["largest"])
        logs = [self._usable(given, j, flag, float(fallback[j]) - base) for j in range(self.classes)]
        dropped = [*names_of(given, self.classes), "usable", "is_impossible"]
        self._select(list(zip(names_of(made, self.classes), logs, strict=True)), dropped=dropped)

    def exponentials(self, given: str, made: str) -> None:
        names = names_of(given, self.classes)
        values = [self.sql.exponential(self._column(name)) for name in names]
        self._select(list(zip(names_of(made, self.classes), values, strict=True)))

    def decide(self, decider: Decider, labels: Sequence[Any]) -> None:
        """Add "best", the index of the class that is best, and "choice", which is NULL where it is rejected."""
        sql = self.sql
        reject = Reject(posterior=decider.reject) if isinstance(decider.reject, float) else decider.reject
        if decider.rule == "ml":
            self._by_likelihood(reject)
            return
        rejected = []
        if decider.loss is None:
            self._first("log", sql.number(0.0), "best")
        else:
            self._risks(check_loss(decider.loss, labels))
            if reject is not None and reject.loss is not None:
                rejected.append(sql.binary(sql.exp.GT, self._best_of("risk"), sql.number(float(reject.loss))))
        if reject is not None and reject.posterior is not None:
            rejected.append(sql.is_less(self._best_of("posterior"), sql.number(float(reject.posterior))))
        self._choose(rejected)

    def log_odds(self) -> None:
        """Add "log_odds", of the best class against all others, in nats."""
        sql = self.sql
        if self.classes == 1:
            self._select([("log_odds", sql.infinite(True))])
            return
        own = ("own_log", self._best_of("log"))
        if self.classes == 2:
            self._select([own, ("next_log", self._next_log())])
            log_odds = _less(sql, self._column("own_log"), self._column("next_log"))
        else:
            whole = [self._unless_best(j, self._column(f"odds_{j}"), 0.0) for j in range(self.classes)]
            self._select([own, ("rest", sql.add(whole))])
            is_small = sql.is_less(sql.column("rest"), sql.number(_SMALLEST))
            nearest = sql.minus(sql.column("own_log"), self._next_log())
            log_odds = sql.case([(is_small, nearest)], sql.minus(sql.column("own_log"), sql.ln(sql.column("rest"))))
        self._select([("log_odds", log_odds)], dropped=["own_log", "next_log", "rest"])

    def _next_log(self) -> Expression:
        """The largest logarithm beside that of the best class."""
        logs = [self._unless_best(j, self._column(f"log_{j}"), -math.inf) for j in range(self.classes)]
        return self.sql.greatest(logs)

    def against(self, given: str) -> None:
        """Add "other", the index of the class with the largest log-probability beside the best."""
        sql = self.sql
        others = [self._unless_best(j, self._column(f"{given}_{j}"), -math.inf) for j in range(self.classes)]
        self._select([("next_largest", sql.greatest(others))])
        branches = [
            (
                sql.all_of(
                    [
                        sql.binary(sql.exp.NEQ, sql.column("best"), sql.integer(j)),
                        sql.is_equal(sql.column(f"{given}_{j}"), sql.column("next_largest")),
                    ]
                ),
                sql.integer(j),
            )
            for j in range(self.classes)
        ]
        self._select([("other", sql.case(branches, sql.column("best")))], dropped=["next_largest"])

    # Steps ---------------------------------------------------------------------------------------------------------

    def _usable(self, given: str, j: int, flag: str, fallback: float) -> Expression:
        """The difference to the largest; "usable" is NULL in the few rows that need something else."""
        sql = self.sql
        of_impossible = sql.case([(sql.column(flag), sql.number(fallback))], sql.null())
        return sql.coalesce(sql.minus(sql.column(f"{given}_{j}"), sql.column("usable")), of_impossible)

    def _of_certain(self, prior: Floats) -> None:
        """Where some classes are certain, these alone remain, with their priors."""
        sql = self.sql
        self._select([("largest", sql.greatest(self.columns("joint")))])
        made = []
        for j, name in enumerate(names_of("joint", self.classes)):
            is_certain = sql.is_equal(sql.column(name), sql.infinite(True))
            alone = sql.case([(is_certain, sql.number(float(prior[j])))], sql.number(-math.inf))
            is_any = sql.is_equal(sql.column("largest"), sql.infinite(True))
            made.append((name, sql.case([(is_any, alone)], sql.column(name))))
        self._select(made, dropped=["largest"])

    def _calibrate(self, calibration: Calibration) -> None:
        sql = self.sql
        self.exponentials("log", "odds")
        if isinstance(calibration, Temperature):
            self._select([("whole_log", sql.ln(sql.add(self.columns("odds"))))])
            logs = [
                sql.greatest([sql.minus(sql.column(name), sql.column("whole_log")), sql.number(_LOWEST)])
                for name in names_of("log", self.classes)
            ]
            made = [sql.divided(log, sql.number(calibration.value)) for log in logs]
        elif isinstance(calibration, Isotonic):
            self._normalize("odds", "plain")
            self._select(
                [
                    (f"step_{j}", _interpolated(sql, self._column(f"plain_{j}"), *calibration.points[j]))
                    for j in range(self.classes)
                ]
            )
            made = [sql.ln(sql.column(name)) for name in names_of("step", self.classes)]
        else:
            raise ParameterError(f"a calibration by {type(calibration).__name__} cannot be written in SQL.")
        used = {*names_of("log", self.classes), *names_of("odds", self.classes)}
        used |= {*names_of("plain", self.classes), *names_of("step", self.classes), "whole_log"}
        self._select(list(zip(names_of("joint", self.classes), made, strict=True)), dropped=sorted(used))
        self.relative("joint", "log", np.zeros(self.classes))

    def _normalize(self, given: str, made: str) -> None:
        sql = self.sql
        self._select([("whole", sql.add(self.columns(given)))])
        shares = [sql.divided(column, sql.column("whole")) for column in self.columns(given)]
        self._select(list(zip(names_of(made, self.classes), shares, strict=True)), dropped=["whole"])

    def _by_likelihood(self, reject: Reject | None) -> None:
        """Decide by the likelihoods alone; where all are 0, for the first class."""
        sql = self.sql
        self.relative(ML, "ml_log", np.zeros(self.classes))
        self._first("ml_log", sql.number(0.0), "best")
        if reject is None or reject.posterior is None:
            self._choose([])
            return
        self.exponentials("ml_log", "ml_odds")
        self._normalize("ml_odds", "ml_posterior")
        self._choose([sql.is_less(self._best_of("ml_posterior"), sql.number(float(reject.posterior)))])

    def _risks(self, loss: Floats) -> None:
        sql = self.sql
        risks = [
            sql.add(
                [
                    sql.times(p, sql.number(float(cost)))
                    for p, cost in zip(self.columns("posterior"), loss[:, g], strict=True)
                ]
            )
            for g in range(self.classes)
        ]
        self._select(list(zip(names_of("risk", self.classes), risks, strict=True)))
        least = [sql.minus(sql.number(0.0), column) for column in self.columns("risk")]
        self._select([("least_risk", sql.minus(sql.number(0.0), sql.greatest(least)))])
        self._first("risk", sql.column("least_risk"), "best")

    def _first(self, given: str, value: Expression, made: str) -> None:
        """The index of the first class whose column has this value; NULL in rows that cannot be scored."""
        sql = self.sql
        branches = [
            (sql.is_equal(sql.column(name), value.copy()), sql.integer(j))
            for j, name in enumerate(names_of(given, self.classes))
        ]
        self._select([(made, sql.case(branches, sql.null()))])

    def _choose(self, rejected: Sequence[Expression]) -> None:
        sql, best = self.sql, self.sql.column("best")
        self._select([("choice", sql.case([(sql.any_of(rejected), sql.null())], best) if rejected else best)])

    def _best_of(self, prefix: str) -> Expression:
        return self.sql.pick(self._column("best"), self.columns(prefix))

    def _unless_best(self, j: int, value: Callable[[], Expression], otherwise: float) -> Expression:
        sql = self.sql
        return sql.case([(sql.is_equal(sql.column("best"), sql.integer(j)), sql.number(otherwise))], value())

    def _column(self, name: str) -> Callable[[], Expression]:
        return partial(self.sql.column, name)

    def _select(self, made: Sequence[tuple[str, Expression]], dropped: Sequence[str] = ()) -> None:
        gone = {*dropped, *(name for name, _ in made)}
        self.stages.select([*self.stages.keep([n for n in self.stages.columns if n not in gone]), *made])


def _less(sql: Expressions, left: Callable[[], Expression], right: Callable[[], Expression]) -> Expression:
    """left − right, with 0 where both are the same infinity."""
    return sql.case([(sql.is_equal(left(), right()), sql.number(0.0))], sql.minus(left(), right()))


def _interpolated(sql: Expressions, value: Callable[[], Expression], xs: Floats, ys: Floats) -> Expression:
    """The function that joins points by lines, constant beyond the first and the last."""
    lines = [sql.number(float(ys[0]))]
    for x, y, after_x, after_y in zip(
        xs[:-1].tolist(), ys[:-1].tolist(), xs[1:].tolist(), ys[1:].tolist(), strict=True
    ):
        slope = (after_y - y) / (after_x - x)
        step = sql.times(sql.minus(value(), sql.number(x)), sql.number(slope))
        lines.append(sql.add([step, sql.number(y)]) if slope else sql.number(y))
    return sql.below(value, xs.tolist(), [*lines, sql.number(float(ys[-1]))])
