// What a search may not change.
#pragma once

#include <cstdint>

#include "read/ragged_list.hpp"
#include "search/node_sets.hpp"

namespace deciban {

// For each variable the parents that it must have and those that it must not have; and the most parents.
struct ParentRules {
  RaggedList<std::int64_t> required, forbidden;
  std::int64_t most;
};

inline NodeSets sets_of(const RaggedList<std::int64_t>& lists) {
  NodeSets out(static_cast<std::int64_t>(lists.size()));
  for (std::size_t node = 0; node < lists.size(); ++node) {
    for (const std::int64_t member : lists[node]) out.add(static_cast<std::int64_t>(node), member);
  }
  return out;
}

}  // namespace deciban
