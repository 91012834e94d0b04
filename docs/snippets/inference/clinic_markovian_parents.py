"""Independences in the joint distribution of a network."""

from clinic import net

import deciban as db
from deciban.nets import is_stable

print(net.independent("lung", "bronc"), net.independent("lung", "bronc", given="smoke"))
print(db.markovian_parents(net, net.dag.topological_order()).graph == net.dag)
print(is_stable(net.dag, net))
