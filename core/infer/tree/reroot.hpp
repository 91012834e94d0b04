// The same cliques, re-reroot: the largest clique of each tree is its root, and each clique is attached to the smallest
// neighbour that contains what it shares, so that large tables are read less often.
#pragma once

#include <span>

#include "infer/tree/triangulate.hpp"

namespace deciban {

Forest reroot(const Forest& forest, std::span<const double> cards);

}  // namespace deciban
