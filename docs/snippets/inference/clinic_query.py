"""Query one node, two nodes jointly, the evidence itself, and all nodes at once."""

from clinic import net

evidence = {"asia": "yes", "xray": "yes"}
print(net.query("lung"))
print(net.query("lung", evidence))
print()
print(net.query(["tub", "lung"], evidence))
print()
print("P(asia=yes, xray=yes) =", round(net.probability(evidence), 6))
print(net.beliefs(evidence))
