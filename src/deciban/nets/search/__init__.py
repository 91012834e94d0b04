"""Structures by score: hill climbing, tabu search, greedy equivalence search, the best graph of all, the best tree."""

from deciban.nets.search.api import search
from deciban.nets.search.result import Move, SearchResult

__all__ = ["Move", "SearchResult", "search"]
