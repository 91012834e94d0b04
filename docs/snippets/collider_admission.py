"""Two independent reasons for one effect, and what happens among those who have it."""

import deciban as db

graph = db.DAG([("GPA", "admission"), ("personality", "admission")])
print(db.v_structures(graph))
print(graph.cpdag(), "holds", graph.cpdag().count_dags(), "graph")

# Half have good marks, half a winning manner, and either is enough.
table = {
    ("good", "winning", "yes"): 1,
    ("good", "dull", "yes"): 1,
    ("poor", "winning", "yes"): 1,
    ("poor", "dull", "no"): 1,
}
students = db.JointTable(table, ["GPA", "personality", "admission"])
print("independent:", students.independent("GPA", "personality"))
print("independent among the admitted and the refused:", students.independent("GPA", "personality", given="admission"))
print(db.explain_separation(graph, "GPA", "personality", given="admission"))
print(db.is_stable(graph, students))
