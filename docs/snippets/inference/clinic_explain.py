"""Which finding moved a belief by how many decibans."""

from clinic import net

seen = {"asia": "yes", "xray": "yes", "dysp": "yes", "bronc": "yes"}
print(net.explain({"lung": "yes"}, seen))

diagnosed = {"either": "yes", "xray": "yes"}
print(net.explain({"lung": "yes"}, diagnosed))
