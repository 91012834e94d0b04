// Best order score search (Andrews, Ramsey, Sánchez-Romero, Camchong and Kummerfeld, NeurIPS 2023).
//
// An order of the variables has a graph: each variable takes its parents from those before it, by adding the best one
// until none gains, then removing. What a variable takes from any set is kept in its grow–shrink tree. A variable moves
// to the position with the largest sum of scores; sweeps over all variables are repeated until none moves.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/local_scores.hpp"
#include "search/node_sets.hpp"
#include "search/parent_rules.hpp"

namespace deciban {

// A variable that moved, the one that follows it now, or, where it is the last one, the one before it; and what the
// score gained.
struct OrderMove {
  std::int64_t variable, beside;
  bool is_last;
  double gain;
};

class GrowShrinkTree;

class OrderSearch {
 public:
  // `scale` is the size of the scores: differences below its rounding are none. The scores must outlive the search.
  OrderSearch(const LocalScores& scores, const ParentRules& rules, double scale);
  ~OrderSearch();
  OrderSearch(const OrderSearch&) = delete;
  OrderSearch& operator=(const OrderSearch&) = delete;

  // Begins again from an order, in which required parents come before their children; the trees are kept.
  void start(std::span<const std::int64_t> order);

  // Moves each variable once to its best position, in the order of the variables; returns the moves that gained.
  std::vector<OrderMove> sweep();

  // The parents of each variable in the graph of the order.
  NodeSets parents() const;

 private:
  struct Place;
  struct View;
  struct Walk;

  void resolve(std::vector<Walk>& walks);
  void settle(std::span<const std::int64_t> variables);
  bool move(std::int64_t variable, OrderMove& made);

  const LocalScores& scores_;
  double scale_;
  std::vector<std::vector<std::int64_t>> required_, required_children_;
  std::vector<std::unique_ptr<GrowShrinkTree>> trees_;
  std::vector<std::int64_t> order_;
  std::vector<Place> places_;
};

}  // namespace deciban
