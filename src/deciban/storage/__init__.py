"""Model files: save and load; the modules in ``__init__.pyi`` are imported when they are first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
