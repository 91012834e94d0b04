"""Finding a graph from independences: IC; PC, its fast form; and FCI, where causes may be hidden."""

from deciban.nets.discovery.bootstrap import Confidence
from deciban.nets.discovery.discover import discover
from deciban.nets.discovery.knowledge import Knowledge
from deciban.nets.discovery.result import Collider, Conflict, Discovery

__all__ = ["Collider", "Confidence", "Conflict", "Discovery", "Knowledge", "discover"]
