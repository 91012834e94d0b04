"""The minimal adjustment sets, the optimal one, and a set that is not valid."""

import deciban as db

arrows = [
    ("income", "training"), ("income", "diet"), ("diet", "health"),
    ("training", "fitness"), ("fitness", "health"), ("age", "health"),
]  # fmt: skip
result = db.identify(db.DAG(arrows), cause="training", effect="health")
print("minimal:", *(sorted(names) for names in result.adjustment_sets))
print("optimal:", sorted(result.optimal_adjustment))
print("fitness is valid:", result.is_adjustment_set("fitness"))
for method, estimand in result.estimands.items():
    print(f"{method}: {estimand.formula}")
