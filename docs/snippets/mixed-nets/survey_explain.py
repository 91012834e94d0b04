"""Which finding moved the belief in a high income, by how many decibans."""

from survey_net import net

finding = {"education": "degree", "hours": 46, "commute": 55, "age": 24}
print(net.explain({"income": "high"}, finding))
