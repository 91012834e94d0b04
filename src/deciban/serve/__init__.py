"""The HTTP service: a model file behind routes for predicting, explaining, querying and learning.

The service computes nothing itself. A request is read and checked, one method of the model is called, and the result is
written as JSON. The package needs the extra ``[serve]``: FastAPI, uvicorn, orjson and prometheus_client.
"""

from deciban.extras import need

for _module in ("fastapi", "orjson", "prometheus_client"):
    need(_module, "serve", "the service")
