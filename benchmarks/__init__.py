"""Speed, memory and accuracy beside named peers, in one run: ``python -m benchmarks``, or ``make bench``.

    samples ──► parity ──► time, memory, accuracy ──► tables
    fixed       equal      medians of alternating     docs/benchmarks.md
    seeds       answers    runs, peaks, folds

One folder a subject; `benchmarks.sections` lists the sections. Answers are compared before any time is taken, a ratio
is the peer's median time over deciban's, and losses are published beside the wins. ``--against`` compares deciban with
another build of itself instead.
"""
