"""Causal graphs: values, separation, equivalence, and what a distribution says of them."""

from deciban.nets.bayesnet import BayesNet
from deciban.nets.comparison import Comparison, compare_graphs, shd
from deciban.nets.discovery import Discovery, Knowledge, discover
from deciban.nets.equivalence import Equivalence, equivalent, meek_closure, v_structures
from deciban.nets.gaussian_score import GaussianBIC
from deciban.nets.graph import CPDAG, DAG, PDAG
from deciban.nets.independence import ChiSquared, FisherZ, GSquared
from deciban.nets.io.reading import read_net
from deciban.nets.joint import JointTable
from deciban.nets.markovian import (
    MarkovianParents,
    Verdict,
    is_compatible,
    is_minimal,
    is_stable,
    markovian_parents,
)
from deciban.nets.network import Network
from deciban.nets.oracle import Oracle
from deciban.nets.paths import Separation, explain_separation
from deciban.nets.samples import Estimate, GibbsSample, WeightedSample
from deciban.nets.scores import BIC, K2, BDeu
from deciban.nets.separation import (
    Independence,
    d_connected,
    d_separated,
    independencies,
    markov_blanket,
    minimal_separator,
)

__all__ = [
    "BIC",
    "CPDAG",
    "DAG",
    "K2",
    "PDAG",
    "BDeu",
    "BayesNet",
    "ChiSquared",
    "Comparison",
    "Discovery",
    "Equivalence",
    "Estimate",
    "FisherZ",
    "GSquared",
    "GaussianBIC",
    "GibbsSample",
    "Independence",
    "JointTable",
    "Knowledge",
    "MarkovianParents",
    "Network",
    "Oracle",
    "Separation",
    "Verdict",
    "WeightedSample",
    "compare_graphs",
    "d_connected",
    "d_separated",
    "discover",
    "equivalent",
    "explain_separation",
    "independencies",
    "is_compatible",
    "is_minimal",
    "is_stable",
    "markov_blanket",
    "markovian_parents",
    "meek_closure",
    "minimal_separator",
    "read_net",
    "shd",
    "v_structures",
]
