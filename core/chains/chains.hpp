// Chains: tables of a column given the class and its parents, nested by parent.
//
// A chain is a list of columns, p_1 … p_k and then x. Its counts are n(p_1, …, p_k, x, class), and
//
//   P_l(x | class, p_1 … p_l) = (n(x, class, p_1 … p_l) + s_l·P_(l−1)) / (n(class, p_1 … p_l) + s_l),   l = 0 … k,
//
// ending in P_(−1)(x) = (n(x) + 1) / (n + states of x). The strengths s_l maximize the leave-one-out likelihood.
//
// A code that equals its column's size is not known. Where p_i is not known, the probability is that of level i − 1,
// and where x is not known, its evidence is 0.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "read/code_columns.hpp"
#include "read/ragged_list.hpp"

namespace deciban {

struct Chains {
  RaggedList<std::int32_t> columns;
  std::span<const std::int64_t> sizes;  // the known states of each column
  std::int64_t classes;

  std::size_t size() const { return columns.size(); }
  // The cells of the first parents of a chain and its x, those of all `levels` by themselves.
  std::size_t cells(std::size_t chain, std::size_t levels) const;
  // The entries of its table for scoring: those of each level, the last one first, and one of zeros. None: no levels.
  std::size_t entries(std::size_t chain, std::size_t levels) const;
};

// The cells of all chains, one after the other, the classes of a cell contiguous: whole numbers, or sums of weights.
using ChainCounts = std::variant<std::span<const std::int64_t>, std::span<const double>>;

// Rows that were counted: their classes, and the weight of a row, which is left out of the counts.
struct CountedRows {
  const CodeColumns& codes;
  std::span<const std::int32_t> y;
  double unit;
};

struct ChainEvidence {
  std::vector<double> evidence;   // rows × columns × levels × classes
  std::vector<double> strengths;  // s_l of each chain
};

// What each level of each column adds, Σ shares[c]·(log P_l − log P_(l−1)) over the chains c of the column, of each row
// as if it had not been counted. `of_column`: the column of each chain; `depth`: the levels of the longest.
ChainEvidence chain_evidence(const Chains& chains, const ChainCounts& counts, const CountedRows& rows,
                             std::span<const double> shares, std::span<const std::int32_t> of_column,
                             std::int64_t columns, std::int64_t depth);

// How the levels of the chains are combined: Σ_l factors_l·log P_l, over the first `used` levels of each chain.
struct LevelFactors {
  std::span<const double> factors;  // of all levels of all chains
  std::span<const std::int64_t> used;
  double unit;
  std::span<const double> strengths;  // empty: they are found
};

struct CombinedChains {
  std::vector<double> table;  // entries × width, chain after chain; classes are padded to `width` (averaged_width)
  std::vector<double> strengths;
};
CombinedChains combine_chains(const Chains& chains, const ChainCounts& counts, const LevelFactors& of_levels);

// out[row][group][class] = Σ table[entry of the row in c][class] over the chains c of the group.
void add_chains(const CodeColumns& codes, const Chains& chains, std::span<const double> table,
                std::span<const std::int32_t> groups, std::int64_t group_count, std::span<double> out);

// d × d: the conditional mutual information of two columns given the class, and on the diagonal the mutual information
// of a column with the class, in nats. Rows in which a value is not known are left out.
std::vector<double> pair_information(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes);

}  // namespace deciban
