"""Two independent causes of one effect become dependent given the effect."""

import deciban as db

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
students = db.JointTable(table, ["GPA", "interview", "admission"])
print("independent:", students.independent("GPA", "interview"))
print(
    "independent given admission:",
    students.independent("GPA", "interview", given="admission"),
)
print(db.explain_separation(graph, "GPA", "interview", given="admission"))
print(db.is_stable(graph, students))
