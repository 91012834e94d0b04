"""What each node is, and why; how it was fitted; two of the distributions."""

from survey_net import net

print(net.schema_)
print(net.report())
print(net.table("hours"))
print(net.table("owns_home"))
