#include "infer/tree/triangulate.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "run/at.hpp"
#include "run/interrupt.hpp"
#include "run/ties.hpp"

namespace deciban {
namespace {

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

// Eliminates simplicial nodes as long as there are any; they are moved to `order`.
void eliminate_simplicial(Adjacency& graph, std::vector<char>& taken, std::vector<Node>& order) {
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

// For each step of an order the neighbours of its node at that time: later neighbours, and those of earlier steps whose
// first later neighbour it is.
struct Steps {
  std::vector<std::int32_t> position;
  std::vector<Node> nodes;
  std::vector<std::size_t> starts{0};

  std::span<const Node> left(std::size_t i) const {
    return std::span(nodes).subspan(starts[i], starts[i + 1] - starts[i]);
  }
  std::size_t next(std::size_t i) const { return at(position[at(nodes[starts[i]])]); }
  // The step after this one is among the nodes of its clique, and adds none.
  bool is_followed(std::size_t i) const { return !left(i).empty() && left(next(i)).size() + 1 == left(i).size(); }
};

Steps steps_of(const Adjacency& graph, std::span<const Node> order) {
  Steps steps;
  steps.position.assign(graph.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) steps.position[at(order[i])] = static_cast<std::int32_t>(i);
  std::vector<std::int32_t> first(order.size(),
                                  -1);  // of each step, the last earlier step that passes its neighbours on to it
  std::vector<std::int32_t> other(order.size(), -1);
  std::vector<std::int32_t> rest;
  std::vector<std::int32_t> seen(order.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto now = static_cast<std::int32_t>(i);
    rest.clear();
    const auto add = [&](Node u) {
      const std::int32_t where = steps.position[at(u)];
      if (where <= now || seen[at(where)] == now) return;
      seen[at(where)] = now;
      rest.push_back(where);
    };
    for (const Node u : graph[at(order[i])]) add(u);
    for (std::int32_t child = first[i]; child >= 0; child = other[at(child)]) {
      for (const Node u : steps.left(at(child))) add(u);
    }
    std::ranges::sort(rest);
    for (const std::int32_t where : rest) steps.nodes.push_back(order[at(where)]);
    steps.starts.push_back(steps.nodes.size());
    if (rest.empty()) continue;
    other[i] = first[at(rest.front())];
    first[at(rest.front())] = now;
  }
  return steps;
}

// A step whose nodes are all in an earlier step's clique belongs to that clique.
Forest forest_of(const Adjacency& graph, std::span<const Node> order) {
  const Steps steps = steps_of(graph, order);
  std::vector<std::int32_t> before(order.size(), -1);  // the step whose clique a step belongs to
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (steps.is_followed(i)) before[steps.next(i)] = static_cast<std::int32_t>(i);
  }
  std::vector<std::int32_t> bag_of(order.size(), -1);
  Forest forest{{}, steps.position};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (steps.is_followed(i) && before[steps.next(i)] == static_cast<std::int32_t>(i)) continue;
    Bag bag;
    for (std::int32_t step = static_cast<std::int32_t>(i); step >= 0; step = before[at(step)]) {
      bag.members.push_back(order[at(step)]);
      bag_of[at(step)] = static_cast<std::int32_t>(forest.bags.size());
    }
    std::ranges::reverse(bag.members);
    bag.own = bag.members.size();
    bag.members.insert(bag.members.end(), steps.left(i).begin(), steps.left(i).end());
    bag.parent = steps.left(i).empty() ? -1 : static_cast<std::int32_t>(steps.next(i));
    forest.bags.push_back(std::move(bag));
  }
  for (Bag& bag : forest.bags) {
    if (bag.parent >= 0) bag.parent = bag_of[at(bag.parent)];
  }
  return forest;
}

double cells_of(const Steps& steps, std::span<const Node> order, std::span<const double> cards) {
  double total = 0.0;
  std::vector<char> is_within(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    double shared = 1.0;
    for (const Node u : steps.left(i)) shared *= cards[at(u)];
    if (is_within[i] == 0) total += shared * cards[at(order[i])];
    if (steps.is_followed(i) && is_within[steps.next(i)] == 0) {
      is_within[steps.next(i)] = 1;
    } else {
      total += shared;
    }
  }
  return total;
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

// The best of many greedy runs over the graph without the simplicial nodes.
std::vector<Node> best_order(const Core& core, const Effort& effort) {
  constexpr Rule rules[] = {Rule::fill, Rule::weight, Rule::weighted_fill, Rule::rest, Rule::size};
  constexpr double noises[] = {0.0, 0.05, 0.15, 0.3};
  constexpr std::int64_t patience = 300;  // runs without gain
  Greedy greedy(core.graph, core.cards);
  std::vector<Node> best;
  double least = effort.goal;
  std::int64_t last_gain = 0;
  for (std::int64_t run = 0; run < effort.most_runs; ++run) {
    check_interrupt();
    const double limit = std::min(static_cast<double>(effort.most_work), effort.work_per_cell * least);
    const bool is_settled = run > patience + 2 * last_gain;
    if (run >= effort.least_runs && (is_settled || static_cast<double>(greedy.work()) > limit)) break;
    const std::int64_t cycle = run / static_cast<std::int64_t>(std::size(rules));
    const Greedy::Run how{rules[static_cast<std::size_t>(run) % std::size(rules)],
                          noises[static_cast<std::size_t>(cycle) % std::size(noises)],
                          static_cast<std::uint64_t>(run) + 1, least};
    std::vector<Node> order = greedy.run(how);
    if (order.empty()) continue;
    const double cells = cells_of(steps_of(core.graph, order), order, core.cards);
    if (!exceeds(least, cells) && !best.empty()) continue;
    least = cells;
    last_gain = run;
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
  std::vector<char> eliminated(taken.begin(), taken.end());
  std::vector<Node> order;
  eliminate_simplicial(left, eliminated, order);
  const Core core = core_of(left, eliminated, cards);
  if (!core.names.empty()) {
    const std::vector<Node> rest = best_order(core, effort);
    if (rest.empty()) return {};
    for (const Node v : rest) order.push_back(core.names[at(v)]);
  }
  return forest_of(graph, order);
}

}  // namespace deciban
