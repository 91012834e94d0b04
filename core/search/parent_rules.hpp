// What a search may not change.
#pragma once

#include <cstdint>

#include "read/ragged_list.hpp"

namespace deciban {

// For each variable the parents that it must have and those that it must not have; and the most parents.
struct ParentRules {
  RaggedList<std::int64_t> required, forbidden;
  std::int64_t most;
};

}  // namespace deciban
