#include "infer/row_tree.hpp"

#include <algorithm>

#include "run/at.hpp"

namespace deciban {
namespace {

constexpr double worth_a_search =
    200;  // entries a node: with smaller tables, propagation takes less time than the search for a tree
constexpr double worth_a_change = 0.7;

}  // namespace

RowTrees::RowTrees(const CliqueTree& tree, std::span<const std::vector<Node>> scopes)
    : tree_(tree), scopes_(scopes), cards_(tree.cards().begin(), tree.cards().end()), whole_(tree, arena_) {}

Propagator& RowTrees::propagator_for(const Row& row, Answer answer) {
  constexpr std::size_t cached = 16;
  std::vector<char> taken(tree_.nodes());
  bool is_any = answer == Answer::probability;
  for (std::size_t v = 0; v < taken.size(); ++v) {
    taken[v] = row.codes[v] >= 0 ? 1 : 0;
    is_any |= taken[v] != 0 && cards_[v] > 1;
  }
  const double whole = unobserved_cells(taken);
  if (!is_any || whole < worth_a_search * static_cast<double>(tree_.nodes())) return whole_;
  std::vector<char> left_out(tree_.nodes(), 0);
  if (answer == Answer::probability) mark_barren(row, left_out);
  for (std::size_t v = 0; v < taken.size(); ++v) taken[v] |= left_out[v];
  const auto is_alike = [&](const auto& small) { return small->taken == taken && small->left_out == left_out; };
  auto found = std::ranges::find_if(known_, is_alike);
  if (found == known_.end()) {
    std::unique_ptr<SmallTree> small = find_small(std::move(taken), std::move(left_out), whole);
    if (known_.size() < cached) known_.emplace_back();
    found = known_.begin() + static_cast<std::ptrdiff_t>(oldest_);
    oldest_ = (oldest_ + 1) % cached;
    *found = std::move(small);
  }
  return (*found)->propagator ? *(*found)->propagator : whole_;
}

void RowTrees::free_memory() {
  constexpr std::size_t much = 4 << 20;
  if (arena_.size() > much) arena_ = {};
}

// Barren nodes, without evidence at or below them, sum to 1.
void RowTrees::mark_barren(const Row& row, std::vector<char>& is_left_out) const {
  std::ranges::fill(is_left_out, 1);
  std::vector<Node> waiting;
  const auto keep = [&](Node v) {
    if (is_left_out[at(v)] != 0) waiting.push_back(v);
    is_left_out[at(v)] = 0;
  };
  for (std::size_t v = 0; v < is_left_out.size(); ++v) {
    if (row.codes[v] >= 0 && tree_.cards()[v] > 1) keep(static_cast<Node>(v));
  }
  for (const Likelihood& soft : row.likelihoods) keep(soft.node);
  while (!waiting.empty()) {
    const Node v = waiting.back();
    waiting.pop_back();
    for (const Node u : scopes_[at(v)]) keep(u);
  }
}

// The number of entries of the compiled tree's tables for the unobserved nodes.
double RowTrees::unobserved_cells(std::span<const char> taken) const {
  double total = 0.0;
  for (const Clique& clique : tree_.cliques()) {
    double cells = 1.0;
    for (const Axis& axis : clique.axes) cells *= taken[at(axis.node)] != 0 ? 1 : axis.size;
    total += cells;
  }
  return total;
}

std::unique_ptr<RowTrees::SmallTree> RowTrees::find_small(std::vector<char> taken, std::vector<char> left_out,
                                                          double whole) {
  auto small = std::make_unique<SmallTree>();
  small->taken = std::move(taken);
  small->left_out = std::move(left_out);
  std::vector<std::vector<Node>> scopes;
  for (std::size_t v = 0; v < scopes_.size(); ++v) {
    if (small->left_out[v] == 0) scopes.push_back(scopes_[v]);
  }
  const Effort effort{.least_runs = 2, .most_runs = 100, .work_per_cell = 0.1, .goal = worth_a_change * whole};
  const Forest forest = triangulate(join_scopes(tree_.nodes(), scopes, small->taken), small->taken, cards_, effort);
  const bool is_found = forest.position.size() == tree_.nodes();
  if (!is_found || cells_of(forest, cards_) > worth_a_change * whole) return small;
  small->tree.emplace(tree_, forest, small->left_out);
  small->propagator.emplace(*small->tree, arena_);
  return small;
}

}  // namespace deciban
