"""The door to the compiled core: the only module that imports it.

Each function takes arrays and returns arrays, releases the GIL and calls one kernel of ``core/``; the classes of single
rows take dicts and keep the GIL. Callers write ``from deciban import _core`` and ``_core.count_codes(...)``. The names
are bound one by one, so that an import checker, which sees no compiled files, finds every name here.

Hot loops are compiled for several instruction sets. The newest one of the processor is used, or the one that the
environment variable ``DECIBAN_ISA`` names: ``baseline``, ``v3`` (AVX2) or ``v4`` (AVX-512). The results are the same.
"""

import os

from deciban._core import _native
from deciban.choices import check_choice

LANES = _native.LANES
MARGIN_ROWS = _native.MARGIN_ROWS
ArrowText = _native.ArrowText
BinColumn = _native.BinColumn
CodeStore = _native.CodeStore
CountedColumn = _native.CountedColumn
EquivalenceSearch = _native.EquivalenceSearch
Gains = _native.Gains
HillClimb = _native.HillClimb
Inference = _native.Inference
LabelColumn = _native.LabelColumn
LiveRow = _native.LiveRow
LocalScores = _native.LocalScores
NormalColumn = _native.NormalColumn
NumberReader = _native.NumberReader
OrderSearch = _native.OrderSearch
OtherColumn = _native.OtherColumn
PresenceColumn = _native.PresenceColumn
RowColumn = _native.RowColumn
Source = _native.Source
StateColumn = _native.StateColumn
TextScores = _native.TextScores
TokenIndex = _native.TokenIndex
add_bins = _native.add_bins
add_chains = _native.add_chains
chain_evidence = _native.chain_evidence
combine_chains = _native.combine_chains
add_count_margins = _native.add_count_margins
add_ends = _native.add_ends
add_log_margins = _native.add_log_margins
add_moments = _native.add_moments
add_normal_margins = _native.add_normal_margins
add_token_sums = _native.add_token_sums
best_strength = _native.best_strength
block_source = _native.block_source
called_gains = _native.called_gains
block_scores = _native.block_scores
called_scores = _native.called_scores
cell_scores = _native.cell_scores
chi_square_tail = _native.chi_square_tail
class_moments = _native.class_moments
code_scores = _native.code_scores
coded_source = _native.coded_source
column_ranges = _native.column_ranges
count_codes = _native.count_codes
count_documents = _native.count_documents
count_ends = _native.count_ends
count_families = _native.count_families
count_occurrences = _native.count_occurrences
count_sets = _native.count_sets
count_values = _native.count_values
cross_sums = _native.cross_sums
depth_strengths = _native.depth_strengths
description_cuts = _native.description_cuts
determined_each = _native.determined_each
document_terms = _native.document_terms
draw_forward = _native.draw_forward
draw_gibbs = _native.draw_gibbs
finish = _native.finish
fit_one_vs_rest = _native.fit_one_vs_rest
gaussian_scores = _native.gaussian_scores
gaussian_source = _native.gaussian_source
graph_source = _native.graph_source
grouped_cross_sums = _native.grouped_cross_sums
grow_forest = _native.grow_forest
hashed_terms = _native.hashed_terms
instruction_set = _native.instruction_set
instruction_sets = _native.instruction_sets
mixed_source = _native.mixed_source
pack_complement = _native.pack_complement
pack_logs = _native.pack_logs
pack_presence = _native.pack_presence
pair_information = _native.pair_information
pass_counts = _native.pass_counts
scale_moments = _native.scale_moments
scan_net_text = _native.scan_net_text
score_averaged = _native.score_averaged
score_documents = _native.score_documents
score_ends_left_out = _native.score_ends_left_out
score_gains = _native.score_gains
score_gaussian = _native.score_gaussian
score_linear = _native.score_linear
score_table = _native.score_table
set_instruction_set = _native.set_instruction_set
set_thread_count = _native.set_thread_count
settle_moments = _native.settle_moments
sort_tokens = _native.sort_tokens
subset_sums = _native.subset_sums
subtract_moments = _native.subtract_moments
sum_terms = _native.sum_terms
test_each = _native.test_each
test_level = _native.test_level
text_scores = _native.text_scores
thread_count = _native.thread_count
tokenize = _native.tokenize
unicode_version = _native.unicode_version
union_vocabularies = _native.union_vocabularies
weigh_triples = _native.weigh_triples
weighed_loss = _native.weighed_loss

if _wanted := os.environ.get("DECIBAN_ISA"):
    check_choice("DECIBAN_ISA", _wanted, instruction_sets(), other=" on this processor")
    set_instruction_set(_wanted)
