"""Graphs as text, Graphviz DOT, Mermaid and SVG."""
