#include "search/hill_climb.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "run/interrupt.hpp"
#include "run/ties.hpp"

namespace deciban {

HillClimb::HillClimb(const LocalScores& scores, const ParentRules& rules, double scale,
                     const RaggedList<std::int64_t>& parents)
    : scores_(scores),
      nodes_(scores.variables()),
      most_(rules.most),
      scale_(scale),
      allowed_(nodes_),
      required_(sets_of(rules.required)),
      parents_(sets_of(parents)),
      children_(transposed(parents_)),
      above_(nodes_),
      below_(nodes_),
      counts_(at(nodes_)),
      current_(at(nodes_)),
      gains_(at(nodes_ * nodes_), 0.0) {
  const NodeSets forbidden = sets_of(rules.forbidden);
  for (std::int64_t child = 0; child < nodes_; ++child) {
    counts_[at(child)] = static_cast<std::int64_t>(parents[at(child)].size());
    for (std::int64_t parent = 0; parent < nodes_; ++parent) {
      if (parent != child && !forbidden.has(child, parent)) allowed_.add(parent, child);
    }
  }
  find_paths();
  std::vector<std::int64_t> all(at(nodes_));
  std::iota(all.begin(), all.end(), 0);
  refresh(all);
}

template <class F>
void HillClimb::each_allowed(F&& f) const {
  std::vector<std::uint64_t> room(parents_.words(), 0);
  for (std::int64_t node = 0; node < nodes_; ++node) {
    if (has_room(node)) room[at(node) / 64] |= std::uint64_t{1} << (at(node) % 64);
  }
  for (std::int64_t a = 0; a < nodes_; ++a) {
    const auto may = allowed_[a], above = above_[a], has = children_[a];
    for (std::size_t w = 0; w < may.size(); ++w) {
      // An arrow to a node above this one would close a cycle.
      for (std::uint64_t left = (may[w] & ~above[w] & ~has[w] & room[w]) | has[w]; left != 0; left &= left - 1) {
        const auto b = static_cast<std::int64_t>(w * 64) + std::countr_zero(left);
        const bool is_arrow = has[w] >> (at(b) % 64) & 1;
        if (is_arrow && required_.has(b, a)) continue;
        if (f({is_arrow ? ArrowChange::remove : ArrowChange::add, a, b, gain(a, b)})) return;
      }
    }
  }
  for (std::int64_t tail = 0; tail < nodes_; ++tail) {
    if (!has_room(tail)) continue;
    const auto below = below_[tail];
    for (const std::int64_t head : members_of(children_[tail])) {
      if (!allowed_.has(head, tail) || required_.has(head, tail)) continue;
      // Reversing an arrow closes a cycle if and only if there is another path from its tail to its head.
      const auto up = parents_[head];
      if (has_other_than(tail, up.size(), [&](std::size_t w) { return up[w] & below[w]; })) continue;
      if (f({ArrowChange::reverse, tail, head, gain(tail, head) + gain(head, tail)})) return;
    }
  }
}

std::optional<ClimbStep> HillClimb::best() const {
  // Two passes, since the first of the equal ones is wanted: equal to the largest, not to one before it.
  std::vector<Arrow> left_out;
  for (;;) {
    const auto is_out = [&](const ClimbStep& step) {
      const Arrow arrow(step.parent, 2 * step.child + (step.change == ArrowChange::reverse ? 1 : 0));
      return !left_out.empty() && std::ranges::find(left_out, arrow) != left_out.end();
    };
    double most = -std::numeric_limits<double>::infinity();
    each_allowed([&](const ClimbStep& step) {
      if (step.gain > most && !is_out(step)) most = step.gain;
      return false;
    });
    if (std::isinf(most) && most < 0) return std::nullopt;
    check_interrupt();
    ClimbStep first{ArrowChange::add, 0, 0, most};
    each_allowed([&](const ClimbStep& step) {
      const bool is_good = step.gain >= most - tie_share * scale_ && !is_out(step);
      if (is_good) first = step;
      return is_good;
    });
    if (!is_remembered(first)) return first;
    left_out.emplace_back(first.parent, 2 * first.child + (first.change == ArrowChange::reverse ? 1 : 0));
  }
}

void HillClimb::make(const ClimbStep& step) {
  const auto [change, a, b, gained] = step;
  toggle(a, b);
  if (change == ArrowChange::reverse) toggle(b, a);
  if (change == ArrowChange::add) {
    // A new arrow only adds paths, those through it; where one is gone all are found again.
    for (const std::int64_t node : members_of(above_[a])) {
      for (std::size_t w = 0; w < below_.words(); ++w) below_[node][w] |= std::as_const(below_)[b][w];
    }
    for (const std::int64_t node : members_of(below_[b])) {
      for (std::size_t w = 0; w < above_.words(); ++w) above_[node][w] |= std::as_const(above_)[a][w];
    }
    refresh(std::array{b});
  } else {
    find_paths();
    change == ArrowChange::reverse ? refresh(std::array{b, a}) : refresh(std::array{b});
  }
}

void HillClimb::toggle(std::int64_t parent, std::int64_t child) {
  if (parents_.has(child, parent)) {
    parents_.remove(child, parent);
    children_.remove(parent, child);
    --counts_[at(child)];
  } else {
    parents_.add(child, parent);
    children_.add(parent, child);
    ++counts_[at(child)];
  }
  for (Arrows& differing : remembered_) {
    const auto [place, is_new] = differing.emplace(parent, child);
    if (!is_new) differing.erase(place);
  }
}

void HillClimb::remember(std::size_t most) {
  remembered_.emplace_back();
  if (remembered_.size() > most) remembered_.pop_front();
}

bool HillClimb::is_remembered(const ClimbStep& step) const {
  Arrows changed{{step.parent, step.child}};
  if (step.change == ArrowChange::reverse) changed.emplace(step.child, step.parent);
  return std::ranges::find(remembered_, changed) != remembered_.end();
}

std::int64_t HillClimb::count_allowed() const {
  std::int64_t count = 0;
  each_allowed([&](const ClimbStep& step) {
    count += step.gain > -std::numeric_limits<double>::infinity() ? 1 : 0;
    return false;
  });
  return count;
}

ClimbStep HillClimb::allowed(std::int64_t number) const {
  ClimbStep found{ArrowChange::add, 0, 0, 0.0};
  each_allowed([&](const ClimbStep& step) {
    if (!(step.gain > -std::numeric_limits<double>::infinity()) || number-- > 0) return false;
    found = step;
    return true;
  });
  return found;
}

double HillClimb::score() const {
  return std::accumulate(current_.begin(), current_.end(), 0.0);
}

// Scores the families of some variables, and those with each arrow to them toggled.
void HillClimb::refresh(std::span<const std::int64_t> children) {
  std::vector<std::vector<std::int64_t>> lists;  // of parents, and of those to be added
  std::vector<Growth> growths;
  std::size_t families = 0;
  for (const std::int64_t child : children) families += 2 + at(counts_[at(child)]);
  lists.reserve(families);
  for (const std::int64_t child : children) {
    const auto& parents = lists.emplace_back(members_of(parents_[child]));
    auto& added = lists.emplace_back();
    for (std::int64_t parent = 0; has_room(child) && parent < nodes_; ++parent) {
      if (allowed_.has(parent, child) && !parents_.has(child, parent)) added.push_back(parent);
    }
    growths.push_back({child, parents, added});
    for (const std::int64_t parent : parents) {
      auto& rest = lists.emplace_back(parents);
      std::erase(rest, parent);
      growths.push_back({child, rest, {}});
    }
  }
  std::vector<double> scores(scores_in(growths));
  scores_.score_all(growths, scores);
  auto score = scores.begin();
  auto growth = growths.begin();
  for (const std::int64_t child : children) {
    const double current = current_[at(child)] = *score++;
    const auto [self, parents, added] = *growth++;
    for (const std::int64_t parent : added) gain(parent, child) = *score++ - current;
    for (const std::int64_t parent : parents) {
      gain(parent, child) = *score++ - current;
      ++growth;
    }
  }
}

// The nodes above and below each node, parents first.
void HillClimb::find_paths() {
  above_ = below_ = NodeSets(nodes_);
  std::vector<std::int64_t> open = counts_, order;
  for (std::int64_t node = 0; node < nodes_; ++node) {
    if (open[at(node)] == 0) order.push_back(node);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::int64_t child : members_of(children_[order[i]])) {
      if (--open[at(child)] == 0) order.push_back(child);
    }
  }
  const auto spread = [&](NodeSets& reached, const NodeSets& next, std::int64_t node) {
    reached.add(node, node);
    for (const std::int64_t peer : members_of(next[node])) {
      for (std::size_t w = 0; w < reached.words(); ++w) reached[node][w] |= std::as_const(reached)[peer][w];
    }
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    spread(above_, parents_, order[i]);
    spread(below_, children_, order[order.size() - 1 - i]);
  }
}

}  // namespace deciban
