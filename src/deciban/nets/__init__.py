"""Causal graphs: values, separation, equivalence, and what a distribution says of them."""

from deciban.nets.graph import CPDAG, DAG, PDAG

__all__ = ["CPDAG", "DAG", "PDAG"]
