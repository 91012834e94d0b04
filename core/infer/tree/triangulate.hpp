// A forest of cliques for a graph: the orders that several greedy rules find, each run a number of times, of
// which the cheapest is kept (Kjærulff 1990). Simplicial nodes go first, which is never worse.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "infer/tree/elimination.hpp"

namespace deciban {

// A clique: its own nodes first, which are in no clique above it, then those shared with its parent.
struct Bag {
  std::vector<Node> members;  // in the order of `position`
  std::size_t own = 0;
  std::int32_t parent = -1;
};

// Children stand before their parents, and every bag's members are in the order of `position`.
struct Forest {
  std::vector<Bag> bags;
  std::vector<std::int32_t> position;  // of each node in the elimination order; −1: not in the graph
};

// How long to search, in steps of work, so that results do not depend on the machine.
struct Effort {
  std::int64_t least_runs = 10;
  std::int64_t most_runs = 100'000;
  std::int64_t most_work = 200'000'000;  // about a second of search
  double work_per_cell = 20.0;           // the search takes no longer than some propagations through the tables found
  double goal = std::numeric_limits<double>::infinity();  // gives up at tables larger than this
};

Forest triangulate(const Adjacency& graph, std::span<const char> taken, std::span<const double> cards,
                   const Effort& effort);

// The entries of all tables of cliques, and of those between them.
double cells_of(const Forest& forest, std::span<const double> cards);

}  // namespace deciban
