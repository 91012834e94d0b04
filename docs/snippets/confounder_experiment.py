"""Who smokes is drawn by lot: the arrows to smoking are gone, those from it stay."""

import deciban as db

stories = {
    "the gene alone": db.DAG([("gene", "smoking"), ("gene", "cancer")]),
    "smoking, too": db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")]),
}
for story, graph in stories.items():
    trial = db.DAG([(a, b) for a, b in graph.directed_edges if b != "smoking"], graph.nodes)
    seen, tried = (not db.d_separated(g, "smoking", "cancer") for g in (graph, trial))
    print(f"{story}: they go together in a survey: {seen}, in the trial: {tried}")
