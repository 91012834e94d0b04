// Sets of nodes as bits, one set for each node: 64 nodes at a time are united and compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "run/at.hpp"

namespace deciban {

class NodeSets {
 public:
  explicit NodeSets(std::int64_t nodes) : nodes_(nodes), words_(at((nodes + 63) / 64)), bits_(at(nodes) * words_, 0) {}

  std::int64_t nodes() const { return nodes_; }
  std::size_t words() const { return words_; }
  std::span<std::uint64_t> operator[](std::int64_t node) { return std::span(bits_).subspan(at(node) * words_, words_); }
  std::span<const std::uint64_t> operator[](std::int64_t node) const {
    return std::span(bits_).subspan(at(node) * words_, words_);
  }
  bool has(std::int64_t node, std::int64_t member) const {
    return (bits_[at(node) * words_ + at(member) / 64] >> (at(member) % 64) & 1) != 0;
  }
  void add(std::int64_t node, std::int64_t member) {
    bits_[at(node) * words_ + at(member) / 64] |= std::uint64_t{1} << (at(member) % 64);
  }
  void remove(std::int64_t node, std::int64_t member) {
    bits_[at(node) * words_ + at(member) / 64] &= ~(std::uint64_t{1} << (at(member) % 64));
  }

 private:
  std::int64_t nodes_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// Calls f with each member of the set whose words are word(0), word(1), …, the smallest first.
template <class Word, class F>
void each_member(std::size_t words, Word&& word, F&& f) {
  for (std::size_t w = 0; w < words; ++w) {
    for (std::uint64_t left = word(w); left != 0; left &= left - 1) {
      f(static_cast<std::int64_t>(w * 64) + std::countr_zero(left));
    }
  }
}

inline std::vector<std::int64_t> members_of(std::span<const std::uint64_t> set) {
  std::vector<std::int64_t> out;
  std::size_t count = 0;
  for (const std::uint64_t word : set) count += static_cast<std::size_t>(std::popcount(word));
  out.reserve(count);
  each_member(set.size(), [&](std::size_t w) { return set[w]; }, [&](std::int64_t member) { out.push_back(member); });
  return out;
}

// Whether a set, word by word, has a member other than some node.
template <class Word>
bool has_other_than(std::int64_t node, std::size_t words, Word&& word) {
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t left = word(w);
    if (w == at(node) / 64) left &= ~(std::uint64_t{1} << (at(node) % 64));
    if (left != 0) return true;
  }
  return false;
}

// Children from parents, and parents from children.
inline NodeSets transposed(const NodeSets& sets) {
  NodeSets out(sets.nodes());
  for (std::int64_t node = 0; node < sets.nodes(); ++node) {
    const auto set = sets[node];
    each_member(set.size(), [&](std::size_t w) { return set[w]; }, [&](std::int64_t member) { out.add(member, node); });
  }
  return out;
}

}  // namespace deciban
