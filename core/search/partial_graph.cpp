#include "search/partial_graph.hpp"

#include <utility>

namespace deciban {
namespace {

// Meek's rules (1995), applied to the edges around the nodes that wait.
class Closure {
 public:
  explicit Closure(PartialGraph& graph)
      : up_(graph.up), free_(graph.free), down_(transposed(up_)), adjacent_(up_.nodes()), words_(up_.words()) {
    for (std::int64_t node = 0; node < up_.nodes(); ++node) {
      for (std::size_t w = 0; w < words_; ++w) {
        adjacent_[node][w] = up_[node][w] | down_[node][w] | free_[node][w];
      }
    }
  }

  void run() {
    std::vector<std::int64_t> waiting;
    std::vector<char> waits(at(up_.nodes()), 0);
    const auto wait = [&](std::int64_t node) {
      if (waits[at(node)] != 0 || std::ranges::all_of(free_[node], [](auto word) { return word == 0; })) return;
      waits[at(node)] = 1;
      waiting.push_back(node);
    };
    for (std::int64_t node = 0; node < up_.nodes(); ++node) wait(node);
    while (!waiting.empty()) {
      const std::int64_t a = waiting.back();
      waiting.pop_back();
      waits[at(a)] = 0;
      for (const std::int64_t b : members_of(free_[a])) {
        for (const auto& [tail, head] : {std::pair(a, b), std::pair(b, a)}) {
          if (!follows(tail, head)) continue;
          up_.add(head, tail);
          down_.add(tail, head);
          free_.remove(head, tail);
          free_.remove(tail, head);
          // A new arrow can only affect edges at its ends or, by rules 3 and 4, one edge further.
          each_member(words_, [&](std::size_t w) { return adjacent_[tail][w] | adjacent_[head][w]; }, wait);
          break;
        }
      }
    }
  }

 private:
  // Whether the undirected a — b must be a → b.
  bool follows(std::int64_t a, std::int64_t b) const {
    const std::span<const std::uint64_t> up_a = up_[a], up_b = up_[b], down_a = down_[a], free_a = free_[a],
                                         near_b = adjacent_[b];
    // Rule 1: c → a, c and b not adjacent: b → a would be a v-structure. Rule 2: a → c → b: a cycle.
    if (has_other_than(b, words_, [&](std::size_t w) { return up_a[w] & ~near_b[w]; })) return true;
    for (std::size_t w = 0; w < words_; ++w) {
      if ((down_a[w] & up_b[w]) != 0) return true;
    }
    bool found = false;
    // Rule 3: a — c → b and a — d → b, c and d not adjacent: b → a would make c → a ← d, or else a cycle.
    const auto both = [&](std::size_t w) { return free_a[w] & up_b[w]; };
    each_member(words_, both, [&](std::int64_t c) {
      const auto near_c = adjacent_[c];
      found = found || has_other_than(c, words_, [&](std::size_t w) { return both(w) & ~near_c[w]; });
    });
    if (found) return true;
    // Rule 4: d → c → b and a — d, a and c adjacent, d and b not adjacent; needed with background knowledge only.
    const auto near_a = adjacent_[a];
    each_member(
        words_, [&](std::size_t w) { return up_b[w] & near_a[w]; },
        [&](std::int64_t c) {
          const auto up_c = up_[c];
          found = found || has_other_than(b, words_, [&](std::size_t w) { return up_c[w] & free_a[w] & ~near_b[w]; });
        });
    return found;
  }

  NodeSets& up_;
  NodeSets& free_;
  NodeSets down_, adjacent_;
  std::size_t words_;
};

}  // namespace

PartialGraph class_of(const NodeSets& parents) {
  const NodeSets children = transposed(parents);
  PartialGraph graph{NodeSets(parents.nodes()), NodeSets(parents.nodes())};
  const std::size_t words = parents.words();
  for (std::int64_t node = 0; node < parents.nodes(); ++node) {
    // Only v-structures stay directed; Meek's rules restore the other arrows that all members share.
    for (const std::int64_t parent : members_of(parents[node])) {
      const auto above = parents[parent], below = children[parent], of_node = parents[node];
      if (has_other_than(parent, words, [&](std::size_t w) { return of_node[w] & ~(above[w] | below[w]); })) {
        graph.up.add(node, parent);
      } else {
        graph.free.add(node, parent);
        graph.free.add(parent, node);
      }
    }
  }
  close(graph);
  return graph;
}

void close(PartialGraph& graph) {
  Closure(graph).run();
}

std::optional<NodeSets> extend(const PartialGraph& graph) {
  const NodeSets &up = graph.up, &free = graph.free;
  const std::int64_t nodes = up.nodes();
  const std::size_t words = up.words();
  const NodeSets down = transposed(up);
  NodeSets parents = up;
  std::vector<std::int64_t> open_children(at(nodes), 0);
  for (std::int64_t node = 0; node < nodes; ++node) {
    for (const std::uint64_t word : down[node]) open_children[at(node)] += std::popcount(word);
  }
  std::vector<std::uint64_t> left(words, 0), around(words);
  for (std::int64_t node = 0; node < nodes; ++node) left[at(node) / 64] |= std::uint64_t{1} << (at(node) % 64);
  std::vector<std::uint64_t> waiting = left;
  // Removes a node that can be a sink, directs its undirected edges to it, and repeats.
  for (std::size_t w = 0; w < words;) {
    if (waiting[w] == 0) {
      ++w;
      continue;
    }
    const std::int64_t node = static_cast<std::int64_t>(w * 64) + std::countr_zero(waiting[w]);
    waiting[w] &= waiting[w] - 1;
    if (open_children[at(node)] > 0) continue;
    const auto up_of = up[node], free_of = free[node];
    bool is_sink = true;
    for (std::size_t i = 0; i < words; ++i) around[i] = (up_of[i] | free_of[i]) & left[i];
    // Each undirected neighbour has to be adjacent to all other adjacent nodes.
    each_member(
        words, [&](std::size_t i) { return free_of[i] & left[i]; },
        [&](std::int64_t peer) {
          const auto above = up[peer], below = down[peer], beside = free[peer];
          is_sink = is_sink && !has_other_than(peer, words, [&](std::size_t i) {
                      return around[i] & ~(above[i] | below[i] | beside[i]);
                    });
        });
    if (!is_sink) continue;
    const auto out = parents[node];
    left[w] &= ~(std::uint64_t{1} << (at(node) % 64));
    for (std::size_t i = 0; i < words; ++i) out[i] |= free_of[i] & left[i];
    each_member(
        words, [&](std::size_t i) { return up_of[i] & left[i]; },
        [&](std::int64_t parent) { --open_children[at(parent)]; });
    // Without this node its neighbours may have become sinks; any order of removal succeeds if one does.
    for (std::size_t i = words; i-- > 0;) {
      waiting[i] |= around[i];
      if (around[i] != 0) w = std::min(w, i);
    }
  }
  if (std::ranges::any_of(left, [](std::uint64_t word) { return word != 0; })) return std::nullopt;
  return parents;
}

}  // namespace deciban
