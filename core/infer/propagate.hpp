// Messages through a tree of cliques for one row of evidence (Lauritzen and Spiegelhalter 1988, in the form of Jensen,
// Lauritzen and Olesen 1990). Observed nodes are no axes: every table is reduced to the slice of the observed states.
// Messages are scaled to a largest entry of 1 and the logarithms of the scales added up, so that nothing underflows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "infer/tree/clique_tree.hpp"
#include "run/pages.hpp"

namespace deciban {

// Soft evidence on one node: P(the observation | each of its states).
struct Likelihood {
  Node node;
  const double* states;
};

struct Row {
  std::span<const std::int32_t> codes;  // of each node; −1: not observed
  std::span<const Likelihood> likelihoods;
};

enum class Answer { probability, beliefs, best, draws };

// The tables of all nodes, one after the other; that of node v begins at starts[v].
struct NodeTables {
  std::span<const std::int64_t> starts;
  double* values;
};

class Propagator {
 public:
  // The arena holds the tables; it grows as needed, and may serve one propagator after another.
  Propagator(const CliqueTree& tree, RawPages<double>& arena);

  // log P(e), −∞ where the evidence is impossible. For the best completion, only whether it is −∞ has a meaning.
  double collect(const Row& row, Answer answer);
  // After collecting for beliefs: every table becomes P(its axes | e); P(each node | e) is written to `beliefs`, unless
  // null.
  void distribute(const NodeTables* beliefs);
  // After both: P(parents and node | e) times a weight is added to tables of the shapes that were given.
  void add_families(double weight, const NodeTables& counts);
  // After collecting for the best: the states of a most probable completion.
  void read_best(std::int32_t* codes) const;
  // After collecting for draws: states drawn from P(all nodes | e); `unit(k)` is a uniform number for clique k.
  void read_draw(const std::function<double(std::size_t)>& unit, std::int32_t* codes) const;
  std::size_t cliques() const { return live_.size(); }
  // log P(the states of all nodes), likelihoods included.
  double log_joint(std::span<const std::int32_t> codes) const;

 private:
  static constexpr double deepest = -960.0;  // log2: products down to here are exact, and may be divided by
  struct Live {
    std::size_t first = 0, own = 0, count = 0;  // of its axes that are not observed
    Cells cells = 1, shared = 1;
    std::size_t table = 0, message = 0;  // offsets in the arena
    bool has_evidence = false;           // at or below it
    bool is_one = false;                 // its message is 1 everywhere
    double scale = 1.0, lowest = 0.0;    // of its message: what it was divided by, log2 of its smallest entry
    double log = 0.0;                    // what its table and message were divided by in all
  };
  struct Operand {
    const double* table;
    std::span<const Axis> axes;
    Cells cells;
    double lowest;
  };

  // The workspace of one thread at a time.
  struct Scratch {
    std::vector<Operand> operands;
    std::vector<Axis> axes;     // of sliced factors,
    std::vector<double> cells;  // and their entries
    std::vector<double> fresh;  // the belief that a parent sends
  };

  void plan();
  void find_axes(std::size_t k);
  void find_evidence();
  void find_ones();
  void make_groups();
  std::size_t lay_out_tables();
  std::size_t top_group() const { return groups_.size() - 1; }
  Operand slice(Scratch& scratch, Node v) const;
  void gather(Scratch& scratch, std::size_t k) const;
  double fill(Scratch& scratch, std::size_t k);
  double fill_in_logs(const Scratch& scratch, std::size_t k);
  void send(Scratch& scratch, std::size_t k);
  void receive(Scratch& scratch, std::size_t k, const NodeTables* beliefs);
  void correct(Scratch& scratch, std::size_t k, const NodeTables* beliefs);
  void read_beliefs(const double* table, std::span<const Axis> axes, std::span<const Node> nodes,
                    const NodeTables* beliefs) const;
  double log_of_numbers() const;
  std::span<const Axis> axes_of(std::size_t k) const {
    return std::span(axes_).subspan(live_[k].first, live_[k].count);
  }
  std::span<const Axis> shared_of(std::size_t k) const { return axes_of(k).subspan(live_[k].own); }
  double* table_of(std::size_t k) { return arena_.data() + live_[k].table; }
  const double* table_of(std::size_t k) const { return arena_.data() + live_[k].table; }
  const double* message_of(std::size_t k) const { return arena_.data() + live_[k].message; }
  double* message_of(std::size_t k) { return arena_.data() + live_[k].message; }

  const CliqueTree& tree_;
  Row row_{};
  Answer answer_ = Answer::beliefs;
  std::vector<Live> live_;
  std::vector<Axis> axes_;
  std::vector<std::vector<std::size_t>> groups_;  // of cliques, children first
  std::vector<Scratch> scratch_;                  // one a group
  RawPages<double>& arena_;
};

}  // namespace deciban
