"""One learner at a time: threads that teach the same model take turns.

A model learns by reading its counts, adding a batch to them, and putting the sum in their place. Two threads that do
so at once read the same counts, and the batch of one is lost. So each model and net has a lock, which `fit`,
`partial_fit`, `learn_one`, `merge`, `forget` and `decay` hold while they learn. The locks are kept beside the models: a
model with a lock in it could not be copied or pickled.

Predictions take no turn: they may run in many threads while nobody learns.
"""

from __future__ import annotations

import os
import weakref
from contextlib import AbstractContextManager
from threading import Lock, RLock

__all__ = ["turn"]

_LOCKS: dict[int, AbstractContextManager[bool]] = {}
_MAKING = Lock()


def turn(learner: object) -> AbstractContextManager[bool]:
    """The lock of a learner, for a `with` statement; the thread that holds it may take it again.

    >>> class Model:
    ...     pass
    >>> model = Model()
    >>> with turn(model), turn(model):
    ...     turn(model) is turn(Model())
    False
    """
    lock = _LOCKS.get(id(learner))
    if lock is None:
        with _MAKING:
            # Again: another thread may have made it meanwhile.
            lock = _LOCKS.get(id(learner))
            if lock is None:
                # Reentrant, because a method that learns may call another one of the same model.
                lock = _LOCKS[id(learner)] = RLock()
                # The number of an object is given again only after the object, and so its lock, is gone.
                weakref.finalize(learner, _LOCKS.pop, id(learner), None).atexit = False
    return lock


if hasattr(os, "register_at_fork"):  # a lock that another thread holds at a fork would never be free in the child
    os.register_at_fork(after_in_child=_LOCKS.clear)
