"""A hidden common cause: an instrument identifies the effect in a linear model."""

import numpy as np

import deciban as db

# The numbers are invented: one hour more of school raises the mark by 2.
rng = np.random.default_rng(1)
talent, distance = rng.normal(size=(2, 1000))
hours = 5 - distance + talent + rng.normal(size=1000)
mark = 50 + 2 * hours + 4 * talent + rng.normal(size=1000)
pupils = {"distance": distance, "hours": hours, "mark": mark}

graph = db.DAG([("distance", "hours"), ("hours", "mark")])
hidden = [("hours", "mark")]
print(db.identify(graph, cause="hours", effect="mark", confounded=hidden).instruments)
effect = db.effect(pupils, graph, cause="hours", effect="mark", confounded=hidden)
print(effect)
print(f"first-stage F: {effect.first_stage_f:.0f}")
biased = db.effect(pupils, graph, cause="hours", effect="mark")
print("without the hidden cause in the graph:", biased.slope())
