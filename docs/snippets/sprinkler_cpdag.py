"""Which arrows can be known from what is observed, and which cannot."""

from sprinkler import arrows, graph

import deciban as db

found = graph.cpdag()
print(found)
print(found.count_dags(), "graphs:")
for dag in sorted(found.dags(), key=str):
    print(" ", dag)
print("v-structures:", *db.v_structures(graph))


def turned(arrow):
    """The graph with one arrow turned round."""
    return db.DAG([(b, a) if (a, b) == arrow else (a, b) for a, b in arrows])


print(db.equivalent(graph, turned(("season", "rain"))))
print(db.equivalent(graph, turned(("wet", "slippery"))))
