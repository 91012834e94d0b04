"""Causal graphs: values, separation, equivalence, and what a distribution says of them."""

from deciban.nets.bayesnet import BayesNet
from deciban.nets.beliefs import Beliefs
from deciban.nets.causal import Effect, Estimand, Identification, PossibleEffects, effect, ida, identify
from deciban.nets.comparison import Comparison, compare_graphs, shd
from deciban.nets.discovery import Discovery, Knowledge, discover
from deciban.nets.equivalence import Equivalence, equivalent, meek_closure, v_structures
from deciban.nets.gaussian_net import GaussianNet
from deciban.nets.gaussian_score import GaussianBIC
from deciban.nets.graph import CPDAG, DAG, PDAG
from deciban.nets.independence import ChiSquared, FisherZ, GSquared
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.information import Information
from deciban.nets.inference.sensitivity import Sensitivities, Sensitivity
from deciban.nets.io.reading import read_net
from deciban.nets.joint import JointTable
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.regression import LinearGaussian
from deciban.nets.markovian import (
    MarkovianParents,
    Verdict,
    is_compatible,
    is_minimal,
    is_stable,
    markovian_parents,
)
from deciban.nets.mixed import MAG, m_separated
from deciban.nets.network import Network
from deciban.nets.normal import MultivariateNormal, Normal
from deciban.nets.oracle import Oracle
from deciban.nets.pag import PAG
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
    "MAG",
    "PAG",
    "PDAG",
    "BDeu",
    "BayesNet",
    "Beliefs",
    "ChiSquared",
    "Comparison",
    "Completion",
    "Discovery",
    "Distribution",
    "Effect",
    "Equivalence",
    "Estimand",
    "Estimate",
    "FamilyTally",
    "FisherZ",
    "GSquared",
    "GaussianBIC",
    "GaussianNet",
    "GibbsSample",
    "Identification",
    "Independence",
    "Information",
    "JointDistribution",
    "JointTable",
    "Knowledge",
    "LinearGaussian",
    "MarkovianParents",
    "MultivariateNormal",
    "Network",
    "Normal",
    "Oracle",
    "PossibleEffects",
    "Sensitivities",
    "Sensitivity",
    "Separation",
    "Verdict",
    "WeightedSample",
    "compare_graphs",
    "d_connected",
    "d_separated",
    "discover",
    "effect",
    "equivalent",
    "explain_separation",
    "ida",
    "identify",
    "independencies",
    "is_compatible",
    "is_minimal",
    "is_stable",
    "m_separated",
    "markov_blanket",
    "markovian_parents",
    "meek_closure",
    "minimal_separator",
    "read_net",
    "shd",
    "v_structures",
]
