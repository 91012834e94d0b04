"""The equivalence class of the graph, and two graphs with one arrow reversed."""

from sprinkler import arrows, graph

import deciban as db

cpdag = graph.cpdag()
print(cpdag)
print(cpdag.count_dags(), "DAGs:")
for dag in sorted(cpdag.dags(), key=str):
    print(" ", dag)
print("v-structures:", *db.v_structures(graph))


def reverse(arrow):
    """The graph with one arrow reversed."""
    return db.DAG([(b, a) if (a, b) == arrow else (a, b) for a, b in arrows])


print(db.equivalent(graph, reverse(("season", "rain"))))
print(db.equivalent(graph, reverse(("wet", "slippery"))))
