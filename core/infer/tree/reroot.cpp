#include "infer/tree/reroot.hpp"

#include <algorithm>
#include <iterator>

#include "run/at.hpp"

namespace deciban {
namespace {

struct CliqueGraph {
  std::vector<std::vector<Node>> members;  // ascending
  std::vector<double> cells;
  std::vector<std::vector<std::int32_t>> near;
  std::vector<std::int32_t> parent;
};

CliqueGraph read(const Forest& forest, std::span<const double> cards) {
  const std::size_t count = forest.bags.size();
  CliqueGraph tree{{},
                   std::vector<double>(count, 1.0),
                   std::vector<std::vector<std::int32_t>>(count),
                   std::vector<std::int32_t>(count, -1)};
  for (std::size_t b = 0; b < count; ++b) {
    tree.members.push_back(forest.bags[b].members);
    std::ranges::sort(tree.members[b]);
    for (const Node v : tree.members[b]) tree.cells[b] *= cards[at(v)];
    if (forest.bags[b].parent < 0) continue;
    tree.near[b].push_back(forest.bags[b].parent);
    tree.near[at(forest.bags[b].parent)].push_back(static_cast<std::int32_t>(b));
  }
  return tree;
}

// Sets parents by a depth-first walk from a root; `walked` gets the bags in the order of the walk.
void set_parents(CliqueGraph& tree, std::int32_t root, std::vector<std::int32_t>& walked) {
  std::vector<std::int32_t> waiting{root};
  while (!waiting.empty()) {
    const std::int32_t bag = waiting.back();
    waiting.pop_back();
    walked.push_back(bag);
    for (const std::int32_t next : tree.near[at(bag)]) {
      if (next == tree.parent[at(bag)]) continue;
      tree.parent[at(next)] = bag;
      waiting.push_back(next);
    }
  }
}

std::vector<std::int32_t> root_at_largest(CliqueGraph& tree) {
  std::vector<std::int32_t> by_size(tree.cells.size());
  for (std::size_t b = 0; b < by_size.size(); ++b) by_size[b] = static_cast<std::int32_t>(b);
  std::ranges::stable_sort(by_size, [&](auto a, auto b) { return tree.cells[at(a)] > tree.cells[at(b)]; });
  std::vector<std::int32_t> walked;
  std::vector<char> has_root(by_size.size(), 0);
  for (const std::int32_t root : by_size) {
    if (has_root[at(root)] != 0) continue;
    tree.parent[at(root)] = -1;
    const std::size_t first = walked.size();
    set_parents(tree, root, walked);
    for (std::size_t i = first; i < walked.size(); ++i) has_root[at(walked[i])] = 1;
  }
  return walked;
}

// The smallest clique near the parent that contains what the child shares with it.
std::int32_t smallest_holder(const CliqueGraph& tree, std::int32_t child) {
  constexpr std::size_t far = 500;  // cliques tried: a hub may have thousands of neighbours
  std::size_t looked = 0;
  std::vector<Node> shared;
  const std::int32_t parent = tree.parent[at(child)];
  std::ranges::set_intersection(tree.members[at(child)], tree.members[at(parent)], std::back_inserter(shared));
  std::vector<std::int32_t> found{parent};
  std::int32_t best = parent;
  for (std::size_t i = 0; i < found.size() && looked < far; ++i) {
    for (const std::int32_t next : tree.near[at(found[i])]) {
      if (++looked > far) break;
      if (next == child || std::ranges::find(found, next) != found.end()) continue;
      if (!std::ranges::includes(tree.members[at(next)], shared)) continue;
      found.push_back(next);
      if (tree.cells[at(next)] < tree.cells[at(best)]) best = next;
    }
  }
  return best;
}

void move_to(CliqueGraph& tree, std::int32_t child, std::int32_t parent) {
  std::vector<std::int32_t>& was = tree.near[at(tree.parent[at(child)])];
  was.erase(std::ranges::find(was, child));
  std::vector<std::int32_t>& mine = tree.near[at(child)];
  *std::ranges::find(mine, tree.parent[at(child)]) = parent;
  tree.near[at(parent)].push_back(child);
  tree.parent[at(child)] = parent;
}

// Children before parents, each bag's own nodes before those of its parent.
Forest forest_of(const CliqueGraph& tree, std::span<const std::int32_t> walked, std::size_t nodes) {
  Forest out;
  out.position.assign(nodes, -1);
  std::vector<std::int32_t> number(walked.size());
  std::int32_t next_position = 0;
  for (std::size_t i = walked.size(); i-- > 0;) {
    const std::int32_t b = walked[i];
    number[at(b)] = static_cast<std::int32_t>(out.bags.size());
    Bag bag;
    const std::int32_t parent = tree.parent[at(b)];
    for (const Node v : tree.members[at(b)]) {
      if (parent >= 0 && std::ranges::binary_search(tree.members[at(parent)], v)) continue;
      out.position[at(v)] = next_position++;
      ++bag.own;
    }
    bag.members = tree.members[at(b)];
    bag.parent = parent;
    out.bags.push_back(std::move(bag));
  }
  for (Bag& bag : out.bags) {
    std::ranges::sort(bag.members, [&](Node a, Node b) { return out.position[at(a)] < out.position[at(b)]; });
    if (bag.parent >= 0) bag.parent = number[at(bag.parent)];
  }
  return out;
}

}  // namespace

Forest reroot(const Forest& forest, std::span<const double> cards) {
  CliqueGraph tree = read(forest, cards);
  for (const std::int32_t bag : root_at_largest(tree)) {
    if (tree.parent[at(bag)] < 0) continue;
    const std::int32_t best = smallest_holder(tree, bag);
    if (best != tree.parent[at(bag)]) move_to(tree, bag, best);
  }
  return forest_of(tree, root_at_largest(tree), forest.position.size());
}

}  // namespace deciban
