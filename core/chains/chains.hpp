// Chains: tables of a column given the class and its parents, nested by parent.
//
// A chain is a list of columns, p_1 … p_k and then x. Its counts are n(p_1, …, p_k, x, class), and
//
//   P_l(x | class, p_1 … p_l) = (n(x, class, p_1 … p_l) + s_l·P_(l−1)) / (n(class, p_1 … p_l) + s_l),   l = 0 … k,
//
// ending in P_(−1)(x) = (n(x) + 1) / (n + states of x). The strengths s_l maximize the leave-one-out likelihood.
//
// Tables for scoring have one more state in each column, for a value that is not known: where p_i is not known, the
// entry is that of level i − 1, and where x is not known, it is 0. Classes are padded to `width` (averaged_width).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "read/code_columns.hpp"
#include "read/ragged_list.hpp"

namespace deciban {

struct Chains {
  RaggedList<std::int32_t> columns;
  std::span<const std::int64_t> sizes;  // the known states of each column
  std::int64_t classes;

  std::size_t size() const { return columns.size(); }
  // The entries of a chain's table: products of known states, and of known states and the unknown one.
  std::size_t known_cells(std::size_t chain) const;
  std::size_t padded_cells(std::size_t chain) const;
};

// Chain after chain, and within a chain level after level: the entries of level l are those of p_1 … p_l and x.
struct ChainLogs {
  std::vector<double> logs, left;  // log P_l, and the same without one row of the entry's class
  std::vector<double> strengths;   // s_l
};

// `counts`: the cells of all chains, one after the other, the classes of a cell contiguous; `unit`: the weight of the
// row that is left out.
ChainLogs smooth_chains(const Chains& chains, std::span<const double> counts, double unit);

struct ChainScores {
  std::span<const double> table;    // entries × width, chain after chain
  std::span<const double> left;     // the same without one row; empty: not used
  std::span<const std::int32_t> y;  // the class of each row, where `left` is used
  std::span<const double> shares;   // a factor for each chain
  std::span<const std::int32_t> groups;
  std::int64_t group_count;
};

// out[row][group][class] = Σ shares[c]·table[entry of the row in c][class] over the chains c of the group. A code that
// equals its column's size is not known.
void add_chains(const CodeColumns& codes, const Chains& chains, const ChainScores& scores, std::span<double> out);

// d × d: the conditional mutual information of two columns given the class, and on the diagonal the mutual information
// of a column with the class, in nats. Rows in which a value is not known are left out.
std::vector<double> pair_information(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes);

}  // namespace deciban
