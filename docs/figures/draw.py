"""Draw the figures of the documentation: python docs/figures/draw.py."""

import runpy
import sys
from contextlib import chdir
from pathlib import Path

import pandas as pd

import deciban as db
from deciban.nets import meek_closure

_DOCS = Path(__file__).resolve().parents[1]

_SPRINKLER = db.DAG(
    [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet"), ("wet", "slippery")]
)
_COLLIDERS = db.PDAG(
    [("sprinkler", "wet"), ("rain", "wet")],
    [("season", "sprinkler"), ("season", "rain"), ("wet", "slippery")],
    _SPRINKLER.nodes,
)

_TOWN = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("age", "smoking"), ("asbestos", "cancer")])
_TABLES = _DOCS / "snippets" / "tables"
_CLINIC = runpy.run_path(str(_TABLES / "clinic.py"))["net"]
_BALLOTS = db.TAN().fit(pd.read_csv(_DOCS / "data" / "ballots.csv"), "party")
_DEPENDENT = [pair for pair, nats in _BALLOTS.conditional_mutual_information().items() if nats > 0.1]


def _survey() -> db.BayesNet:
    """The net of the survey, which its module makes from the data of the pages and from another module beside it."""
    sys.path.insert(0, str(_TABLES))
    try:
        with chdir(_DOCS / "data"):
            net: db.BayesNet = runpy.run_path(str(_TABLES / "survey_net.py"))["net"]
    finally:
        sys.path.remove(str(_TABLES))
        sys.modules.pop("survey_table", None)
    return net


_SURVEY = _survey()

FIGURES = {
    "sprinkler": _SPRINKLER,
    "sprinkler-backwards": db.markovian_parents(_SPRINKLER, _SPRINKLER.nodes[::-1]).graph,
    "sprinkler-skeleton": _SPRINKLER.skeleton(),
    "sprinkler-v-structures": _COLLIDERS,
    "sprinkler-cpdag": meek_closure(_COLLIDERS),
    "gene": db.DAG([("gene", "smoking"), ("gene", "cancer")]),
    "smoking": db.DAG([("smoking", "cancer")]),
    "smoking-reversed": db.DAG([("cancer", "smoking")]),
    "town": _TOWN,
    "town-pag": db.PAG.of_dag(_TOWN, latent=["gene"]),
    "clinic": _CLINIC.beliefs({"asia": "yes", "xray": "yes"}),
    "tar": db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "tar"), ("tar", "cancer")]),
    "stones": db.DAG([("size", "treatment"), ("size", "success"), ("treatment", "success")]),
    "ballots-tree": _BALLOTS.tree_,
    "ballots-pairs": db.PDAG(undirected=_DEPENDENT),
    "naive-bayes": db.DAG([("play", column) for column in ("outlook", "temperature", "humidity", "wind")]),
    "survey": _SURVEY.beliefs({"income": "high", "age": 40}),
    "survey-hours": _SURVEY.query("hours", {"age": (62, None)}),
    "admission": db.DAG([("GPA", "admission"), ("interview", "admission")]),
}

if __name__ == "__main__":
    for name, graph in FIGURES.items():
        (Path(__file__).parent / f"{name}.svg").write_text(graph.to_svg(), encoding="utf-8")
