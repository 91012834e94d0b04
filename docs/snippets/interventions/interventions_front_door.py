"""The gene is hidden: identification without tar, and with tar."""

from smoking import net

import deciban as db

print(db.identify(net.dag, cause="smoking", effect="cancer", latent=["gene", "tar"]))
print()
result = db.identify(net.dag, cause="smoking", effect="cancer", latent="gene")
print(result)
print(result.evaluate(net))
