"""The association of smoking with cancer, and the effect of smoking on cancer."""

from smoking import net

import deciban as db

association = db.effect(
    net, db.DAG([("smoking", "cancer")]), cause="smoking", effect="cancer"
)
effect = db.effect(net, net.dag, cause="smoking", effect="cancer")
print("without the gene in the graph:", association, sep="\n")
print("with the gene:", effect, sep="\n")
print(f"observed difference: {association.difference('yes', 'no')['yes']:.3f}")
print(f"causal effect:       {effect.difference('yes', 'no')['yes']:.3f}")
print(net.do({"smoking": "yes"}).dag)
