"""Tests of conditional independence: what a sample, a joint table or a graph says."""

from __future__ import annotations
