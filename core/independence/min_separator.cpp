#include "independence/min_separator.hpp"

#include <algorithm>

#include "run/at.hpp"

namespace deciban {
namespace {

constexpr std::int32_t unlimited = 1 << 28;

std::vector<std::int32_t> ancestors(const std::vector<std::vector<std::int32_t>>& parents, std::int32_t x,
                                    std::int32_t y) {
  std::vector<std::int32_t> found{x, y};
  std::vector<char> is_found(parents.size(), 0);
  is_found[at(x)] = is_found[at(y)] = 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::int32_t parent : parents[at(found[i])]) {
      if (is_found[at(parent)] != 0) continue;
      is_found[at(parent)] = 1;
      found.push_back(parent);
    }
  }
  return found;
}

}  // namespace

MinSeparator::MinSeparator(const std::vector<std::vector<std::int32_t>>& parents, std::int64_t x, std::int64_t y,
                           std::span<const std::uint8_t> pool)
    : x_(static_cast<std::int32_t>(x)),
      y_(static_cast<std::int32_t>(y)),
      first_(2 * parents.size(), -1),
      node_arc_(parents.size(), -1) {
  const std::vector<std::int32_t> nodes = ancestors(parents, x_, y_);
  for (const std::int32_t node : nodes) {
    const bool may_separate = pool[at(node)] != 0 && node != x_ && node != y_;
    if (may_separate) node_arc_[at(node)] = static_cast<std::int32_t>(to_.size());
    add_arc(2 * node, 2 * node + 1, may_separate ? 1 : unlimited);
  }
  add_moral_edges(parents, nodes);
}

void MinSeparator::add_moral_edges(const std::vector<std::vector<std::int32_t>>& parents,
                                   std::span<const std::int32_t> nodes) {
  const auto join = [this](std::int32_t a, std::int32_t b) {
    add_arc(2 * a + 1, 2 * b, unlimited);
    add_arc(2 * b + 1, 2 * a, unlimited);
  };
  for (const std::int32_t node : nodes) {
    const auto& own = parents[at(node)];
    for (std::size_t i = 0; i < own.size(); ++i) {
      join(node, own[i]);
      for (std::size_t j = i + 1; j < own.size(); ++j) join(own[i], own[j]);
    }
  }
}

void MinSeparator::add_arc(std::int32_t from, std::int32_t to, std::int32_t capacity) {
  const auto arc = static_cast<std::int32_t>(to_.size());
  to_.insert(to_.end(), {to, from});
  capacity_.insert(capacity_.end(), {capacity, 0});
  next_.insert(next_.end(), {first_[at(from)], first_[at(to)]});
  first_[at(from)] = arc;
  first_[at(to)] = arc + 1;
}

bool MinSeparator::augment() {
  constexpr std::int32_t unseen = -2;
  const std::int32_t start = 2 * x_ + 1;
  const std::int32_t end = 2 * y_;
  came_by_.assign(first_.size(), unseen);
  came_by_[at(start)] = -1;
  std::vector<std::int32_t> waiting{start};
  for (std::size_t i = 0; i < waiting.size() && came_by_[at(end)] == unseen; ++i) {
    for (std::int32_t arc = first_[at(waiting[i])]; arc >= 0; arc = next_[at(arc)]) {
      const std::int32_t to = to_[at(arc)];
      if (residual_[at(arc)] == 0 || came_by_[at(to)] != unseen) continue;
      came_by_[at(to)] = arc;
      waiting.push_back(to);
    }
  }
  if (came_by_[at(end)] == unseen) return false;
  for (std::int32_t node = end; node != start; node = to_[at(came_by_[at(node)] ^ 1)]) {
    --residual_[at(came_by_[at(node)])];
    ++residual_[at(came_by_[at(node)] ^ 1)];
  }
  return true;
}

std::int64_t MinSeparator::count_paths(std::int64_t most) {
  residual_ = capacity_;
  std::int64_t found = 0;
  while (found <= most && augment()) ++found;
  return found;
}

std::vector<std::int64_t> MinSeparator::on_paths() const {
  std::vector<std::int64_t> nodes;
  for (std::size_t node = 0; node < node_arc_.size(); ++node) {
    if (node_arc_[node] >= 0 && residual_[at(node_arc_[node] ^ 1)] > 0)
      nodes.push_back(static_cast<std::int64_t>(node));
  }
  return nodes;
}

std::optional<std::vector<std::int64_t>> MinSeparator::find(std::int64_t size) {
  if (count_paths(size) != size) return std::nullopt;
  std::vector<std::int64_t> set;
  // A smallest set has one node on each path, so only nodes on paths need to be tried, in order.
  for (std::vector<std::int64_t> tried = on_paths(); size > 0;) {
    for (const std::int64_t node : tried) {
      std::int32_t& capacity = capacity_[at(node_arc_[static_cast<std::size_t>(node)])];
      capacity = 0;
      if (count_paths(size - 1) == size - 1) {
        set.push_back(node);
        break;
      }
      capacity = 1;
    }
    --size;
    tried = on_paths();
    std::erase_if(tried, [&set](std::int64_t node) { return node < set.back(); });
  }
  return set;
}

}  // namespace deciban
