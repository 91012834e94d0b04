"""Two independent causes of one effect become dependent given the effect."""

import deciban as db
from deciban.nets import JointTable, is_stable

graph = db.DAG([("GPA", "admission"), ("interview", "admission")])
print(db.v_structures(graph))
print(graph.cpdag(), "has", graph.cpdag().count_dags(), "DAG")

# Half have a good GPA, half a good interview, and either is enough for admission.
table = {
    ("good", "good", "yes"): 1,
    ("good", "poor", "yes"): 1,
    ("poor", "good", "yes"): 1,
    ("poor", "poor", "no"): 1,
}
students = JointTable(table, ["GPA", "interview", "admission"])
print("independent:", students.independent("GPA", "interview"))
print(
    "independent given admission:",
    students.independent("GPA", "interview", given="admission"),
)
print(db.explain_separation(graph, "GPA", "interview", given="admission"))
print(is_stable(graph, students))
