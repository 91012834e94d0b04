"""The graph that was found, and what to know before reading it."""

from survey_net import found

print(found.graph)
print(*found.notes, sep="\n")
