// The smallest sets of nodes that d-separate two nodes of a directed graph: by Menger's theorem, as many nodes as there
// are disjoint paths between the two in the moral graph of their ancestors. Paths are found as augmenting paths of a
// flow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace deciban {

class MinSeparator {
 public:
  // Only nodes that `pool` marks may separate.
  MinSeparator(const std::vector<std::vector<std::int32_t>>& parents, std::int64_t x, std::int64_t y,
               std::span<const std::uint8_t> pool);

  // The first in order of the separating sets of this size; none where the smallest have another size.
  std::optional<std::vector<std::int64_t>> find(std::int64_t size);

 private:
  // Each node is two, its entry 2·i and its exit 2·i + 1, with an arc between them of capacity 1 where the node may
  // separate. Arc k ^ 1 is the reverse of arc k.
  void add_arc(std::int32_t from, std::int32_t to, std::int32_t capacity);
  void add_moral_edges(const std::vector<std::vector<std::int32_t>>& parents, std::span<const std::int32_t> nodes);
  // The number of disjoint paths from x to y; counting stops at most + 1.
  std::int64_t count_paths(std::int64_t most);
  bool augment();
  std::vector<std::int64_t> on_paths() const;

  std::int32_t x_;
  std::int32_t y_;
  std::vector<std::int32_t> first_;  // of each entry or exit the last arc added, and in next_ the one before it
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> to_;
  std::vector<std::int32_t> capacity_;
  std::vector<std::int32_t> residual_;
  std::vector<std::int32_t>
      node_arc_;  // of each node that may separate, the arc between its entry and its exit; else −1
  std::vector<std::int32_t> came_by_;
};

}  // namespace deciban
