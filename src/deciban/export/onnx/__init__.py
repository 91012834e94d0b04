"""Models as ONNX graphs."""

from __future__ import annotations
