"""The most probable explanation of all that is not known, and of two nodes alone."""

from clinic import net

seen = {"asia": "yes", "xray": "yes"}
print(net.mpe(seen))
print(net.map(["tub", "lung"], seen))
