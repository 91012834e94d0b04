"""The most probable explanation of all unobserved nodes, and of two nodes."""

from clinic import net

evidence = {"asia": "yes", "xray": "yes"}
print(net.mpe(evidence))
print(net.map(["tub", "lung"], evidence))
