#include "search/equivalence_search.hpp"

#include <map>
#include <utility>

#include "run/interrupt.hpp"
#include "run/pool.hpp"
#include "run/ties.hpp"

namespace deciban {
namespace {

// Pairs whose operators are in memory at a time before their gains are known.
constexpr std::int64_t most_pairs = std::int64_t{1} << 20;

bool same(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return std::ranges::equal(a, b);
}

// By nodes: of sets, as numbers whose bits are their members.
bool comes_before(const EquivalenceStep& a, const EquivalenceStep& b) {
  if (a.y != b.y) return a.y < b.y;
  if (a.x != b.x) return a.x < b.x;
  return std::lexicographical_compare(a.part.rbegin(), a.part.rend(), b.part.rbegin(), b.part.rend());
}

bool is_better(const EquivalenceStep& a, const EquivalenceStep& b) {
  return a.gain != b.gain ? a.gain > b.gain : comes_before(a, b);
}

// Calls f with every subset of `nodes` that is a clique; the empty one first.
template <class F>
void each_clique(const NodeSets& adjacent, std::span<const std::int32_t> nodes, std::vector<std::int32_t>& clique,
                 F&& f) {
  check_interrupt();
  f();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto is_apart = [&](std::int32_t other) { return !adjacent.has(nodes[i], other); };
    if (std::ranges::any_of(clique, is_apart)) continue;
    clique.push_back(nodes[i]);
    // Only nodes after this one, so that each clique is listed once.
    each_clique(adjacent, nodes.subspan(i + 1), clique, f);
    clique.pop_back();
  }
}

}  // namespace

// The operators of a head that are possible: those that share a conditioning set together.
struct EquivalenceSearch::Asked {
  struct Group {
    std::vector<std::int32_t> kept;   // of the neighbours of y
    std::vector<std::int64_t> given;  // these and the parents of y, ascending
    std::vector<std::int64_t> added;
  };
  std::int32_t y = 0, only = -1;
  std::vector<std::int32_t> neighbours;
  std::vector<std::int64_t> parents;
  std::vector<Group> groups;
  std::map<std::pair<std::vector<std::int32_t>, std::int32_t>, std::size_t> index;

  // `without`: a parent that is left out, or −1.
  void add(std::vector<std::int32_t> kept, std::int32_t x, std::int32_t without) {
    std::ranges::sort(kept);
    const auto [found, is_new] = index.try_emplace({kept, without}, groups.size());
    if (is_new) {
      Group& group = groups.emplace_back();
      for (const std::int64_t parent : parents) {
        if (parent != without) group.given.push_back(parent);
      }
      group.given.insert(group.given.end(), kept.begin(), kept.end());
      std::ranges::sort(group.given);
      group.kept = std::move(kept);
    }
    groups[found->second].added.push_back(x);
  }
};

EquivalenceSearch::EquivalenceSearch(const Gains& gains, const ParentRules& rules, double scale)
    : gains_(gains),
      required_(sets_of(rules.required)),
      forbidden_(sets_of(rules.forbidden)),
      forbidden_from_(transposed(forbidden_)),
      most_(rules.most),
      is_free_(rules.required.values.empty() && rules.forbidden.values.empty()),
      scale_(scale),
      graph_(class_of(required_)),
      dag_(required_),
      adjacent_(required_.nodes()),
      onward_(required_.nodes()) {
  update_adjacent();
}

void EquivalenceSearch::start(const RaggedList<std::int64_t>& parents) {
  dag_ = sets_of(parents);
  graph_ = class_of(dag_);
  phase_.reset();
  update_adjacent();
}

std::optional<EquivalenceStep> EquivalenceSearch::step(Phase phase) {
  if (phase_ != phase) {
    phase_ = phase;
    kept_.clear();
    std::vector<Pairs> all;
    all.reserve(at(dag_.nodes()));
    for (std::int32_t y = 0; y < dag_.nodes(); ++y) all.push_back({y, -1});
    find(all);
  }
  // By decreasing gain; steps of equal gain by their nodes.
  for (std::size_t begin = 0; begin < kept_.size();) {
    std::vector<Kept*> equal;
    for (; begin < kept_.size() && (equal.empty() || !exceeds(-kept_[begin]->gain, -equal[0]->gain, scale_)); ++begin) {
      equal.push_back(kept_[begin].get());
    }
    if (equal.size() > 1) std::ranges::sort(equal, [](const Kept* a, const Kept* b) { return comes_before(*a, *b); });
    for (Kept* const one : equal) {
      check_interrupt();
      if (!is_valid(*one)) continue;
      EquivalenceStep step = *one;  // the one that is kept is found again
      if (make(step)) return step;
    }
  }
  return std::nullopt;
}

void EquivalenceSearch::find(std::span<const Pairs> pairs) {
  const auto known = static_cast<std::ptrdiff_t>(kept_.size());
  const auto heads_at_a_time = at(std::max<std::int64_t>(1, most_pairs / std::max<std::int64_t>(1, dag_.nodes())));
  for (; !pairs.empty(); pairs = pairs.subspan(std::min(pairs.size(), heads_at_a_time))) {
    std::vector<Asked> asked(std::min(pairs.size(), heads_at_a_time));
    parallel_for(static_cast<std::int64_t>(asked.size()), [&](std::int64_t i) {
      asked[at(i)].y = pairs[at(i)].y;
      asked[at(i)].only = pairs[at(i)].only;
      list_operators(asked[at(i)]);
    });
    std::vector<Growth> growths;
    for (const Asked& one : asked) {
      for (const Asked::Group& group : one.groups) growths.push_back({one.y, group.given, group.added});
    }
    const double sign = phase_ == Phase::forward ? 1.0 : -1.0;
    const std::vector<double> gains = gains_.gains(growths);
    auto gain = gains.begin();
    for (const Asked& one : asked) {
      for (const Asked::Group& group : one.groups) {
        for (const std::int64_t x : group.added) {
          const double worth = sign * *gain++;
          if (!exceeds(worth, 0.0, scale_)) continue;
          const auto other = static_cast<std::int32_t>(x);
          kept_.push_back(
              std::make_unique<Kept>(EquivalenceStep{worth, one.y, other, part_of(one.y, other, group.kept)}));
        }
      }
    }
  }
  const auto is_first = [](const auto& a, const auto& b) { return is_better(*a, *b); };
  std::sort(kept_.begin() + known, kept_.end(), is_first);
  std::inplace_merge(kept_.begin(), kept_.begin() + known, kept_.end(), is_first);
}

void EquivalenceSearch::list_operators(Asked& asked) const {
  for (const std::int64_t node : members_of(graph_.free[asked.y])) {
    asked.neighbours.push_back(static_cast<std::int32_t>(node));
  }
  asked.parents = members_of(graph_.up[asked.y]);
  const bool is_forward = phase_ == Phase::forward;
  const auto list = [&](std::int32_t x) { is_forward ? list_inserts(asked, x) : list_deletes(asked, x); };
  if (asked.only >= 0) return list(asked.only);
  for (std::int32_t x = 0; x < dag_.nodes(); ++x) list(x);
}

// Insert(x, y, T): the neighbours of y that are adjacent to x form a clique with T.
void EquivalenceSearch::list_inserts(Asked& asked, std::int32_t x) const {
  if (x == asked.y || adjacent_.has(asked.y, x)) return;
  std::vector<std::int32_t> kept, others;
  for (const std::int32_t node : asked.neighbours) (adjacent_.has(x, node) ? kept : others).push_back(node);
  // Chickering (2002), theorem 15: no T helps where the common neighbours themselves are no clique.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!adjacent_.has(kept[i], kept[j])) return;
    }
  }
  // The number of T is exponential in the neighbours of y; only cliques are looked at.
  each_clique(adjacent_, others, kept, [&] {
    if (std::cmp_less(kept.size() + asked.parents.size(), most_)) asked.add(kept, x, -1);
  });
}

// Delete(x, y, H): the neighbours of y that are adjacent to x, without H, are a clique.
void EquivalenceSearch::list_deletes(Asked& asked, std::int32_t x) const {
  const std::int32_t y = asked.y;
  const bool is_parent = graph_.up.has(y, x);
  if (!is_parent && !graph_.free.has(y, x)) return;
  if (required_.has(y, x) || required_.has(x, y)) return;
  std::vector<std::int32_t> common, kept;
  for (const std::int32_t node : asked.neighbours) {
    if (adjacent_.has(x, node)) common.push_back(node);
  }
  each_clique(adjacent_, common, kept, [&] { asked.add(kept, x, is_parent ? x : -1); });
}

// T or H, from what of the neighbours of y is in the conditioning set.
std::vector<std::int32_t> EquivalenceSearch::part_of(std::int32_t y, std::int32_t x,
                                                     std::span<const std::int32_t> kept) const {
  std::vector<std::int32_t> part;
  if (phase_ == Phase::forward) {
    for (const std::int32_t node : kept) {
      if (!adjacent_.has(x, node)) part.push_back(node);
    }
    return part;
  }
  const auto free = graph_.free[y], near = std::as_const(adjacent_)[x];
  each_member(
      free.size(), [&](std::size_t w) { return free[w] & near[w]; },
      [&](std::int64_t node) {
        if (!std::ranges::binary_search(kept, node)) part.push_back(static_cast<std::int32_t>(node));
      });
  return part;
}

// Whether the result of a step is a class of DAGs. Of a deletion the clique is enough; of an insertion the conditioning
// set has to block every semi-directed path from y to x, too.
bool EquivalenceSearch::is_valid(Kept& step) {
  if (phase_ == Phase::backward) return true;
  const NodeSets &adjacent = adjacent_, &onward = onward_;
  auto& path = step.path;
  const auto is_there = [&] {
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (!onward.has(path[i - 1], path[i])) return false;
    }
    return !path.empty();
  };
  if (is_there()) return false;
  path.clear();
  const auto free = std::as_const(graph_).free[step.y], near = adjacent[step.x];
  std::vector<std::uint64_t> visited(free.size());
  for (std::size_t w = 0; w < free.size(); ++w) visited[w] = free[w] & near[w];
  for (const std::int32_t node : step.part) visited[at(node) / 64] |= std::uint64_t{1} << (at(node) % 64);
  visited[at(step.y) / 64] |= std::uint64_t{1} << (at(step.y) % 64);
  came_from_.resize(at(dag_.nodes()));
  std::vector<std::int32_t> queue{step.y};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::int32_t node = queue[i];
    const auto next = onward[node];
    each_member(
        next.size(), [&](std::size_t w) { return next[w] & ~visited[w]; },
        [&](std::int64_t peer) {
          came_from_[at(peer)] = node;
          queue.push_back(static_cast<std::int32_t>(peer));
        });
    for (std::size_t w = 0; w < next.size(); ++w) visited[w] |= next[w];
    if (onward.has(node, step.x)) {
      for (std::int32_t back = step.x; back != step.y; back = came_from_[at(back)]) path.push_back(back);
      path.push_back(step.y);
      std::ranges::reverse(path);
      return false;
    }
  }
  return true;
}

// The graph after a step, before completion.
PartialGraph EquivalenceSearch::changed(const EquivalenceStep& step) const {
  PartialGraph out = graph_;
  auto& [up, free] = out;
  const std::int64_t x = step.x, y = step.y;
  if (phase_ == Phase::forward) {
    up.add(y, x);
    for (const std::int64_t node : step.part) {
      up.add(y, node);
      free.remove(y, node);
      free.remove(node, y);
    }
    return out;
  }
  up.remove(y, x);
  free.remove(y, x);
  free.remove(x, y);
  for (const std::int64_t node : step.part) {
    free.remove(y, node);
    free.remove(node, y);
    up.add(node, y);
    if (!free.has(node, x)) continue;
    up.add(node, x);
    free.remove(x, node);
    free.remove(node, x);
  }
  return out;
}

bool EquivalenceSearch::make(const EquivalenceStep& step) {
  // The step as a partial graph, a DAG that extends it, and the class of that DAG.
  std::optional<NodeSets> dag = extend(changed(step));
  if (!dag) return false;
  PartialGraph after = class_of(*dag);
  if (!is_free_) {
    // The edges that knowledge determines, and those that follow.
    PartialGraph directed = after;
    for (std::int64_t node = 0; node < dag_.nodes(); ++node) {
      const auto free = std::as_const(after).free[node];
      const auto must = std::as_const(required_)[node], away = std::as_const(forbidden_from_)[node];
      each_member(
          free.size(), [&](std::size_t w) { return free[w] & (must[w] | away[w]); },
          [&](std::int64_t peer) {
            directed.up.add(node, peer);
            directed.free.remove(node, peer);
            directed.free.remove(peer, node);
          });
    }
    close(directed);
    dag = extend(directed);
    if (!dag || !follows_rules(*dag)) return false;
  }
  dag_ = std::move(*dag);
  std::swap(graph_, after);
  update_adjacent();
  renew(after, step);
  return true;
}

bool EquivalenceSearch::follows_rules(const NodeSets& dag) const {
  for (std::int64_t node = 0; node < dag.nodes(); ++node) {
    const auto has = dag[node], must = required_[node], must_not = forbidden_[node];
    for (std::size_t w = 0; w < has.size(); ++w) {
      if ((must[w] & ~has[w]) != 0 || (has[w] & must_not[w]) != 0) return false;
    }
  }
  return true;
}

// Finds the operators of the pairs that a step has changed.
void EquivalenceSearch::renew(const PartialGraph& before, const EquivalenceStep& step) {
  constexpr std::int32_t none = -2, all = -1;
  std::vector<std::int32_t> changed(at(dag_.nodes()), none);  // of each head, with which other node
  std::vector<Pairs> pairs;
  for (std::int32_t y = 0; y < dag_.nodes(); ++y) {
    const bool is_new = y == step.x || y == step.y || !same(before.up[y], std::as_const(graph_).up[y]) ||
                        !same(before.free[y], std::as_const(graph_).free[y]);
    const bool is_by_x = graph_.free.has(y, step.x), is_by_y = graph_.free.has(y, step.y);
    // A new adjacency between two neighbours of y makes them a clique; a removed one does the opposite.
    if (is_new || (is_by_x && is_by_y)) {
      changed[at(y)] = all;
    } else if (is_by_x || is_by_y) {  // one end is a neighbour of y: its adjacency to the other end has changed
      changed[at(y)] = is_by_x ? step.y : step.x;
    }
    if (changed[at(y)] != none) pairs.push_back({y, changed[at(y)]});
  }
  std::erase_if(kept_, [&](const auto& one) { return changed[at(one->y)] == all || changed[at(one->y)] == one->x; });
  find(pairs);
}

void EquivalenceSearch::update_adjacent() {
  const NodeSets down = transposed(graph_.up);
  for (std::int64_t node = 0; node < dag_.nodes(); ++node) {
    const auto up = std::as_const(graph_).up[node], free = std::as_const(graph_).free[node], below = down[node];
    const auto near = adjacent_[node], onward = onward_[node];
    for (std::size_t w = 0; w < up.size(); ++w) {
      onward[w] = below[w] | free[w];
      near[w] = up[w] | onward[w];
    }
  }
}

}  // namespace deciban
