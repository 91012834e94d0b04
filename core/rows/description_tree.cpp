#include "rows/description_tree.hpp"

#include <algorithm>
#include <utility>

namespace deciban {
namespace {

constexpr std::size_t rows_ahead = 24;

}  // namespace

void DescriptionTree::touch(std::size_t value) {
  std::size_t r = ranges_.empty() ? none : 0;
  while (r != none) {
    Range& range = ranges_[r];
    range.is_stale = true;
    if (range.rows_left > 0) --range.rows_left;
    r = value <= range.best ? range.left : range.right;
  }
}

// The range with its best split: as it was where no row was added, else of the splits that are watched, or of all.
DescriptionTree::Range DescriptionTree::settled(const Pending& pending, std::span<const double> below) {
  if (pending.known == none) return {pending.first, pending.last, splitter_.split(below, pending.first, pending.last)};
  Range range = std::move(ranges_[pending.known]);
  range.left = range.right = none;
  if (!range.is_stale) return range;
  range.is_stale = false;
  if (range.rows_left > 0 && range.is_watched) {
    range.best = splitter_.split_among(below, range.first, range.last, range.watched);
    return range;
  }
  range.best = splitter_.split(below, range.first, range.last);
  if (range.rows_left == 0) {
    range.watched = splitter_.watch(below, range.first, range.last, range.best, rows_ahead);
    range.is_watched = range.watched.size() < (range.last - range.first) / 4;
    range.rows_left = rows_ahead;
  }
  return range;
}

std::vector<std::size_t> DescriptionTree::ends(std::span<const double> below, std::size_t values) {
  std::vector<Range> tree;
  std::vector<Pending> pending{{0, values, ranges_.empty() ? none : 0, none, false}};
  std::vector<std::size_t> ends;
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    const bool is_known = next.known != none;
    const std::size_t former = is_known ? ranges_[next.known].best : none, at = tree.size();
    const std::size_t former_left = is_known ? ranges_[next.known].left : none;
    const std::size_t former_right = is_known ? ranges_[next.known].right : none;
    tree.push_back(settled(next, below));
    if (next.parent != none) (next.is_left ? tree[next.parent].left : tree[next.parent].right) = at;
    const std::size_t best = tree[at].best;
    if (best == next.last) continue;
    ends.push_back(best);
    const bool is_same = best == former;
    pending.push_back({next.first, best + 1, is_same ? former_left : none, at, true});
    pending.push_back({best + 1, next.last, is_same ? former_right : none, at, false});
  }
  ranges_ = std::move(tree);
  std::ranges::sort(ends);
  return ends;
}

}  // namespace deciban
