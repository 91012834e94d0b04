#include "triangulate.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace deciban {
namespace {

std::size_t at(std::int32_t v) {
  return static_cast<std::size_t>(v);
}

bool are_joined(const Adjacency& graph, Node a, Node b) {
  return std::ranges::binary_search(graph[at(a)], b);
}

bool is_simplicial(const Adjacency& graph, Node v) {
  const std::vector<Node>& near = graph[at(v)];
  for (std::size_t i = 0; i < near.size(); ++i) {
    for (std::size_t j = i + 1; j < near.size(); ++j) {
      if (!are_joined(graph, near[i], near[j])) return false;
    }
  }
  return true;
}

// Takes out nodes whose neighbours are joined, as long as there are any; they are moved to `order`.
void take_simplicial(Adjacency& graph, std::vector<char>& taken, std::vector<Node>& order) {
  std::deque<Node> waiting;
  std::vector<char> is_waiting(graph.size(), 0);
  for (std::size_t v = 0; v < graph.size(); ++v) {
    if (taken[v] != 0) continue;
    waiting.push_back(static_cast<Node>(v));
    is_waiting[v] = 1;
  }
  while (!waiting.empty()) {
    const Node v = waiting.front();
    waiting.pop_front();
    is_waiting[at(v)] = 0;
    if (!is_simplicial(graph, v)) continue;
    for (const Node u : graph[at(v)]) {
      std::vector<Node>& near = graph[at(u)];
      near.erase(std::ranges::lower_bound(near, v));
      if (is_waiting[at(u)] == 0) waiting.push_back(u);
      is_waiting[at(u)] = 1;
    }
    graph[at(v)].clear();
    taken[at(v)] = 1;
    order.push_back(v);
  }
}

// Merges what a node is joined to when it is taken out: later neighbours, and what its children leave.
std::vector<std::vector<Node>> left_after(const Adjacency& graph, std::span<const Node> order,
                                          std::span<const std::int32_t> place) {
  std::vector<std::vector<Node>> left(order.size());
  const auto by_place = [&](Node a, Node b) { return place[at(a)] < place[at(b)]; };
  std::vector<std::vector<std::int32_t>> children(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::vector<Node>& rest = left[i];
    for (const Node u : graph[at(order[i])]) {
      if (place[at(u)] > static_cast<std::int32_t>(i)) rest.push_back(u);
    }
    for (const std::int32_t child : children[i])
      rest.insert(rest.end(), left[at(child)].begin() + 1, left[at(child)].end());
    std::ranges::sort(rest, by_place);
    rest.erase(std::ranges::unique(rest).begin(), rest.end());
    if (!rest.empty()) children[at(place[at(rest.front())])].push_back(static_cast<std::int32_t>(i));
  }
  return left;
}

// A step whose nodes all stand in a child's clique belongs to that clique.
Forest forest_of(const Adjacency& graph, std::span<const Node> order) {
  Forest forest;
  forest.place.assign(graph.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) forest.place[at(order[i])] = static_cast<std::int32_t>(i);
  const std::vector<std::vector<Node>> left = left_after(graph, order, forest.place);
  std::vector<std::int32_t> bag_of(order.size(), -1);
  std::vector<std::int32_t> last_of;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (bag_of[i] < 0) {
      bag_of[i] = static_cast<std::int32_t>(forest.bags.size());
      Bag bag{{order[i]}, 0, -1};
      bag.members.insert(bag.members.end(), left[i].begin(), left[i].end());
      forest.bags.push_back(std::move(bag));
      last_of.push_back(0);
    }
    last_of[at(bag_of[i])] = static_cast<std::int32_t>(i);
    ++forest.bags[at(bag_of[i])].own;
    if (left[i].empty()) continue;
    const std::size_t next = at(forest.place[at(left[i].front())]);
    if (bag_of[next] < 0 && left[next].size() + 1 == left[i].size()) bag_of[next] = bag_of[i];
  }
  for (std::size_t b = 0; b < forest.bags.size(); ++b) {
    const std::vector<Node>& rest = left[at(last_of[b])];
    if (!rest.empty()) forest.bags[b].parent = bag_of[at(forest.place[at(rest.front())])];
  }
  return forest;
}

struct Core {
  Adjacency graph;
  std::vector<double> cards;
  std::vector<Node> names;
};

Core core_of(const Adjacency& graph, std::span<const char> taken, std::span<const double> cards) {
  Core core;
  std::vector<Node> number(graph.size(), -1);
  for (std::size_t v = 0; v < graph.size(); ++v) {
    if (taken[v] != 0) continue;
    number[v] = static_cast<Node>(core.names.size());
    core.names.push_back(static_cast<Node>(v));
    core.cards.push_back(cards[v]);
  }
  for (const Node v : core.names) {
    core.graph.emplace_back();
    for (const Node u : graph[at(v)]) core.graph.back().push_back(number[at(u)]);
  }
  return core;
}

// The best of many greedy runs over what is left when the easy nodes are gone.
std::vector<Node> best_order(const Core& core, const Effort& effort) {
  constexpr Rule rules[] = {Rule::fill, Rule::weight, Rule::weighted_fill, Rule::rest, Rule::size};
  constexpr double noises[] = {0.0, 0.05, 0.15, 0.3};
  Greedy greedy(core.graph, core.cards);
  std::vector<Node> best;
  double least = effort.goal;
  for (std::int64_t run = 0; run < effort.most_runs; ++run) {
    const double limit = std::min(static_cast<double>(effort.most_work), effort.work_per_cell * least);
    if (run >= effort.least_runs && static_cast<double>(greedy.work()) > limit) break;
    const std::int64_t cycle = run / static_cast<std::int64_t>(std::size(rules));
    const Greedy::Run how{rules[static_cast<std::size_t>(run) % std::size(rules)],
                          noises[static_cast<std::size_t>(cycle) % std::size(noises)],
                          static_cast<std::uint64_t>(run) + 1, least};
    std::vector<Node> order = greedy.run(how);
    if (order.empty()) continue;
    const double cells = cells_of(forest_of(core.graph, order), core.cards);
    if (cells >= least && !best.empty()) continue;
    least = cells;
    best = std::move(order);
  }
  return best;
}

}  // namespace

double cells_of(const Forest& forest, std::span<const double> cards) {
  double total = 0.0;
  for (const Bag& bag : forest.bags) {
    double own = 1.0;
    double shared = 1.0;
    for (std::size_t i = 0; i < bag.members.size(); ++i) (i < bag.own ? own : shared) *= cards[at(bag.members[i])];
    total += (own + (bag.parent < 0 ? 0.0 : 1.0)) * shared;
  }
  return total;
}

Forest triangulate(const Adjacency& graph, std::span<const char> taken, std::span<const double> cards,
                   const Effort& effort) {
  Adjacency left = graph;
  std::vector<char> gone(taken.begin(), taken.end());
  std::vector<Node> order;
  take_simplicial(left, gone, order);
  const Core core = core_of(left, gone, cards);
  if (!core.names.empty()) {
    const std::vector<Node> rest = best_order(core, effort);
    if (rest.empty()) return {};
    for (const Node v : rest) order.push_back(core.names[at(v)]);
  }
  return forest_of(graph, order);
}

}  // namespace deciban
