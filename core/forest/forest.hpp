// Random trees whose nodes count the classes: how they grow, where rows end in them, and what the counts say.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/at.hpp"

namespace deciban {

// Codes that are no state of a column.
inline constexpr std::uint16_t missing_state = 0xFFFF;  // takes the side of the split that missing values take
inline constexpr std::uint16_t other_state = 0xFFFE;    // not known to the trees: takes the larger side
inline constexpr std::uint16_t ended_state = 0xFFFD;    // not known, and no evidence: the row ends at the split

inline constexpr std::uint8_t missing_right = 1, other_right = 2;  // the bits of `sides`

// Columns of codes, one after the other.
struct StateColumns {
  std::span<const std::uint16_t> codes;
  std::int64_t rows, columns;

  const std::uint16_t* column(std::int64_t c) const { return codes.data() + c * rows; }
};

// The nodes of all trees, one tree after the other. A row whose state has a rank in [low, high] goes to the node
// `left`, others to the one behind it. The rank of a number's bin is its code; each tree ranks the labels of a column
// anew.
struct Forest {
  std::span<const std::int32_t> columns;  // −1 in a leaf
  std::span<const std::uint16_t> low, high;
  std::span<const std::int32_t> left;
  std::span<const std::uint8_t> sides;
  std::span<const std::int64_t> starts;        // of each tree, and the number of nodes
  std::span<const std::uint16_t> ranks;        // trees × states of all columns of labels
  std::span<const std::int64_t> rank_starts;   // of each column within a tree's ranks; −1 for numbers
  std::span<const std::int64_t> label_states;  // how many labels each column has; 0 for numbers
  std::uint64_t seed;
  double share;  // of the rows that a tree's structure was chosen from

  std::int64_t trees() const { return static_cast<std::int64_t>(starts.size()) - 1; }
  std::int64_t nodes() const { return static_cast<std::int64_t>(columns.size()); }
  std::int64_t ranks_of_tree() const { return trees() > 0 ? static_cast<std::int64_t>(ranks.size()) / trees() : 0; }
};

struct GrownForest {
  std::vector<std::int32_t> columns;
  std::vector<std::uint16_t> low, high;
  std::vector<std::int32_t> left;
  std::vector<std::uint8_t> sides;
  std::vector<std::int64_t> starts;
  std::vector<std::uint16_t> ranks;
};

struct GrowRules {
  std::int64_t trees, candidates, min_leaf, max_depth;
  std::uint64_t seed;
  double share;
};

// Rows in an order that follows from their values, with their keys, classes and weights.
struct GrowRows {
  StateColumns states;
  std::span<const std::int64_t> label_states;  // of each column: its number of labels, 0 for numbers
  std::span<const std::uint64_t> keys;
  std::span<const std::int32_t> y;
  std::span<const std::uint32_t> weights;
  std::int64_t classes;
};

GrownForest grow_forest(const GrowRows& rows, const GrowRules& rules);

// Mixes the bits of a number (the finalizer of SplitMix64).
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

constexpr std::uint64_t seed_of_tree(std::uint64_t seed, std::int64_t tree) {
  return mixed(seed + (static_cast<std::uint64_t>(tree) + 1) * 0x9E3779B97F4A7C15);
}

// Whether the structure of a tree was chosen with the row of this key among others.
inline bool is_in_bag(std::uint64_t tree_seed, std::uint64_t key, double share) {
  return static_cast<double>(mixed(tree_seed ^ key) >> 11) * 0x1p-53 < share;
}

// What was counted at the nodes where rows end: nodes × classes. Without weights counts are whole numbers.
template <class N>
void count_ends(const Forest& forest, const StateColumns& rows, std::span<const std::int32_t> y,
                std::span<const double> weights, std::int64_t classes, std::span<N> out);

// rows × groups × classes: the sum over trees of the table's entries where a row ends. With `by_column`, each split's
// difference between child and node is added to the split's column; the groups are then the columns.
void add_ends(const Forest& forest, const StateColumns& rows, std::span<const double> table, std::int64_t classes,
              bool by_column, std::span<double> out);

// Adds the counts of rows that end at each node to its ancestors.
void add_to_ancestors(const Forest& forest, std::int64_t classes, std::span<double> counts);

// Replaces the counts of all rows that pass each node by
//   P(c | node) = (n_c + s·P(c | parent)) / (n + s),
// the parent of the root is uniform with s = 1, and else s is the strength of the depth, or that of the deepest.
void node_chances(const Forest& forest, std::int64_t classes, std::span<const double> strengths,
                  std::span<double> counts);

// Counted rows: how much each weighs in the counts, and for how many it stands.
struct CountedRows {
  StateColumns states;
  std::span<const std::uint64_t> keys;
  std::span<const std::int32_t> y;
  std::span<const double> own, importance;
};

// counts: nodes × classes, all rows that pass a node. For each depth, the strength s of
// P(c | node) = (n_c + s·P(c | parent)) / (n + s) that maximizes the likelihood of the rows, each without itself, in
// the trees that were grown without it.
std::vector<double> depth_strengths(const Forest& forest, const CountedRows& rows, std::span<const double> counts,
                                    std::int64_t classes, std::int64_t depths);

// rows × classes: log P(c | ends) − log P(c | root), where P(c | ends) is the mean over the trees that were grown
// without the row, and the row itself is not counted.
void score_left_out(const Forest& forest, const CountedRows& rows, std::span<const double> counts, std::int64_t classes,
                    std::span<const double> strengths, std::span<double> out);

// Rows of codes, one after the other.
std::vector<std::uint16_t> by_rows(const StateColumns& states);

// The ranks of a tree's labels.
struct TreeRanks {
  const std::uint16_t* ranks;
  const std::int64_t* starts;

  std::uint16_t of(std::int32_t column, std::uint16_t code) const {
    const std::int64_t start = starts[column];
    return start < 0 ? code : ranks[start + code];
  }
};

// The node that follows, or −1 where the row ends: the row's states are `row`.
inline std::int32_t next_node(const Forest& forest, std::int32_t node, const std::uint16_t* row,
                              const TreeRanks& ranks) {
  const std::size_t i = at(node);
  const std::int32_t column = forest.columns[i];
  if (column < 0) return -1;
  const std::uint16_t code = row[column];
  if (code < ended_state) {
    const std::uint16_t rank = ranks.of(column, code);
    return forest.left[i] + static_cast<std::int32_t>(rank < forest.low[i] || rank > forest.high[i]);
  }
  if (code == ended_state) return -1;
  const std::uint8_t bit = code == missing_state ? missing_right : other_right;
  return forest.left[i] + static_cast<std::int32_t>((forest.sides[i] & bit) != 0);
}

inline TreeRanks ranks_of(const Forest& forest, std::int64_t tree) {
  return {forest.ranks.data() + tree * forest.ranks_of_tree(), forest.rank_starts.data()};
}

}  // namespace deciban
