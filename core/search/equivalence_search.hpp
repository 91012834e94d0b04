// Greedy equivalence search: steps between equivalence classes of DAGs (Chickering 2002), as a fast search for large
// graphs (Ramsey, Glymour, Sanchez-Romero and Glymour 2017). `deciban.nets.search.ges` says what a step changes, and
// when it is valid; tests/reference/equivalence_search.py is the readable twin.
//
// The gain of an operator depends on the neighbourhood of its head alone. So the operators of each head are kept, and
// after a step only those of heads whose neighbourhoods have changed are found again, on all cores; each step is then
// chosen and made in one thread, by its gain and the order of the variables, so that threads change nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/local_scores.hpp"
#include "search/parent_rules.hpp"
#include "search/partial_graph.hpp"

namespace deciban {

// What each parent gains that is added to a family: the difference of two scores, or what a score says itself.
class Gains {
 public:
  Gains() = default;
  Gains(const Gains&) = delete;
  Gains& operator=(const Gains&) = delete;
  virtual ~Gains() = default;

  virtual std::int64_t variables() const = 0;
  // Of each added parent of each growth, one after the other.
  virtual std::vector<double> gains(std::span<const Growth> growths) const = 0;
};

enum class Phase : std::uint8_t { forward, backward };

// x → y, or x — y, is added or deleted; `part` are the neighbours of y whose edges are directed with it.
struct EquivalenceStep {
  double gain;
  std::int32_t y, x;
  std::vector<std::int32_t> part;
};

class EquivalenceSearch {
 public:
  // From the class of the graph of the required arrows. `scale` is the size of the scores whose differences the gains
  // are. The gains must outlive the search.
  EquivalenceSearch(const Gains& gains, const ParentRules& rules, double scale);
  EquivalenceSearch(const EquivalenceSearch&) = delete;
  EquivalenceSearch& operator=(const EquivalenceSearch&) = delete;
  ~EquivalenceSearch() = default;

  // Begins again from the class of a graph, given by the parents of each variable.
  void start(const RaggedList<std::int64_t>& parents);

  // Makes the best valid step of a phase that raises the score, and returns it; none where there is none.
  std::optional<EquivalenceStep> step(Phase phase);

  const PartialGraph& graph() const { return graph_; }
  // A DAG of the class that violates no rule.
  const NodeSets& dag() const { return dag_; }

 private:
  // The pairs of a head and some others; of all others where `only` is −1.
  struct Pairs {
    std::int32_t y, only;
  };
  struct Asked;
  // An insertion that was not valid has the semi-directed path from y to x that it did not block. Its conditioning set
  // has not changed since, so it is not valid as long as there is this path.
  struct Kept : EquivalenceStep {
    std::vector<std::int32_t> path{};
  };

  void find(std::span<const Pairs> pairs);
  void list_operators(Asked& asked) const;
  void list_inserts(Asked& asked, std::int32_t x) const;
  void list_deletes(Asked& asked, std::int32_t x) const;
  std::vector<std::int32_t> part_of(std::int32_t y, std::int32_t x, std::span<const std::int32_t> kept) const;

  bool is_valid(Kept& step);
  PartialGraph changed(const EquivalenceStep& step) const;
  bool make(const EquivalenceStep& step);
  bool follows_rules(const NodeSets& dag) const;
  void renew(const PartialGraph& before, const EquivalenceStep& step);
  void update_adjacent();

  const Gains& gains_;
  NodeSets required_, forbidden_, forbidden_from_;
  std::int64_t most_;
  bool is_free_;
  double scale_;
  PartialGraph graph_;
  NodeSets dag_;
  NodeSets adjacent_, onward_;
  std::optional<Phase> phase_;
  std::vector<std::unique_ptr<Kept>> kept_;  // the best first
  std::vector<std::int32_t> came_from_;      // of each node, on a path
};

}  // namespace deciban
