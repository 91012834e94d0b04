"""Learn from twelve mornings, predict the next one, and see why."""

import deciban as db

sky = "grey grey blue grey blue blue grey blue grey blue grey blue".split()
pressure = [1002, 1004, 1011, None, 1021, 1018, 1005, 1024, 1016, 1009, 1001, 1019]
weather = "rain rain dry dry dry dry rain dry dry rain rain dry".split()
mornings = {"sky": sky, "pressure": pressure, "weather": weather}
model = db.NaiveBayes().fit(mornings, "weather")

print(model.explain({"sky": "grey", "pressure": 1008}))
print(model.explain({"sky": "violet", "pressure": None}))
