// The plan for a row: the axes that are not observed, the layout of the tables, and the groups of cliques for threads.
#include <algorithm>
#include <new>
#include <numeric>

#include "infer/propagate.hpp"
#include "run/at.hpp"

namespace deciban {
void Propagator::plan() {
  axes_.clear();
  for (std::size_t k = 0; k < live_.size(); ++k) {
    live_[k] = {};
    find_axes(k);
  }
  find_evidence();
  find_ones();
  make_groups();
  const std::size_t needed = lay_out_tables();
  if (arena_.size() < needed) {
    arena_ = {};
    arena_ = RawPages<double>(needed);
  }
}

void Propagator::find_evidence() {
  for (std::size_t v = 0; v < tree_.nodes(); ++v) {
    if (row_.codes[v] >= 0 && tree_.cards()[v] > 1 && tree_.top(static_cast<Node>(v)) >= 0) {
      live_[at(tree_.top(static_cast<Node>(v)))].has_evidence = true;
    }
  }
  for (const Likelihood& seen : row_.likelihoods) {
    if (row_.codes[at(seen.node)] < 0) live_[at(tree_.top(seen.node))].has_evidence = true;
  }
  for (std::size_t k = 0; k < live_.size(); ++k) {
    const std::int32_t parent = tree_.cliques()[k].parent;
    if (parent >= 0 && live_[k].has_evidence) live_[at(parent)].has_evidence = true;
  }
}

void Propagator::find_axes(std::size_t k) {
  constexpr double most_cells = 0x1p44;
  const Clique& clique = tree_.cliques()[k];
  Live& live = live_[k];
  live.first = axes_.size();
  double cells = 1.0;
  for (std::size_t i = 0; i < clique.axes.size(); ++i) {
    const Axis axis = clique.axes[i];
    if (row_.codes[at(axis.node)] >= 0) continue;
    axes_.push_back(axis);
    ++live.count;
    if (i < clique.own) ++live.own;
    cells *= axis.size;
  }
  if (cells > most_cells) throw std::bad_alloc();
  live.cells = cells_of(axes_of(k));
  live.shared = cells_of(shared_of(k));
}

// Messages, then tables: all of them where they are read again; else every table uses the same memory.
std::size_t Propagator::lay_out_tables() {
  std::size_t end = 0;
  for (Live& live : live_) {
    live.message = end;
    end += static_cast<std::size_t>(live.shared);
  }
  const std::size_t first = end;
  for (Live& live : live_) {
    const auto cells = static_cast<std::size_t>(live.cells);
    live.table = answer_ == Answer::probability ? first : end;
    end = answer_ == Answer::probability ? std::max(end, first + cells) : end + cells;
  }
  return end;
}

// For P(e) alone, nothing below a message of 1 needs to be computed either.
void Propagator::find_ones() {
  if (answer_ == Answer::best || answer_ == Answer::draws) return;  // every table is read
  for (std::size_t k = live_.size(); k-- > 0;) {
    const Clique& clique = tree_.cliques()[k];
    const bool is_below = answer_ == Answer::probability && clique.parent >= 0 && live_[at(clique.parent)].is_one;
    const bool sums = answer_ == Answer::probability ? clique.sums_to_one : clique.all_sum_to_one;
    live_[k].is_one = is_below || (sums && !live_[k].has_evidence);
  }
}

// Large rows: subtrees of at most an eighth of the work each go to groups that run in parallel; the cliques above them
// are the last group. The groups, and so the results, depend on the tables alone.
void Propagator::make_groups() {
  constexpr double worth_sharing = 2e6;
  constexpr std::size_t most_groups = 8;
  const std::vector<Clique>& cliques = tree_.cliques();
  std::vector<double> below(live_.size());
  double total = 0.0;
  for (std::size_t k = 0; k < live_.size(); ++k) {
    below[k] += static_cast<double>(live_[k].cells);
    total += static_cast<double>(live_[k].cells);
    if (cliques[k].parent >= 0) below[at(cliques[k].parent)] += below[k];
  }
  const bool is_shared = total >= worth_sharing && answer_ != Answer::probability;
  groups_.resize(is_shared ? most_groups + 1 : 1);
  scratch_.resize(std::max(scratch_.size(), groups_.size()));
  for (std::vector<std::size_t>& group : groups_) group.clear();
  std::vector<double> load(top_group(), 0.0);
  std::vector<std::size_t> group_of(live_.size(), top_group());
  for (std::size_t k = live_.size(); k-- > 0;) {
    const std::int32_t parent = cliques[k].parent;
    if (parent >= 0 && group_of[at(parent)] != top_group()) {
      group_of[k] = group_of[at(parent)];
    } else if (is_shared && below[k] <= total / most_groups) {
      group_of[k] = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
      load[group_of[k]] += below[k];
    }
  }
  for (std::size_t k = 0; k < live_.size(); ++k) groups_[group_of[k]].push_back(k);
}

}  // namespace deciban
