// Partially directed graphs: the class of a DAG, the rules that direct edges, and a DAG of a class.
// `deciban.nets.graphs.orientation` explains them, and has the same functions.
#pragma once

#include <optional>

#include "search/node_sets.hpp"

namespace deciban {

// The parents of each node, and its neighbours across undirected edges.
struct PartialGraph {
  NodeSets up, free;
};

// The completed graph of a DAG: the arrows that all equivalent DAGs share, the other edges undirected.
PartialGraph class_of(const NodeSets& parents);

// Applies Meek's four rules until no more edges can be directed.
void close(PartialGraph& graph);

// The parents of a DAG with these arrows, these edges and no further v-structure (Dor and Tarsi 1992), if there is one.
std::optional<NodeSets> extend(const PartialGraph& graph);

}  // namespace deciban
