#include "independence/min_separator.hpp"

#include <algorithm>

namespace deciban {
namespace {

constexpr std::int32_t endless = 1 << 28;

std::size_t place(std::int32_t node) {
  return static_cast<std::size_t>(node);
}

std::vector<std::int32_t> ancestors(const std::vector<std::vector<std::int32_t>>& parents, std::int32_t x,
                                    std::int32_t y) {
  std::vector<std::int32_t> above{x, y};
  std::vector<char> is_above(parents.size(), 0);
  is_above[place(x)] = is_above[place(y)] = 1;
  for (std::size_t i = 0; i < above.size(); ++i) {
    for (const std::int32_t parent : parents[place(above[i])]) {
      if (is_above[place(parent)] != 0) continue;
      is_above[place(parent)] = 1;
      above.push_back(parent);
    }
  }
  return above;
}

}  // namespace

Cut::Cut(const std::vector<std::vector<std::int32_t>>& parents, std::int64_t x, std::int64_t y,
         std::span<const std::uint8_t> pool)
    : x_(static_cast<std::int32_t>(x)),
      y_(static_cast<std::int32_t>(y)),
      first_(2 * parents.size(), -1),
      gate_(parents.size(), -1) {
  const std::vector<std::int32_t> nodes = ancestors(parents, x_, y_);
  for (const std::int32_t node : nodes) {
    const bool may_separate = pool[place(node)] != 0 && node != x_ && node != y_;
    if (may_separate) gate_[place(node)] = static_cast<std::int32_t>(to_.size());
    add_arc(2 * node, 2 * node + 1, may_separate ? 1 : endless);
  }
  add_moral(parents, nodes);
}

void Cut::add_moral(const std::vector<std::vector<std::int32_t>>& parents, std::span<const std::int32_t> nodes) {
  const auto join = [this](std::int32_t a, std::int32_t b) {
    add_arc(2 * a + 1, 2 * b, endless);
    add_arc(2 * b + 1, 2 * a, endless);
  };
  for (const std::int32_t node : nodes) {
    const auto& own = parents[place(node)];
    for (std::size_t i = 0; i < own.size(); ++i) {
      join(node, own[i]);
      for (std::size_t j = i + 1; j < own.size(); ++j) join(own[i], own[j]);
    }
  }
}

void Cut::add_arc(std::int32_t from, std::int32_t to, std::int32_t room) {
  const auto arc = static_cast<std::int32_t>(to_.size());
  to_.insert(to_.end(), {to, from});
  room_.insert(room_.end(), {room, 0});
  next_.insert(next_.end(), {first_[place(from)], first_[place(to)]});
  first_[place(from)] = arc;
  first_[place(to)] = arc + 1;
}

bool Cut::augment() {
  constexpr std::int32_t unseen = -2;
  const std::int32_t start = 2 * x_ + 1;
  const std::int32_t end = 2 * y_;
  came_.assign(first_.size(), unseen);
  came_[place(start)] = -1;
  std::vector<std::int32_t> waiting{start};
  for (std::size_t i = 0; i < waiting.size() && came_[place(end)] == unseen; ++i) {
    for (std::int32_t arc = first_[place(waiting[i])]; arc >= 0; arc = next_[place(arc)]) {
      const std::int32_t to = to_[place(arc)];
      if (left_[place(arc)] == 0 || came_[place(to)] != unseen) continue;
      came_[place(to)] = arc;
      waiting.push_back(to);
    }
  }
  if (came_[place(end)] == unseen) return false;
  for (std::int32_t at = end; at != start; at = to_[place(came_[place(at)] ^ 1)]) {
    --left_[place(came_[place(at)])];
    ++left_[place(came_[place(at)] ^ 1)];
  }
  return true;
}

std::int64_t Cut::paths(std::int64_t most) {
  left_ = room_;
  std::int64_t found = 0;
  while (found <= most && augment()) ++found;
  return found;
}

std::vector<std::int64_t> Cut::on_paths() const {
  std::vector<std::int64_t> nodes;
  for (std::size_t node = 0; node < gate_.size(); ++node) {
    if (gate_[node] >= 0 && left_[place(gate_[node] ^ 1)] > 0) nodes.push_back(static_cast<std::int64_t>(node));
  }
  return nodes;
}

std::optional<std::vector<std::int64_t>> Cut::smallest(std::int64_t size) {
  if (paths(size) != size) return std::nullopt;
  std::vector<std::int64_t> set;
  // A smallest set has one node of each path, so only nodes on paths need be tried, in order.
  for (std::vector<std::int64_t> tried = on_paths(); size > 0;) {
    for (const std::int64_t node : tried) {
      std::int32_t& gate = room_[place(gate_[static_cast<std::size_t>(node)])];
      gate = 0;
      if (paths(size - 1) == size - 1) {
        set.push_back(node);
        break;
      }
      gate = 1;
    }
    --size;
    tried = on_paths();
    std::erase_if(tried, [&set](std::int64_t node) { return node < set.back(); });
  }
  return set;
}

}  // namespace deciban
