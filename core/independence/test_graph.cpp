// Independence known from a graph: d-separation.
#include <algorithm>
#include <limits>

#include "independence/min_separator.hpp"
#include "independence/test.hpp"
#include "run/at.hpp"

namespace deciban {
namespace {

struct Graph {
  std::vector<std::vector<std::int32_t>> parents;
  std::vector<std::vector<std::int32_t>> children;
};

// Bayes ball (Shachter 1998): from x, a ball passes from child to parents and from parent to children; it bounces back
// from a parent's child to its other parents only where that child, or a descendant of it, is in the conditioning set.
// One pass answers for every y.
class GraphTester final : public Tester {
 public:
  explicit GraphTester(const Graph& graph)
      : graph_(graph),
        is_given_(graph.parents.size()),
        is_ancestor_(is_given_.size()),
        reached_(is_given_.size()),
        visited_(is_given_.size()) {}

  void push(std::int64_t column) override {
    given_.push_back(static_cast<std::int32_t>(column));
    refresh();
  }
  void pop() override {
    given_.pop_back();
    refresh();
  }

  Outcome test(std::int64_t x, std::int64_t y) override {
    if (reached_from_ != x) reach_from(static_cast<std::int32_t>(x));
    const bool apart = reached_[static_cast<std::size_t>(y)] == 0;
    return {apart ? 0.0 : std::numeric_limits<double>::infinity(), 1.0, 0.0, apart ? 1.0 : 0.0};
  }

 private:
  void refresh() {
    reached_from_ = -1;
    std::ranges::fill(is_given_, 0);
    std::ranges::fill(is_ancestor_, 0);
    waiting_.clear();
    for (const std::int32_t node : given_) {
      is_given_[at(node)] = is_ancestor_[at(node)] = 1;
      waiting_.push_back({node, 0});
    }
    while (!waiting_.empty()) {
      const std::int32_t node = waiting_.back().first;
      waiting_.pop_back();
      for (const std::int32_t parent : graph_.parents[at(node)]) {
        if (is_ancestor_[at(parent)] == 0) {
          is_ancestor_[at(parent)] = 1;
          waiting_.push_back({parent, 0});
        }
      }
    }
  }

  void visit(std::int32_t node, char direction) {
    if ((visited_[at(node)] & direction) != 0) return;
    visited_[at(node)] = static_cast<char>(visited_[at(node)] | direction);
    waiting_.push_back({node, direction});
  }

  void reach_from(std::int32_t x) {
    constexpr char from_child = 1;
    constexpr char from_parent = 2;
    std::ranges::fill(reached_, 0);
    std::ranges::fill(visited_, 0);
    visit(x, from_child);
    while (!waiting_.empty()) {
      const auto [node, direction] = waiting_.back();
      waiting_.pop_back();
      const bool is_given = is_given_[at(node)] != 0;
      if (!is_given) reached_[at(node)] = 1;
      if (direction == from_child ? !is_given : is_ancestor_[at(node)] != 0) {
        for (const std::int32_t parent : graph_.parents[at(node)]) visit(parent, from_child);
      }
      if (!is_given) {
        for (const std::int32_t child : graph_.children[at(node)]) visit(child, from_parent);
      }
    }
    reached_from_ = x;
  }

  const Graph& graph_;
  std::vector<std::int32_t> given_;
  std::vector<char> is_given_;
  std::vector<char> is_ancestor_;  // in the conditioning set, or an ancestor of a node in it
  std::vector<char> reached_;
  std::vector<char> visited_;
  std::vector<std::pair<std::int32_t, char>> waiting_;
  std::int64_t reached_from_ = -1;
};

class GraphSource final : public Source {
 public:
  explicit GraphSource(Graph&& graph) : graph_(std::move(graph)) {}
  std::int64_t columns() const override { return static_cast<std::int64_t>(graph_.parents.size()); }
  std::unique_ptr<Tester> tester() const override { return std::make_unique<GraphTester>(graph_); }

  std::optional<Set> separator(std::int64_t x, std::int64_t y, std::span<const std::uint8_t> pool,
                               std::int64_t size) const override {
    const auto is_parent = [this](std::int64_t a, std::int64_t b) {
      const auto& own = graph_.parents[static_cast<std::size_t>(b)];
      return std::ranges::find(own, static_cast<std::int32_t>(a)) != own.end();
    };
    if (is_parent(x, y) || is_parent(y, x)) return std::nullopt;
    return MinSeparator(graph_.parents, x, y, pool).find(size);
  }
  bool is_exact() const override { return true; }

 private:
  Graph graph_;
};

}  // namespace

std::unique_ptr<Source> graph_source(const RaggedList<std::int64_t>& parents) {
  Graph graph;
  graph.parents.resize(parents.size());
  graph.children.resize(parents.size());
  for (std::size_t node = 0; node < parents.size(); ++node) {
    for (const std::int64_t parent : parents[node]) {
      graph.parents[node].push_back(static_cast<std::int32_t>(parent));
      graph.children[static_cast<std::size_t>(parent)].push_back(static_cast<std::int32_t>(node));
    }
  }
  return std::make_unique<GraphSource>(std::move(graph));
}

}  // namespace deciban
