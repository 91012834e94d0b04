"""A fitted classifier as one SELECT.

The stages are those of `predict`: columns get fixed types and then states ("typed", "coded"), the log-probabilities of
the classes are added up ("scored"), and posteriors and a decision follow (`deciban.models.export.sql.finish`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from deciban.decide import Calibration
from deciban.engines.sql.expressions import Expression, Expressions
from deciban.engines.sql.stages import Stages, distinct_names, read_source
from deciban.estimate.columns.formulas import Curve
from deciban.models.export.forms import Average, ClosedForm, Tree
from deciban.models.export.sql.averages import AverageSum
from deciban.models.export.sql.columns import column_for
from deciban.models.export.sql.finish import FAULT, ML, Finish, names_of
from deciban.models.export.sql.sums import ColumnSum, Likelihoods
from deciban.models.export.sql.trees import TreeSum
from deciban.models.parts.decider import Decider
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
    finish.posterior(form.prior, calibration, has_certain=_has_certain(form))
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


def _has_certain(form: ClosedForm) -> bool:
    """True where a class may have an infinite log-likelihood, as ComplementNB has without smoothing."""
    curves = (held.formula for held in form.columns if isinstance(held.formula, Curve))
    return any(curve.slope is not None and np.isposinf(curve.slope).any() for curve in curves)


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
    return [(name, held) for name, (_, held) in zip(names, made, strict=True)]


def _parts(form: ClosedForm) -> list[str]:
    """The names of the parts of the evidence."""
    rest = ["(averaging)"] if isinstance(form.structure, Average) else []
    return [*(held.name for held in form.columns), *rest]
