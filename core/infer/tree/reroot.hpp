// The same cliques, re-rooted: from the largest of each tree, and each below the smallest clique that holds what it
// shares, so that large tables are walked less often.
#pragma once

#include <span>

#include "infer/tree/triangulate.hpp"

namespace deciban {

Forest rooted(const Forest& forest, std::span<const double> cards);

}  // namespace deciban
