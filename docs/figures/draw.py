"""Draws the figures of the pages, as graphs and beliefs draw themselves: python docs/figures/draw.py."""

import runpy
from pathlib import Path

import deciban as db

_SPRINKLER = db.DAG(
    [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet"), ("wet", "slippery")]
)
_COLLIDERS = db.PDAG(
    [("sprinkler", "wet"), ("rain", "wet")],
    [("season", "sprinkler"), ("season", "rain"), ("wet", "slippery")],
    _SPRINKLER.nodes,
)

_TOWN = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("age", "smoking"), ("asbestos", "cancer")])
_CLINIC = runpy.run_path(str(Path(__file__).parents[1] / "snippets" / "clinic.py"))["net"]

FIGURES = {
    "sprinkler": _SPRINKLER,
    "sprinkler-backwards": db.markovian_parents(_SPRINKLER, _SPRINKLER.nodes[::-1]).graph,
    "sprinkler-skeleton": _SPRINKLER.skeleton(),
    "sprinkler-colliders": _COLLIDERS,
    "sprinkler-class": db.meek_closure(_COLLIDERS),
    "gene": db.DAG([("gene", "smoking"), ("gene", "cancer")]),
    "smoking": db.DAG([("smoking", "cancer")]),
    "smoking-turned": db.DAG([("cancer", "smoking")]),
    "town": _TOWN,
    "town-hidden": db.PAG.of_dag(_TOWN, latent=["gene"]),
    "clinic": _CLINIC.beliefs({"asia": "yes", "xray": "yes"}),
    "tar": db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "tar"), ("tar", "cancer")]),
    "stones": db.DAG([("size", "treatment"), ("size", "success"), ("treatment", "success")]),
    "admission": db.DAG([("GPA", "admission"), ("personality", "admission")]),
}

if __name__ == "__main__":
    for name, graph in FIGURES.items():
        (Path(__file__).parent / f"{name}.svg").write_text(graph.to_svg(), encoding="utf-8")
