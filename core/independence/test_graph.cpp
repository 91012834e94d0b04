// Independence known from a graph: d-separation.
#include <algorithm>
#include <limits>

#include "independence/min_separator.hpp"
#include "independence/test.hpp"

namespace deciban {
namespace {

struct Graph {
  std::vector<std::vector<std::int32_t>> parents;
  std::vector<std::vector<std::int32_t>> children;
};

// Bayes ball (Shachter 1998): from x, a ball passes up and down, and turns up again only at what has a descendant in
// the conditioning set. One throw answers for every y.
class GraphWalker final : public Walker {
 public:
  explicit GraphWalker(const Graph& graph)
      : graph_(graph),
        given_(graph.parents.size()),
        above_(given_.size()),
        reached_(given_.size()),
        seen_(given_.size()) {}

  void push(std::int64_t column) override {
    members_.push_back(static_cast<std::int32_t>(column));
    refresh();
  }
  void pop() override {
    members_.pop_back();
    refresh();
  }

  Outcome test(std::int64_t x, std::int64_t y) override {
    if (thrown_ != x) throw_from(static_cast<std::int32_t>(x));
    const bool apart = reached_[static_cast<std::size_t>(y)] == 0;
    return {apart ? 0.0 : std::numeric_limits<double>::infinity(), 1.0, 0.0, apart ? 1.0 : 0.0};
  }

 private:
  static std::size_t place(std::int32_t node) { return static_cast<std::size_t>(node); }

  void refresh() {
    thrown_ = -1;
    std::ranges::fill(given_, 0);
    std::ranges::fill(above_, 0);
    waiting_.clear();
    for (const std::int32_t node : members_) {
      given_[place(node)] = above_[place(node)] = 1;
      waiting_.push_back({node, 0});
    }
    while (!waiting_.empty()) {
      const std::int32_t node = waiting_.back().first;
      waiting_.pop_back();
      for (const std::int32_t parent : graph_.parents[place(node)]) {
        if (above_[place(parent)] == 0) {
          above_[place(parent)] = 1;
          waiting_.push_back({parent, 0});
        }
      }
    }
  }

  void visit(std::int32_t node, char way) {
    if ((seen_[place(node)] & way) != 0) return;
    seen_[place(node)] = static_cast<char>(seen_[place(node)] | way);
    waiting_.push_back({node, way});
  }

  void throw_from(std::int32_t x) {
    constexpr char from_child = 1;
    constexpr char from_parent = 2;
    std::ranges::fill(reached_, 0);
    std::ranges::fill(seen_, 0);
    visit(x, from_child);
    while (!waiting_.empty()) {
      const auto [node, way] = waiting_.back();
      waiting_.pop_back();
      const bool is_given = given_[place(node)] != 0;
      if (!is_given) reached_[place(node)] = 1;
      if (way == from_child ? !is_given : above_[place(node)] != 0) {
        for (const std::int32_t parent : graph_.parents[place(node)]) visit(parent, from_child);
      }
      if (!is_given) {
        for (const std::int32_t child : graph_.children[place(node)]) visit(child, from_parent);
      }
    }
    thrown_ = x;
  }

  const Graph& graph_;
  std::vector<std::int32_t> members_;
  std::vector<char> given_;
  std::vector<char> above_;  // given, or an ancestor of what is given
  std::vector<char> reached_;
  std::vector<char> seen_;
  std::vector<std::pair<std::int32_t, char>> waiting_;
  std::int64_t thrown_ = -1;
};

class GraphSource final : public Source {
 public:
  explicit GraphSource(Graph&& graph) : graph_(std::move(graph)) {}
  std::int64_t columns() const override { return static_cast<std::int64_t>(graph_.parents.size()); }
  std::unique_ptr<Walker> walker() const override { return std::make_unique<GraphWalker>(graph_); }

  std::optional<Set> separator(std::int64_t x, std::int64_t y, std::span<const std::uint8_t> pool,
                               std::int64_t size) const override {
    const auto is_parent = [this](std::int64_t a, std::int64_t b) {
      const auto& own = graph_.parents[static_cast<std::size_t>(b)];
      return std::ranges::find(own, static_cast<std::int32_t>(a)) != own.end();
    };
    if (is_parent(x, y) || is_parent(y, x)) return std::nullopt;
    return Cut(graph_.parents, x, y, pool).smallest(size);
  }
  bool is_exact() const override { return true; }

 private:
  Graph graph_;
};

}  // namespace

std::unique_ptr<Source> graph_source(std::span<const std::int64_t> starts, std::span<const std::int64_t> parents) {
  Graph graph;
  graph.parents.resize(starts.size() - 1);
  graph.children.resize(starts.size() - 1);
  for (std::size_t node = 0; node + 1 < starts.size(); ++node) {
    for (std::int64_t k = starts[node]; k < starts[node + 1]; ++k) {
      const std::int64_t parent = parents[static_cast<std::size_t>(k)];
      graph.parents[node].push_back(static_cast<std::int32_t>(parent));
      graph.children[static_cast<std::size_t>(parent)].push_back(static_cast<std::int32_t>(node));
    }
  }
  return std::make_unique<GraphSource>(std::move(graph));
}

}  // namespace deciban
