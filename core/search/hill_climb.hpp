// Hill climbing over DAGs: the state of a search that adds, deletes or reverses one arrow at a time.
//
// The gain of toggling each arrow is kept; a move changes the families of one or two variables, and only these are
// scored again, on all cores. `deciban.nets.search.climbing` makes the moves.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "search/local_scores.hpp"
#include "search/node_sets.hpp"
#include "search/parent_rules.hpp"

namespace deciban {

enum class ArrowChange : std::uint8_t { add, remove, reverse };

struct ClimbStep {
  ArrowChange change;
  std::int64_t parent, child;
  double gain;
};

class HillClimb {
 public:
  // `scale` is the size of the scores: gains below its rounding are none. The scores must outlive the climb.
  HillClimb(const LocalScores& scores, const ParentRules& rules, double scale, const RaggedList<std::int64_t>& parents);

  // The step with the largest gain that leads to none of the remembered graphs; of equal ones the first by the
  // variables, reversals last. None where no step is allowed.
  std::optional<ClimbStep> best() const;
  void make(const ClimbStep& step);
  // Keeps the graph as it is now, and forgets all but the last `most`.
  void remember(std::size_t most);

  // All allowed steps, numbered in the order above.
  std::int64_t count_allowed() const;
  ClimbStep allowed(std::int64_t number) const;

  double score() const;
  const NodeSets& parents() const { return parents_; }

 private:
  using Arrow = std::pair<std::int64_t, std::int64_t>;  // parent, child
  using Arrows = std::set<Arrow>;

  // Calls f with each allowed step, in order, until it returns true.
  template <class F>
  void each_allowed(F&& f) const;
  bool is_remembered(const ClimbStep& step) const;
  bool has_room(std::int64_t child) const { return counts_[at(child)] < most_; }
  double& gain(std::int64_t parent, std::int64_t child) { return gains_[at(parent * nodes_ + child)]; }
  double gain(std::int64_t parent, std::int64_t child) const { return gains_[at(parent * nodes_ + child)]; }
  void refresh(std::span<const std::int64_t> children);
  void toggle(std::int64_t parent, std::int64_t child);
  void find_paths();

  const LocalScores& scores_;
  std::int64_t nodes_, most_;
  double scale_;
  NodeSets allowed_;   // of each parent, the children that it may have
  NodeSets required_;  // of each child, the parents that it must have
  NodeSets parents_, children_;
  NodeSets above_, below_;  // with the node itself
  std::vector<std::int64_t> counts_;
  std::vector<double> current_, gains_;
  std::deque<Arrows> remembered_;  // the arrows in which each graph differs from this one
};

}  // namespace deciban
