"""Nobody observes the gene: once without tar, and once with it."""

from smoking import net

import deciban as db

print(db.identify(net.dag, cause="smoking", effect="cancer", latent=["gene", "tar"]))
print()
found = db.identify(net.dag, cause="smoking", effect="cancer", latent="gene")
print(found)
print(found.evaluate(net))
