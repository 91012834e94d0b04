"""Speed and memory against scikit-learn, in one run on one machine: ``python -m benchmarks``, or ``make bench``.

    data ──► workloads ──► parity ──► timing, memory ──► report
    samples  both models   equal?     medians, peaks     docs/benchmarks.md

Parity is checked before a clock starts; a ratio is the peer's median over deciban's; losses stand beside the wins.
"""
