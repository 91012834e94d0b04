"""Causal graphs: values, separation, equivalence, and what a distribution says of them."""

from deciban.nets.discovery import Discovery, Knowledge, discover
from deciban.nets.graph import CPDAG, DAG, PDAG
from deciban.nets.independence import ChiSquared, FisherZ, GSquared
from deciban.nets.oracle import Oracle

__all__ = [
    "CPDAG",
    "DAG",
    "PDAG",
    "ChiSquared",
    "Discovery",
    "FisherZ",
    "GSquared",
    "Knowledge",
    "Oracle",
    "discover",
]
