"""Draw the figures of the documentation: python docs/figures/draw.py."""

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
_CLINIC = runpy.run_path(str(Path(__file__).parents[1] / "snippets" / "tables" / "clinic.py"))["net"]
_VOTES_TREE = db.DAG(  # the tree that TAN learns in docs/tutorials/bayesian-network-classifiers.md
    [
        ("physician_fee_freeze", "anti_satellite"),
        ("anti_satellite", "nicaraguan_contras"),
        ("anti_satellite", "south_africa"),
        ("nicaraguan_contras", "budget_resolution"),
        ("nicaraguan_contras", "el_salvador_aid"),
        ("el_salvador_aid", "mx_missile"),
        ("el_salvador_aid", "religious_groups"),
        ("el_salvador_aid", "superfund"),
        ("mx_missile", "synfuels_cutback"),
        ("religious_groups", "crime"),
        ("religious_groups", "education_spending"),
        ("religious_groups", "handicapped_infants"),
        ("superfund", "duty_free_exports"),
        ("superfund", "immigration"),
        ("superfund", "water_project"),
    ]
)
_VOTES_PAIRS = db.PDAG(  # pairs with a conditional mutual information above 0.1 nats
    undirected=[
        ("el_salvador_aid", "nicaraguan_contras"),
        ("el_salvador_aid", "mx_missile"),
        ("anti_satellite", "nicaraguan_contras"),
        ("el_salvador_aid", "anti_satellite"),
        ("nicaraguan_contras", "mx_missile"),
        ("el_salvador_aid", "religious_groups"),
        ("anti_satellite", "mx_missile"),
    ]
)

FIGURES = {
    "sprinkler": _SPRINKLER,
    "sprinkler-backwards": db.markovian_parents(_SPRINKLER, _SPRINKLER.nodes[::-1]).graph,
    "sprinkler-skeleton": _SPRINKLER.skeleton(),
    "sprinkler-v-structures": _COLLIDERS,
    "sprinkler-cpdag": db.meek_closure(_COLLIDERS),
    "gene": db.DAG([("gene", "smoking"), ("gene", "cancer")]),
    "smoking": db.DAG([("smoking", "cancer")]),
    "smoking-reversed": db.DAG([("cancer", "smoking")]),
    "town": _TOWN,
    "town-pag": db.PAG.of_dag(_TOWN, latent=["gene"]),
    "clinic": _CLINIC.beliefs({"asia": "yes", "xray": "yes"}),
    "tar": db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "tar"), ("tar", "cancer")]),
    "stones": db.DAG([("size", "treatment"), ("size", "success"), ("treatment", "success")]),
    "votes-tree": _VOTES_TREE,
    "votes-pairs": _VOTES_PAIRS,
    "admission": db.DAG([("GPA", "admission"), ("interview", "admission")]),
}

if __name__ == "__main__":
    for name, graph in FIGURES.items():
        (Path(__file__).parent / f"{name}.svg").write_text(graph.to_svg(), encoding="utf-8")
