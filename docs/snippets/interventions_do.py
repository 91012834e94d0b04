"""What is seen among smokers, and what smoking does."""

from smoking import net

import deciban as db

seen = db.effect(net, db.DAG([("smoking", "cancer")]), effect="cancer", cause="smoking")
done = db.effect(net, net.dag, effect="cancer", cause="smoking")
print("seen:", seen, sep="\n")
print("done:", done, sep="\n")
print(f"smokers have it more often by {seen.difference('yes', 'no')['yes']:.3f};", end=" ")
print(f"smoking causes {done.difference('yes', 'no')['yes']:.3f} of this")
print(net.do({"smoking": "yes"}).dag)
