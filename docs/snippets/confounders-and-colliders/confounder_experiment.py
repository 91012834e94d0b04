"""Randomizing smoking removes the arrows into it."""

import deciban as db

graphs = {
    "gene only": db.DAG([("gene", "smoking"), ("gene", "cancer")]),
    "gene and smoking": db.DAG(
        [("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")]
    ),
}
for causes, graph in graphs.items():
    trial = db.DAG(
        [(a, b) for a, b in graph.directed_edges if b != "smoking"], graph.nodes
    )
    survey, randomized = (
        not db.d_separated(g, "smoking", "cancer") for g in (graph, trial)
    )
    print(
        f"causes of cancer: {causes}; dependent in a survey: {survey}, "
        f"in a randomized trial: {randomized}"
    )
