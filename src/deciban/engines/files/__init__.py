"""Tables in files: read in pieces that fit in memory, counted on all cores.

The names in ``__init__.pyi`` are imported when they are first used, because Arrow takes long to import.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
