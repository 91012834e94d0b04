// Messages through a tree of cliques for one row of evidence (Lauritzen and Spiegelhalter 1988, in the form of Jensen,
// Lauritzen and Olesen 1990). Observed nodes are no axes: every table is cut down to what is still open. Messages are
// scaled to a largest entry of 1 and the logarithms of the scales added up, so that nothing underflows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "infer/tree/clique_tree.hpp"
#include "run/pages.hpp"

namespace deciban {

// What is known of one node without being sure: P(what was seen | each of its states).
struct Likelihood {
  Node node;
  const double* states;
};

struct Row {
  std::span<const std::int32_t> codes;  // of each node; −1: not observed
  std::span<const Likelihood> likelihoods;
};

enum class Answer { probability, beliefs, best };

// Where tables that belong to nodes lie side by side.
struct Places {
  std::span<const std::int64_t> starts;
  double* values;
};

class Propagator {
 public:
  // The arena holds the tables; it grows as needed, and may serve one propagator after another.
  Propagator(const CliqueTree& tree, RawPages<double>& arena);

  // log P(e), −∞ where the evidence is impossible. For the best completion it tells no more than that.
  double collect(const Row& row, Answer answer);
  // After collecting for beliefs: every table becomes P(its axes | e); P(each node | e) is written, if there is where.
  void distribute(const Places* beliefs);
  // After both: P(parents and node | e) times a weight is added to tables of the shapes as given.
  void add_families(double weight, const Places& counts);
  // After collecting for the best: the states of a most probable completion.
  void read_best(std::int32_t* codes) const;
  // log P(the states of all nodes), likelihoods included.
  double log_joint(std::span<const std::int32_t> codes) const;

 private:
  static constexpr double deepest = -960.0;  // log2: products down to here are exact, and may be divided by
  struct Live {
    std::size_t first = 0, own = 0, count = 0;  // of its open axes
    Cells cells = 1, shared = 1;
    std::size_t table = 0, message = 0;  // places in the arena
    bool has_evidence = false;           // at or below it
    bool is_silent = false;              // its message is 1 throughout
    double scale = 1.0, lowest = 0.0;    // of its message: what it was divided by, log2 of its smallest entry
    double log = 0.0;                    // what its table and message were divided by in all
  };
  struct Operand {
    const double* table;
    std::span<const Axis> axes;
    Cells cells;
    double lowest;
  };

  // What one thread at a time works with.
  struct Desk {
    std::vector<Operand> operands;
    std::vector<Axis> axes;     // of factors that were cut,
    std::vector<double> cells;  // and their entries
    std::vector<double> fresh;  // what a parent says
  };

  void plan();
  void open_axes(std::size_t k);
  void find_evidence();
  void find_silent();
  void share_out();
  std::size_t place_tables();
  std::size_t crown() const { return groups_.size() - 1; }
  Operand cut(Desk& desk, Node v) const;
  void gather(Desk& desk, std::size_t k) const;
  double fill(Desk& desk, std::size_t k);
  double fill_in_logs(const Desk& desk, std::size_t k);
  void send(Desk& desk, std::size_t k);
  void receive(Desk& desk, std::size_t k, const Places* beliefs);
  void correct(Desk& desk, std::size_t k, const Places* beliefs);
  void show(const double* table, std::span<const Axis> axes, std::span<const Node> nodes, const Places* beliefs) const;
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
  std::vector<Desk> desks_;                       // one a group
  RawPages<double>& arena_;
};

}  // namespace deciban
