from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deciban.types import AnyArray, Codes, Floats, Ints, KernelRows, Singles

_Fault = tuple[str, int, int]  # what, row, column
# Analyzer, lowercase, accents, the least and most characters of a token, n-grams of characters, n-grams of tokens.
_Rules = tuple[str, bool, str, int, int, int, int, int, int]
_Spelling = tuple[NDArray[np.uint8], Ints]
_Table = tuple[Ints, NDArray[np.uint32], AnyArray, AnyArray]
# Columns, low, high, left, sides, starts of trees, ranks, their starts, numbers of labels; seed, share.
_Forest = tuple[Codes, AnyArray, AnyArray, Codes, AnyArray, Ints, AnyArray, Ints, Ints, int, float]

LANES: int
MARGIN_ROWS: int

def instruction_sets() -> list[str]: ...
def instruction_set() -> str: ...
def set_instruction_set(name: str) -> None: ...
def thread_count() -> int: ...
def set_thread_count(count: int) -> None: ...
def count_occurrences(codes: Codes, size: int) -> Ints: ...
def count_codes(
    x: KernelRows,
    y: Codes,
    classes: int,
    weights: Floats | None,
    missing_allowed: bool,
    minus_is_missing: bool,
    most_states: int,
) -> tuple[Ints, AnyArray, _Fault | None]: ...
def count_values(
    x: Floats, y: Codes, classes: int, weights: Floats | None, most: int
) -> tuple[Floats, AnyArray] | None: ...
def description_cuts(counts: Floats, tie: float) -> Ints: ...
def add_bins(x: Floats, cuts: Floats, table: Floats, out: Floats) -> None: ...
def class_moments(
    x: KernelRows, y: Codes, classes: int, weights: Floats | None, missing_allowed: bool
) -> tuple[Floats, Floats, _Fault | None]: ...
def add_moments(weight: Floats, sums: Floats, other_weight: Floats, other_sums: Floats) -> Floats: ...
def subtract_moments(
    weight: Floats, sums: Floats, other_weight: Floats, other_sums: Floats, left: Floats
) -> tuple[Floats, Floats]: ...
def scale_moments(weight: Floats, sums: Floats, factor: float) -> Floats: ...
def cross_sums(values: Floats, shifts: Floats, starts: Ints, members: Codes, weights: Floats | None) -> Floats: ...
def column_ranges(values: Floats) -> Floats: ...
def grouped_cross_sums(
    values: Floats,
    shifts: Floats,
    codes: Codes,
    sizes: Ints,
    number_starts: Ints,
    number_members: Codes,
    group_starts: Ints,
    group_members: Codes,
    weights: Floats | None,
) -> Floats: ...
def settle_moments(weight: Floats, sums: Floats) -> Floats: ...
def sum_terms(
    x: KernelRows,
    y: Codes,
    classes: int,
    weights: Floats | None,
    lowest: float,
    highest: float,
    missing_allowed: bool,
    threshold: float | None,
) -> tuple[Floats, Floats | None, _Fault | None]: ...
def pack_complement(counts: Floats, pseudo: Floats, log_whole: Floats, out: Floats) -> None: ...
def pack_logs(counts: Floats, pseudo: Floats, log_whole: Floats, out: Floats) -> None: ...
def pack_presence(counts: Floats, pseudo: Floats, rows: Floats, out: Floats) -> Floats: ...
def finish(joint: Floats, fallback: Floats, want: str) -> AnyArray: ...
def score_gaussian(
    x: KernelRows,
    prior: Floats,
    fallback: Floats,
    mean: Floats,
    half_precision: Floats,
    log_norm: Floats,
    missing_allowed: bool,
    want: str,
) -> tuple[AnyArray, _Fault | None]: ...
def score_linear(
    x: KernelRows,
    prior: Floats,
    fallback: Floats,
    weight: Floats,
    at_missing: Floats | None,
    lowest: float,
    highest: float,
    missing_allowed: bool,
    threshold: float | None,
    want: str,
) -> tuple[AnyArray, _Fault | None]: ...
def score_table(
    x: KernelRows,
    prior: Floats,
    fallback: Floats,
    table: Floats,
    sizes: Ints,
    missing_allowed: bool,
    minus_is_missing: bool,
    unseen_allowed: bool,
    want: str,
) -> tuple[AnyArray, _Fault | None]: ...
def count_sets(
    codes: AnyArray, sizes: Ints, y: Codes, classes: int, weights: Floats | None, starts: Ints, columns: Codes
) -> AnyArray: ...
def chain_evidence(
    counts: AnyArray,
    sizes: Ints,
    starts: Ints,
    columns: Codes,
    unit: float,
    codes: AnyArray,
    y: Codes,
    shares: Floats,
    of_column: Codes,
    column_count: int,
    depth: int,
) -> tuple[Floats, Floats]: ...
def combine_chains(
    counts: AnyArray,
    sizes: Ints,
    starts: Ints,
    columns: Codes,
    unit: float,
    strengths: Floats | None,
    factors: Floats,
    used: Ints,
) -> tuple[Floats, Floats]: ...
def add_chains(
    codes: AnyArray,
    sizes: Ints,
    starts: Ints,
    columns: Codes,
    table: Floats,
    groups: Codes,
    group_count: int,
    classes: int,
) -> Floats: ...
def pair_information(codes: AnyArray, sizes: Ints, y: Codes, classes: int, weights: Floats | None) -> Floats: ...
def grow_forest(
    states: AnyArray,
    label_states: Ints,
    keys: AnyArray,
    y: Codes,
    classes: int,
    weights: AnyArray,
    trees: int,
    candidates: int,
    min_leaf: int,
    max_depth: int,
    seed: int,
    share: float,
) -> tuple[Codes, AnyArray, AnyArray, Codes, AnyArray, Ints, AnyArray]: ...
def count_ends(forest: _Forest, states: AnyArray, y: Codes, classes: int, weights: Floats | None) -> AnyArray: ...
def pass_counts(forest: _Forest, ends: Floats, strengths: Floats | None) -> Floats: ...
def add_ends(forest: _Forest, states: AnyArray, table: Floats, by_column: bool) -> Floats: ...
def depth_strengths(
    forest: _Forest,
    states: AnyArray,
    keys: AnyArray,
    y: Codes,
    own: Floats,
    importance: Floats,
    counts: Floats,
    depths: int,
) -> Floats: ...
def score_ends_left_out(
    forest: _Forest, states: AnyArray, keys: AnyArray, y: Codes, own: Floats, counts: Floats, strengths: Floats
) -> Floats: ...
def add_log_margins(logs: Floats, y: Codes, own: Floats, column: int, out: Singles) -> None: ...
def add_count_margins(
    codes: Codes,
    counts: Floats,
    pseudo: Floats,
    added: float,
    added_alone: float,
    y: Codes,
    own: Floats,
    column: int,
    out: Singles,
) -> None: ...
def add_normal_margins(
    x: Floats,
    moments: Floats,
    strength: float,
    middle: float,
    least_variance: float,
    y: Codes,
    own: Floats,
    column: int,
    out: Singles,
) -> None: ...
def weighed_loss(
    weights: Floats, margins: Singles, prior: Singles, importance: Floats, with_curvature: bool
) -> tuple[float, Floats, Floats | None]: ...
def best_strength(counts: Floats, prior: Floats, groups: Ints) -> tuple[float, float]: ...
def score_averaged(parents: Codes, children: Codes, table: Floats, log_weights: Floats, classes: int) -> Floats: ...
def unicode_version() -> str: ...
def tokenize(
    documents: list[str | bytes],
    pattern: str,
    lower: bool,
    accents: str | None,
    shortest: int,
    longest: int | None,
    chars: tuple[int, int],
    ngrams: tuple[int, int],
) -> list[list[str]]: ...

class ArrowText:
    def __init__(
        self, text: NDArray[np.uint8], offsets: AnyArray, validity: NDArray[np.uint8] | None, first: int, count: int
    ) -> None: ...

class TokenIndex:
    def __init__(self, letters: NDArray[np.uint8], offsets: Ints, sequences: bool) -> None: ...
    def __len__(self) -> int: ...

class TextScores:
    def __len__(self) -> int: ...

def text_scores(
    prior: Floats,
    class_base: Floats,
    starts: Ints,
    classes: NDArray[np.uint16],
    deltas: Floats,
    token_base: Floats | None,
    amount: str,
    unit_length: bool,
) -> TextScores: ...
def count_documents(
    documents: Sequence[object],
    rules: _Rules | None,
    hashed_bits: int | None,
    codes: Codes,
    classes: int,
    weights: Floats | None,
) -> tuple[int, _Spelling | None, TokenIndex | None, *tuple[AnyArray, ...]]: ...
def score_documents(
    documents: Sequence[object], rules: _Rules | None, index: TokenIndex | int, scores: TextScores
) -> tuple[Floats, NDArray[np.uint32]]: ...
def document_terms(
    documents: Sequence[object], rules: _Rules | None, index: TokenIndex | int | None
) -> tuple[int, _Spelling | None, *tuple[AnyArray, ...]]: ...
def hashed_terms(
    documents: Sequence[object], rules: _Rules | None, features: int, alternate_sign: bool
) -> tuple[int, None, Ints, Codes, Ints]: ...
def union_vocabularies(
    letters: NDArray[np.uint8], offsets: Ints, other_letters: NDArray[np.uint8], other_offsets: Ints
) -> tuple[NDArray[np.uint8], Ints, Ints]: ...
def add_token_sums(ours: _Table, theirs: _Table, tokens: int, numbers: Ints | None, sign: int) -> _Table: ...
def fit_one_vs_rest(
    matrix: tuple[Ints, Codes, Floats],
    costs: Floats,
    codes: Codes,
    classes: Ints,
    scales: Floats,
    is_logistic: bool,
    tolerance: float,
    most_passes: int,
) -> tuple[Floats, Floats, int]: ...
def sort_tokens(letters: NDArray[np.uint8], offsets: Ints) -> Ints: ...

class CodeStore:
    def __init__(self, codes: AnyArray, sizes: Ints, weights: Floats | None = None) -> None: ...

class LocalScores:
    @property
    def variables(self) -> int: ...
    def local(self, children: Ints, starts: Ints, parents: Ints) -> Floats: ...
    def pairs(self) -> Floats: ...
    def reordered(self, order: Ints) -> LocalScores: ...

class Gains: ...

def score_gains(scores: LocalScores) -> Gains: ...
def called_gains(variables: int, call: Callable[[Ints, Ints, Ints, Ints], Floats]) -> Gains: ...

class EquivalenceSearch:
    def __init__(
        self,
        gains: Gains,
        required_starts: Ints,
        required: Ints,
        forbidden_starts: Ints,
        forbidden: Ints,
        most: int,
        scale: float,
    ) -> None: ...
    def start(self, starts: Ints, parents: Ints) -> None: ...
    def step(self, is_forward: bool) -> tuple[float, int, int, list[int]] | None: ...
    def graph(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]: ...
    def dag(self) -> tuple[Ints, Ints]: ...

class OrderSearch:
    def __init__(
        self,
        scores: LocalScores,
        required_starts: Ints,
        required: Ints,
        forbidden_starts: Ints,
        forbidden: Ints,
        most: int,
        scale: float,
    ) -> None: ...
    def start(self, order: Ints) -> None: ...
    def sweep(self) -> list[tuple[int, int, bool, float]]: ...
    def parents(self) -> tuple[Ints, Ints]: ...

class HillClimb:
    def __init__(
        self,
        scores: LocalScores,
        required_starts: Ints,
        required: Ints,
        forbidden_starts: Ints,
        forbidden: Ints,
        most: int,
        scale: float,
        parent_starts: Ints,
        parents: Ints,
    ) -> None: ...
    def best(self) -> tuple[str, int, int, float] | None: ...
    def allowed(self, number: int) -> tuple[str, int, int, float]: ...
    def count_allowed(self) -> int: ...
    def make(self, change: str, parent: int, child: int, gain: float) -> None: ...
    def remember(self, most: int) -> None: ...
    def score(self) -> float: ...
    def parents(self) -> tuple[Ints, Ints]: ...

def called_scores(variables: int, call: Callable[[Ints, Ints, Ints], Floats]) -> LocalScores: ...
def cell_scores(codes: CodeStore, values: Floats, slots: Ints, cost: float) -> LocalScores: ...
def code_scores(codes: CodeStore, form: str, penalty: float, ess: float) -> LocalScores: ...
def block_scores(correlation: Floats, starts: Ints, log_spread: Floats, rows: float, cost: float) -> LocalScores: ...
def gaussian_scores(correlation: Floats, log_spread: Floats, rows: float, cost: float) -> LocalScores: ...
def subset_sums(codes: CodeStore, form: str, pseudo: float, most: int) -> Floats: ...
def count_families(codes: Codes, sizes: Ints, starts: Ints, members: Codes, weights: Floats | None) -> AnyArray: ...

class Source:
    @property
    def columns(self) -> int: ...

def coded_source(
    codes: AnyArray,
    sizes: Ints,
    weights: Floats | None,
    is_chi: bool,
    is_full: bool,
    is_corrected: bool,
    finds_determined: bool,
    ordered: AnyArray | None = None,
    is_trend_only: bool = False,
) -> Source: ...
def gaussian_source(correlation: Floats, rows: float) -> Source: ...
def block_source(correlation: Floats, starts: Ints, rows: float) -> Source: ...
def mixed_source(codes: AnyArray, sizes: Ints, values: Floats, slots: Ints, weights: Floats | None) -> Source: ...
def graph_source(starts: Ints, parents: Ints) -> Source: ...
def test_each(source: Source, x: Ints, y: Ints, starts: Ints, sets: Ints) -> Floats: ...
def determined_each(source: Source, columns: Ints, starts: Ints, sets: Ints) -> AnyArray: ...
def test_level(
    source: Source,
    edges: AnyArray,
    pool: AnyArray,
    level: int,
    alpha: float,
    power: float,
    unsure_is_independent: bool,
    rows_per_df: float,
    is_all: bool,
    report: Callable[[float], None] | None,
) -> tuple[Ints, Ints, Ints, Floats, int, int, int]: ...
def weigh_triples(
    source: Source,
    x: Ints,
    y: Ints,
    starts: Ints,
    middles: Ints,
    pool: AnyArray,
    depth: int,
    most: int,
    alpha: float,
    power: float,
    unsure_is_independent: bool,
    rows_per_df: float,
) -> tuple[Floats, Ints]: ...
def chi_square_tail(x: float, df: float) -> float: ...
def scan_net_text(
    text: bytes, marks: str, comment: str, most: int
) -> tuple[bytes, Ints, Ints, Ints, Floats, int, bool]: ...
def draw_forward(
    cards: Ints,
    starts: Ints,
    parents: Ints,
    offsets: Ints,
    order: Ints,
    fixed: Codes,
    ends: Floats,
    logs: Floats,
    seed: int,
    rows: int,
) -> tuple[AnyArray, Floats]: ...
def draw_gibbs(
    cards: Ints,
    starts: Ints,
    parents: Ints,
    offsets: Ints,
    fixed: Codes,
    values: Floats,
    first: Codes,
    seed: int,
    rows: int,
    burn_in: int,
    thin: int,
) -> AnyArray: ...

class Inference:
    def __init__(self, cards: Codes, starts: Ints, members: Codes, tables: Floats) -> None: ...
    def with_tables(self, tables: Floats) -> Inference: ...
    def cost(self) -> tuple[int, float, float, list[int]]: ...
    def set_most_workers(self, count: int) -> None: ...
    def beliefs(self, codes: Codes, likelihoods: dict[int, Floats]) -> tuple[Floats, Floats]: ...
    def log_probability(self, codes: Codes, likelihoods: dict[int, Floats]) -> Floats: ...
    def best(self, codes: Codes, likelihoods: dict[int, Floats]) -> tuple[Codes, Floats]: ...
    def draws(self, codes: Codes, count: int, seed: int) -> tuple[Codes, Floats]: ...
    def expected(self, codes: Codes, weights: Floats | None) -> tuple[Floats, float]: ...

class RowColumn:
    def classes(self) -> int: ...

class CountedColumn(RowColumn):
    def count_missing(self, counts: Floats, pseudo: Floats) -> None: ...
    def presence(self) -> AnyArray: ...

class StateColumn(CountedColumn):
    def counts(self) -> Floats: ...

class LabelColumn(StateColumn):
    def __init__(
        self,
        counts: Floats,
        size: int,
        codes: dict[Any, int | None],
        labels: list[Any],
        pseudocounts: Callable[[int], Floats],
        read_other: Callable[[Any], int | tuple[Any] | None],
        look_up_other: Callable[[Any], int | None],
    ) -> None: ...

class PresenceColumn(StateColumn):
    def __init__(
        self,
        counts: Floats,
        codes: tuple[int, int],
        threshold: float,
        has_markers: bool,
        pseudocounts: Callable[[int], Floats],
        read_other: Callable[[Any], bool | None],
        look_up_other: Callable[[Any], bool | None],
    ) -> None: ...

class NumberReader:
    def __init__(
        self, read_other: Callable[[Any], float | None], markers: Floats, refuse_missing: Callable[[], None] | None
    ) -> None: ...

class NormalColumn(CountedColumn):
    def __init__(self, moments: Floats, is_tied: bool, strength: float, reader: NumberReader) -> None: ...
    def reset(self, moments: Floats) -> None: ...
    def pending(self) -> tuple[Floats, Codes]: ...

class BinColumn(CountedColumn):
    def __init__(
        self,
        values: Floats,
        counts: Floats,
        dropped: Ints | None,
        how: str,
        number: int,
        given: Floats,
        is_whole: bool,
        pseudocounts: Callable[[int], Floats],
        reader: NumberReader,
    ) -> None: ...
    def reset(self, values: Floats, counts: Floats, dropped: Ints | None) -> None: ...
    def histogram(self) -> tuple[Floats, Floats, Ints | None, Floats, Codes]: ...

class OtherColumn(RowColumn):
    def __init__(
        self,
        read: Callable[[Any], Any] | None,
        add: Callable[[Any, int], None] | None,
        score: Callable[[Any], Sequence[float]] | None,
    ) -> None: ...

class LiveRow:
    def __init__(
        self,
        names: list[str],
        columns: list[RowColumn],
        class_counts: Floats,
        check_names: Callable[[dict[str, Any]], None],
    ) -> None: ...
    def set_weights(self, weights: Floats) -> None: ...
    def class_counts(self) -> Floats: ...
    def learn(self, row: dict[str, Any], j: int) -> bool: ...
    def joint(self, row: dict[str, Any], start: list[float] | None) -> list[float]: ...
    def posterior(self, row: dict[str, Any], prior: list[float] | None) -> list[float]: ...
    def best(self, row: dict[str, Any], prior: list[float] | None) -> int: ...
