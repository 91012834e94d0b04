#include "clique_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deciban {
namespace {

std::size_t at(std::int32_t v) {
  return static_cast<std::size_t>(v);
}

// The same table with its axes in the order of the tree.
Factor reordered(const Family& family, std::span<const std::int32_t> cards, std::span<const std::int32_t> place) {
  const std::size_t depth = family.members.size();
  std::vector<std::size_t> order(depth);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return place[at(family.members[i])]; });
  std::vector<Cells> step(depth, 1);
  for (std::size_t i = depth - 1; i-- > 0;) step[i] = step[i + 1] * cards[at(family.members[i + 1])];
  Factor out{{}, {}, {}, 0.0};
  for (const std::size_t i : order) {
    out.axes.push_back({family.members[i], cards[at(family.members[i])]});
    out.given.push_back(step[i]);
  }
  out.table.reserve(family.table.size());
  std::vector<std::int32_t> index(depth, 0);
  double lowest = 1.0;
  for (Cells from = 0; out.table.size() < family.table.size();) {
    const double value = family.table[static_cast<std::size_t>(from)];
    out.table.push_back(value);
    if (value > 0 && value < lowest) lowest = value;
    for (std::size_t d = depth; d-- > 0;) {
      from += out.given[d];
      if (++index[d] < out.axes[d].size) break;
      from -= out.given[d] * index[d];
      index[d] = 0;
    }
  }
  out.lowest = std::log2(lowest);
  return out;
}

}  // namespace

CliqueTree::CliqueTree(std::span<const std::int32_t> cards, const Forest& forest)
    : cards_(cards.begin(), cards.end()), place_(forest.place), home_(cards.size(), -1), top_(cards.size(), -1) {
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

void CliqueTree::add_factors(std::span<const Family> families) {
  place_factors(families);
  find_silent(families);
  find_shown();
}

// Of the cliques that hold a family, which form a tree around the top of its lowest member, the smallest.
void CliqueTree::place_factors(std::span<const Family> families) {
  std::vector<std::vector<std::int32_t>> holding(nodes());
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    for (const Axis& axis : cliques_[k].axes) holding[at(axis.node)].push_back(static_cast<std::int32_t>(k));
  }
  for (std::size_t v = 0; v < families.size(); ++v) {
    factors_.push_back(reordered(families[v], cards_, place_));
    std::vector<Node> free;
    for (const Axis& axis : factors_[v].axes) {
      if (place_[at(axis.node)] >= 0) free.push_back(axis.node);
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

void CliqueTree::find_silent(std::span<const Family> families) {
  std::vector<std::int32_t> strangers(cliques_.size(), 0);  // factors at or below whose node is above
  for (std::size_t v = 0; v < families.size(); ++v) {
    if (home_[v] < 0) continue;
    const std::int32_t until = top_[v];  // −1: observed, so that its factor does not sum to 1
    for (std::int32_t k = home_[v]; k >= 0 && k != until; k = cliques_[at(k)].parent) ++strangers[at(k)];
  }
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    Clique& clique = cliques_[k];
    const auto is_plain = [&](std::int32_t child) { return cliques_[at(child)].all_sum_to_one; };
    clique.sums_to_one = strangers[k] == 0;
    clique.all_sum_to_one = clique.sums_to_one && std::ranges::all_of(clique.children, is_plain);
  }
}

// Each node's belief is read from the smallest table that holds it.
void CliqueTree::find_shown() {
  struct Place {
    double cells = INFINITY;
    std::int32_t clique = -1;
    bool is_shared = false;
  };
  std::vector<Place> best(nodes());
  for (std::size_t k = 0; k < cliques_.size(); ++k) {
    const Clique& clique = cliques_[k];
    for (std::size_t i = 0; i < clique.axes.size(); ++i) {
      Place& held = best[at(clique.axes[i].node)];
      const bool is_shared = i >= clique.own;
      const double cells = is_shared ? clique.shared : clique.cells;
      if (cells < held.cells) held = {cells, static_cast<std::int32_t>(k), is_shared};
    }
  }
  for (std::size_t v = 0; v < nodes(); ++v) {
    if (best[v].clique < 0) continue;
    Clique& clique = cliques_[at(best[v].clique)];
    (best[v].is_shared ? clique.shown_shared : clique.shown).push_back(static_cast<Node>(v));
  }
}

}  // namespace deciban
