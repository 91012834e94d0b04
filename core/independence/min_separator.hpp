// The smallest sets of nodes that d-separate two nodes of a directed graph: by Menger's theorem as many nodes as there
// are disjoint paths between the two in the moral graph of their ancestors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace deciban {

class Cut {
 public:
  // Only nodes that `pool` marks may separate.
  Cut(const std::vector<std::vector<std::int32_t>>& parents, std::int64_t x, std::int64_t y,
      std::span<const std::uint8_t> pool);

  // Of the separating sets, if the smallest have this size, the first in order.
  std::optional<std::vector<std::int64_t>> smallest(std::int64_t size);

 private:
  // Each node is two, its entry 2·i and its exit 2·i + 1, with an arc between them that holds one path where the node
  // may separate. Arc k ^ 1 leads back along arc k.
  void add_arc(std::int32_t from, std::int32_t to, std::int32_t room);
  void add_moral(const std::vector<std::vector<std::int32_t>>& parents, std::span<const std::int32_t> nodes);
  // Disjoint paths from x to y, but no more than most + 1.
  std::int64_t paths(std::int64_t most);
  bool augment();
  std::vector<std::int64_t> on_paths() const;

  std::int32_t x_;
  std::int32_t y_;
  std::vector<std::int32_t> first_;  // of each node, entry or exit, its last arc; from there a chain
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> to_;
  std::vector<std::int32_t> room_;
  std::vector<std::int32_t> left_;
  std::vector<std::int32_t> gate_;  // of each node that may separate, the arc between its entry and its exit; else −1
  std::vector<std::int32_t> came_;
};

}  // namespace deciban
