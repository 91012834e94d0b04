// A Bayes net compiled for inference: a forest of cliques, the factor of every node in one of them, and the
// table from which each node's belief is read. It is constant; `propagate` computes with it for a row of evidence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "infer/table_walk.hpp"
#include "infer/tree/triangulate.hpp"

namespace deciban {

// P(node | parents): the table as it was given, its axes in the tree's order and the step of each in the table.
struct Factor {
  std::vector<Axis> axes;
  std::vector<Cells> steps;
  const double* given = nullptr;
  double lowest = 0.0;          // log2 of its smallest entry above 0
  std::vector<double> ordered;  // the entries in the order of the axes; empty where only slices are used

  double value(std::span<const std::int32_t> codes) const {
    Cells index = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) index += steps[d] * codes[static_cast<std::size_t>(axes[d].node)];
    return given[index];
  }
};

// Copies entries that are `steps` apart along each axis into a contiguous table.
void copy_cells(std::span<const Axis> axes, const Cells* steps, const double* from, double* out);

struct Clique {
  std::vector<Axis> axes;  // its own first, then those shared with its parent
  std::size_t own = 0;
  std::int32_t parent = -1;
  std::vector<std::int32_t> children;
  std::vector<Node> factors;      // by the node whose table it is
  std::vector<Node> read_here;    // nodes whose beliefs are read from its table,
  std::vector<Node> read_shared;  // or from the table over the nodes shared with its parent
  // Its factors and those below it are of nodes that are not in its parent: without evidence there, they sum to 1.
  bool sums_to_one = false;
  bool all_sum_to_one = false;  // so do those of every clique below it
  double cells = 1;
  double shared = 1;

  std::span<const Axis> shared_axes() const { return std::span(axes).subspan(own); }
};

struct Family {
  std::vector<Node> members;  // the axes of the table
  const double* table;        // in C order; it outlives the tree
};

class CliqueTree {
 public:
  CliqueTree(std::span<const std::int32_t> cards, const Forest& forest, std::span<const Family> families);
  // The same factors in another forest, for rows that agree in what is observed: nodes that are not in the forest are
  // no axes of any clique. Factors may be left out.
  CliqueTree(const CliqueTree& tree, const Forest& forest, std::span<const char> is_left_out);

  std::span<const std::int32_t> cards() const { return cards_; }
  std::size_t nodes() const { return cards_.size(); }
  const std::vector<Clique>& cliques() const { return cliques_; }  // children before parents
  const Factor& factor(Node v) const { return factors_[static_cast<std::size_t>(v)]; }
  std::int32_t home(Node v) const { return home_[static_cast<std::size_t>(v)]; }  // the clique that has the factor of v
  std::int32_t top(Node v) const { return top_[static_cast<std::size_t>(v)]; }    // the highest clique with v; or −1

 private:
  void add_cliques(const Forest& forest);
  void assign_factors(std::span<const char> is_left_out);
  void find_sums_to_one();
  void assign_beliefs();

  std::vector<std::int32_t> cards_;
  std::vector<Clique> cliques_;
  std::vector<Factor> factors_;
  std::vector<std::int32_t> position_, home_, top_;
};

}  // namespace deciban
