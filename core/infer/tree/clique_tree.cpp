#include "infer/tree/clique_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "run/at.hpp"

namespace deciban {
namespace {

// The same table with its axes in the order of a tree.
Factor in_order(const Factor& factor, std::span<const std::int32_t> position) {
  std::vector<std::size_t> order(factor.axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return position[at(factor.axes[i].node)]; });
  Factor out{{}, {}, factor.given, factor.lowest, {}};
  for (const std::size_t i : order) {
    out.axes.push_back(factor.axes[i]);
    out.steps.push_back(factor.steps[i]);
  }
  return out;
}

Factor factor_of(const Family& family, std::span<const std::int32_t> cards) {
  Factor out;
  out.given = family.table;
  for (const Node v : family.members) out.axes.push_back({v, cards[at(v)]});
  out.steps.resize(out.axes.size());
  Cells step = 1;
  for (std::size_t d = out.axes.size(); d-- > 0; step *= out.axes[d].size) out.steps[d] = step;
  double lowest = 1.0;
  for (Cells i = 0; i < step; ++i) {
    if (out.given[i] > 0 && out.given[i] < lowest) lowest = out.given[i];
  }
  out.lowest = std::log2(lowest);
  return out;
}

}  // namespace

void copy_cells(std::span<const Axis> axes, const Cells* steps, const double* from, double* out) {
  const Cells cells = cells_of(axes);
  if (axes.empty()) {
    *out = *from;
    return;
  }
  const std::size_t inner = axes.size() - 1;
  const Cells count = axes[inner].size;
  std::vector<std::int32_t> index(inner, 0);  // there may be more axes of one state than a walk can have
  for (Cells done = 0; done < cells; done += count) {
    for (Cells i = 0; i < count; ++i) out[done + i] = from[i * steps[inner]];
    for (std::size_t d = inner; d-- > 0;) {
      from += steps[d];
      if (++index[d] < axes[d].size) break;
      from -= steps[d] * index[d];
      index[d] = 0;
    }
  }
}

CliqueTree::CliqueTree(std::span<const std::int32_t> cards, const Forest& forest, std::span<const Family> families)
    : cards_(cards.begin(), cards.end()), position_(forest.position), home_(cards.size(), -1), top_(cards.size(), -1) {
  add_cliques(forest);
  for (const Family& family : families) {
    factors_.push_back(in_order(factor_of(family, cards_), position_));
    Factor& factor = factors_.back();
    factor.ordered.resize(static_cast<std::size_t>(cells_of(factor.axes)));
    copy_cells(factor.axes, factor.steps.data(), factor.given, factor.ordered.data());
  }
  assign_factors(std::vector<char>(cards.size(), 0));
  find_sums_to_one();
  assign_beliefs();
}

CliqueTree::CliqueTree(const CliqueTree& tree, const Forest& forest, std::span<const char> is_left_out)
    : cards_(tree.cards_), position_(forest.position), home_(cards_.size(), -1), top_(cards_.size(), -1) {
  add_cliques(forest);
  for (const Factor& factor : tree.factors_) factors_.push_back(in_order(factor, position_));
  assign_factors(is_left_out);
  find_sums_to_one();
  assign_beliefs();
}

void CliqueTree::add_cliques(const Forest& forest) {
  for (const Bag& bag : forest.bags) {
    Clique clique;
    for (const Node v : bag.members) clique.axes.push_back({v, cards_[at(v)]});
    clique.own = bag.own;
    clique.parent = bag.parent;
    for (std::size_t i = 0; i < bag.members.size(); ++i) {
      clique.cells *= clique.axes[i].size;
      if (i < bag.own) top_[at(bag.members[i])] = static_cast<std::int32_t>(cliques_.size());
      if (i >= bag.own) clique.shared *= clique.axes[i].size;
    }
    cliques_.push_back(std::move(clique));
  }
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    if (cliques_[k].parent >= 0) cliques_[at(cliques_[k].parent)].children.push_back(static_cast<std::int32_t>(k));
  }
}

// A factor is assigned to the smallest of the cliques that contain its family.
void CliqueTree::assign_factors(std::span<const char> is_left_out) {
  std::vector<std::vector<std::int32_t>> holding(nodes());
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    for (const Axis& axis : cliques_[k].axes) holding[at(axis.node)].push_back(static_cast<std::int32_t>(k));
  }
  for (std::size_t v = 0; v < nodes(); ++v) {
    if (is_left_out[v] != 0) continue;
    std::vector<Node> free;
    for (const Axis& axis : factors_[v].axes) {
      if (position_[at(axis.node)] >= 0) free.push_back(axis.node);
    }
    if (free.empty()) continue;  // all of it observed: a number
    const auto holds = [&](std::int32_t k) {
      return std::ranges::all_of(free, [&](Node u) { return std::ranges::binary_search(holding[at(u)], k); });
    };
    std::int32_t best = -1;
    for (const std::int32_t k : holding[at(free.front())]) {
      if (holds(k) && (best < 0 || cliques_[at(k)].cells <= cliques_[at(best)].cells)) best = k;
    }
    home_[v] = best;
    cliques_[at(best)].factors.push_back(static_cast<Node>(v));
  }
}

void CliqueTree::find_sums_to_one() {
  std::vector<std::int32_t> foreign(cliques_.size(), 0);  // factors at or below it of nodes that are also above it
  for (std::size_t v = 0; v < nodes(); ++v) {
    if (home_[v] < 0) continue;
    const std::int32_t until = top_[v];  // −1: observed, so that its factor does not sum to 1
    for (std::int32_t k = home_[v]; k >= 0 && k != until; k = cliques_[at(k)].parent) ++foreign[at(k)];
  }
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    Clique& clique = cliques_[k];
    const auto is_plain = [&](std::int32_t child) { return cliques_[at(child)].all_sum_to_one; };
    clique.sums_to_one = foreign[k] == 0;
    clique.all_sum_to_one = clique.sums_to_one && std::ranges::all_of(clique.children, is_plain);
  }
}

// Each node's belief is read from the smallest table that holds it.
void CliqueTree::assign_beliefs() {
  struct Holder {
    double cells = INFINITY;
    std::int32_t clique = -1;
    bool is_shared = false;
  };
  std::vector<Holder> best(nodes());
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    const Clique& clique = cliques_[k];
    for (std::size_t i = 0; i < clique.axes.size(); ++i) {
      Holder& held = best[at(clique.axes[i].node)];
      const bool is_shared = i >= clique.own;
      const double cells = is_shared ? clique.shared : clique.cells;
      if (cells < held.cells) held = {cells, static_cast<std::int32_t>(k), is_shared};
    }
  }
  for (std::size_t v = 0; v < nodes(); ++v) {
    if (best[v].clique < 0) continue;
    Clique& clique = cliques_[at(best[v].clique)];
    (best[v].is_shared ? clique.read_shared : clique.read_here).push_back(static_cast<Node>(v));
  }
}

}  // namespace deciban
