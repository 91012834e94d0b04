"""How a graph was learned, as a paper reports it: the method, its settings, the rows, the version, the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import deciban
from deciban.choices import counted
from deciban.storable import storable

__all__ = ["METHODS", "RULES", "Origin", "citation", "own_version", "table_size"]

_SPIRTES = "Spirtes P, Glymour C, Scheines R (2000). Causation, Prediction, and Search, 2nd edition. MIT Press."
_HECKERMAN = (
    "Heckerman D, Geiger D, Chickering DM (1995). Learning Bayesian networks: the combination of knowledge and "
    "statistical data. Machine Learning 20."
)
_ANDREWS = (
    "Andrews B, Ramsey J, Cooper GF (2018). Scoring Bayesian networks of mixed variables. Int. J. Data Sci. Anal. 6."
)
_DEGENERATE = (
    "Andrews B, Ramsey J, Cooper GF (2019). Learning high-dimensional directed acyclic graphs with mixed data-types. "
    "PMLR 104."
)
_CHICKERING = "Chickering DM (2002). Optimal structure identification with greedy search. JMLR 3."
_BOSS = (
    "Andrews B, Ramsey J, Sanchez-Romero R, Camchong J, Kummerfeld E (2023). Fast scalable and accurate discovery of "
    "DAGs using the best order score search and grow-shrink trees. NeurIPS 36."
)
_BIC = "Schwarz G (1978). Estimating the dimension of a model. Annals of Statistics 6."

_ZHANG = (
    "Zhang J (2008). On the completeness of orientation rules for causal discovery in the presence of latent "
    "confounders and selection bias. Artificial Intelligence 172."
)

METHODS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pc": (
        "PC-stable",
        (
            _SPIRTES,
            "Colombo D, Maathuis MH (2014). Order-independent constraint-based causal structure learning. JMLR 15.",
        ),
    ),
    "ic": ("the IC algorithm", ("Verma T, Pearl J (1990). Equivalence and synthesis of causal models. UAI 6.",)),
    "fci": ("FCI", (_SPIRTES, _ZHANG)),
    "rfci": (
        "RFCI",
        (
            "Colombo D, Maathuis MH, Kalisch M, Richardson TS (2012). Learning high-dimensional directed acyclic "
            "graphs with latent and selection variables. Annals of Statistics 40.",
            _ZHANG,
        ),
    ),
    "ges": ("greedy equivalence search", (_CHICKERING,)),
    "boss": ("best order score search", (_BOSS,)),
    "auto": ("greedy equivalence search and best order score search", (_CHICKERING, _BOSS)),
    "hc": ("hill climbing", (_HECKERMAN,)),
    "tabu": ("tabu search", ("Glover F (1989). Tabu search, part I. ORSA Journal on Computing 1.", _HECKERMAN)),
    "exact": (
        "exact search",
        (
            "Silander T, Myllymäki P (2006). A simple approach for finding the globally optimal Bayesian network "
            "structure. UAI 22.",
        ),
    ),
    "chow_liu": (
        "a Chow–Liu tree",
        (
            "Chow CK, Liu CN (1968). Approximating discrete probability distributions with dependence trees. IEEE "
            "Trans. Inf. Theory 14.",
        ),
    ),
}
"""Method → how a text calls it, and its references."""

RULES: dict[str, tuple[str, tuple[str, ...]]] = {
    "G²": (
        "the G² test",
        (
            "Wilks SS (1938). The large-sample distribution of the likelihood ratio for testing composite hypotheses. "
            "Annals of Mathematical Statistics 9.",
        ),
    ),
    "χ²": (
        "Pearson's χ² test",
        ("Pearson K (1900). On the criterion that a given system of deviations … Phil. Mag. 50.",),
    ),
    "z²": (
        "Fisher's z test",
        ("Fisher RA (1921). On the probable error of a coefficient of correlation … Metron 1.",),
    ),
    "LR": ("likelihood-ratio tests of mixed columns", (_ANDREWS,)),
    "bic": ("BIC", (_BIC,)),
    "gaussian_bic": ("the Gaussian BIC", (_BIC,)),
    "cg_bic": ("the conditional Gaussian BIC", (_BIC, _ANDREWS)),
    "dg_bic": ("the degenerate Gaussian BIC", (_BIC, _DEGENERATE)),
    "bdeu": ("BDeu", (_HECKERMAN,)),
    "k2": (
        "the K2 score",
        (
            "Cooper GF, Herskovits E (1992). A Bayesian method for the induction of probabilistic networks from data. "
            "Machine Learning 9.",
        ),
    ),
}
"""Test or score → how a text calls it, and its references."""


@storable
@dataclass(frozen=True)
class Origin:
    """What a result that was read from a file knows of its rows, which are not in the file."""

    rows: float | None
    notes: tuple[str, ...]


def citation(method: str, rule: str, settings: Sequence[str], size: Sequence[str], version: str) -> str:
    """One sentence for a paper, and the references.

    >>> print(citation("hc", "bic", ["penalty 2"], ["200 rows", "3 columns"], "0.1.0"))
    The graph was learned by hill climbing with BIC (penalty 2) from 200 rows, 3 columns, with deciban 0.1.0.
    <BLANKLINE>
    Heckerman D, Geiger D, Chickering DM (1995). Learning Bayesian networks: the combination of knowledge and
    statistical data. Machine Learning 20.
    Schwarz G (1978). Estimating the dimension of a model. Annals of Statistics 6.
    """
    how, references = METHODS.get(method, (method, ()))
    # A score of one's own, or one with a parameter such as BDeu(ess=1), is called as it is shown.
    what, more = RULES.get(rule, (rule, RULES["bdeu"][1] if rule.startswith("BDeu") else ()))
    chosen = f" ({', '.join(settings)})" if settings else ""
    sentence = f"The graph was learned by {how} with {what}{chosen} from {', '.join(size)}, with deciban {version}."
    return "\n".join([sentence, "", *dict.fromkeys((*references, *more))])


def own_version() -> str:
    """The version of the running deciban."""
    return str(deciban.__version__)


def table_size(rows: float | None, columns: int) -> list[str]:
    """The numbers of rows and columns in words; no rows where an oracle answered."""
    return [counted(rows, "row"), counted(columns, "column")] if rows is not None else ["an oracle"]
