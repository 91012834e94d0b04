// A Bayes net compiled for inference: a forest of cliques, the factor of every node in one of them, and where each
// node's belief is read. It never changes; what is computed for a row of evidence is in `propagate`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "table_walk.hpp"
#include "triangulate.hpp"

namespace deciban {

// P(node | parents), its axes in the tree's order.
struct Factor {
  std::vector<Axis> axes;
  std::vector<Cells> given;  // the step of each axis in the table as it was given
  std::vector<double> table;
  double lowest;  // log2 of its smallest entry above 0
};

struct Clique {
  std::vector<Axis> axes;  // its own first, then those shared with its parent
  std::size_t own = 0;
  std::int32_t parent = -1;
  std::vector<std::int32_t> children;
  std::vector<Node> factors;       // by the node whose table it is
  std::vector<Node> shown;         // nodes whose beliefs are read from its table,
  std::vector<Node> shown_shared;  // or from the table that it shares with its parent
  // Factors at and below it are those of nodes below its parent: without evidence there, they sum to 1.
  bool sums_to_one = false;
  bool all_sum_to_one = false;  // so do those of every clique below it
  double cells = 1;
  double shared = 1;

  std::span<const Axis> shared_axes() const { return std::span(axes).subspan(own); }
};

struct Family {
  std::vector<Node> members;      // the axes of the table as it is given
  std::span<const double> table;  // in C order
};

class CliqueTree {
 public:
  // Nodes marked as taken are no axes of any clique: what is observed of them is cut out of the factors.
  CliqueTree(std::span<const std::int32_t> cards, const Forest& forest);
  void add_factors(std::span<const Family> families);

  std::span<const std::int32_t> cards() const { return cards_; }
  std::size_t nodes() const { return cards_.size(); }
  const std::vector<Clique>& cliques() const { return cliques_; }  // children before parents
  const Factor& factor(Node v) const { return factors_[static_cast<std::size_t>(v)]; }
  std::int32_t home(Node v) const { return home_[static_cast<std::size_t>(v)]; }  // where the factor of v is
  std::int32_t top(Node v) const { return top_[static_cast<std::size_t>(v)]; }    // the highest clique with v; or −1

 private:
  void place_factors(std::span<const Family> families);
  void find_silent(std::span<const Family> families);
  void find_shown();

  std::vector<std::int32_t> cards_;
  std::vector<Clique> cliques_;
  std::vector<Factor> factors_;
  std::vector<std::int32_t> place_, home_, top_;
};

}  // namespace deciban
