"""Spark: the kernels count and score on the executors, over Arrow batches.

Only calls of the DataFrame API are used, so a session of Spark Connect is as good as a classic one. The names are
listed in ``__init__.pyi``; each is imported when it is first used, because Arrow takes long to import.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
