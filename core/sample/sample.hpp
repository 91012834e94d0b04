// Rows drawn from a Bayes net: parents before children, or one node at a time given all others (Gibbs).
#pragma once

#include <cstdint>
#include <span>

#include "read/ragged_list.hpp"

namespace deciban {

// Number `position` of the stream `key`: SplitMix64 (Steele, Lea and Flood 2014), which can start anywhere, so that a
// row's draws depend only on the seed, the row and the node, never on threads.
constexpr std::uint64_t random_word(std::uint64_t key, std::uint64_t position) {
  std::uint64_t z = key + (position + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

constexpr double random_unit(std::uint64_t key, std::uint64_t position) {
  return static_cast<double>(random_word(key, position) >> 11) * 0x1.0p-53;
}

// Node i has cards[i] states and the parents parents[i]; its table begins at offsets[i] of a flat array, its own states
// change fastest, its last parent's next.
struct FlatNet {
  std::span<const std::int64_t> cards;
  RaggedList<std::int64_t> parents;
  std::span<const std::int64_t> offsets;

  std::int64_t nodes() const { return static_cast<std::int64_t>(cards.size()); }
};

// Forward: the state with ends[state - 1] <= u < ends[state] of its row. Nodes with fixed[i] >= 0 have that state;
// log_weights, where given, are the sums of the logs of their probabilities. Codes are column after column.
template <class T>
struct ForwardDraw {
  FlatNet net;
  std::span<const std::int64_t> order;
  std::span<const std::int32_t> fixed;
  std::span<const double> ends;
  std::span<const double> logs;
  std::uint64_t seed;
  std::int64_t rows;
  T* codes;
  double* log_weights;
};

template <class T>
void draw_forward(const ForwardDraw<T>& draw);

// Gibbs: from the row `first` of each chain, after burn_in sweeps every thin-th row, chain after chain. `values` are
// the probabilities; first rows have probability above 0.
template <class T>
struct GibbsDraw {
  FlatNet net;
  std::span<const std::int32_t> fixed;
  std::span<const double> values;
  std::span<const std::int32_t> first;
  std::uint64_t seed;
  std::int64_t chains;
  std::int64_t rows;  // of each chain
  std::int64_t burn_in;
  std::int64_t thin;
  T* codes;
};

template <class T>
void draw_gibbs(const GibbsDraw<T>& draw);

}  // namespace deciban
