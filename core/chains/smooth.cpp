#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "chains/levels.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/lanes_math.hpp"
#include "run/ties.hpp"

namespace deciban {
namespace {

constexpr int weakest = -2, strongest = 10, first_tried = 2;  // exponents of 2

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

template <class Set>
DECIBAN_INLINE void logs_of(double* x, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes) put_vector(x + i, log_lanes<Set>(lanes_at<Set>(x + i)));
}

template <class Set>
DECIBAN_INLINE double sum_of_logs(const double* n, const double* m, const double* prior, double s, std::size_t count) {
  Lanes<Set> sum{};
  for (std::size_t i = 0; i < count; i += lanes) {
    sum += lanes_at<Set>(n + i) * log_lanes<Set>(lanes_at<Set>(m + i) + s * lanes_at<Set>(prior + i));
  }
  return sum_lanes(sum);
}

// One level, cell by cell: (n + s·below) / (sum + s), and without one row where there is one.
struct Cells {
  const double *counts, *sums, *below, *below_left;
  double *whole, *left;  // left is null where it is not wanted
  double strength, unit;
  std::size_t count;
};

DECIBAN_INLINE void shrink_cells(const Cells& at) {
  const double s = at.strength, unit = at.unit;
  if (at.left == nullptr) {
    for (std::size_t i = 0; i < at.count; ++i) at.whole[i] = (at.counts[i] + s * at.below[i]) / (at.sums[i] + s);
    return;
  }
  for (std::size_t i = 0; i < at.count; ++i) {
    const double n = at.counts[i], all = (n + s * at.below[i]) / (at.sums[i] + s);
    const double without = (larger(n - unit, 0.0) + s * at.below_left[i]) / (larger(at.sums[i] - unit, 0.0) + s);
    at.whole[i] = all;
    at.left[i] = n > 0.0 ? without : all;
  }
}

}  // namespace

void take_logs(std::span<double> x) {
  const std::size_t most = x.size() / lanes * lanes;
  std::array<double, lanes> rest;
  rest.fill(1.0);
  std::copy(x.data() + most, x.data() + x.size(), rest.begin());
  on_instruction_set([=, of_rest = rest.data()](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    logs_of<Set>(x.data(), most);
    put_vector(of_rest, log_lanes<Set>(lanes_at<Set>(of_rest)));
  });
  std::copy_n(rest.begin(), x.size() - most, x.data() + most);
}

void ChainLevels::Terms::clear() {
  n.clear();
  m.clear();
  prior.clear();
}

void ChainLevels::Terms::add(double count, double rest, double of_prior) {
  n.push_back(count);
  m.push_back(rest);
  prior.push_back(of_prior);
}

// To whole vectors, by terms of 0·log 1.
void ChainLevels::Terms::pad() {
  while (n.size() % lanes != 0) add(0.0, 1.0, 0.0);
}

double ChainLevels::Terms::sum(double strength) const {
  return on_instruction_set([=, this](auto set) DECIBAN_INLINE_LAMBDA {
    return sum_of_logs<decltype(set)>(n.data(), m.data(), prior.data(), strength, n.size());
  });
}

void ChainLevels::smooth(const Chains& chains, std::size_t chain, const ChainCounts& counts, std::size_t start_of,
                         std::size_t used, std::span<const double> given) {
  sizes_.clear();
  for (const std::int32_t c : chains.columns[chain]) sizes_.push_back(chains.sizes[at(c)]);
  row_ = at(sizes_.back()) * classes_;
  if (levels_.size() < sizes_.size()) levels_.resize(sizes_.size());
  copy_counts(counts, start_of);
  for (std::size_t l = sizes_.size() - 1; l-- > 0;) sum_out(l);
  start();
  strengths_.clear();
  for (std::size_t l = 0; l < used; ++l) {
    const bool is_left = given.empty();
    spread(l, is_left);
    strengths_.push_back(is_left ? best_strength(l) : given[l]);
    shrink(l, strengths_.back(), is_left);
  }
}

void ChainLevels::copy_counts(const ChainCounts& counts, std::size_t start_of) {
  std::size_t cells = classes_;
  for (const std::int64_t states : sizes_) cells *= at(states);
  std::vector<double>& to = levels_[sizes_.size() - 1].counts;
  to.resize(cells);
  std::visit(
      [&](const auto& all) {
        std::ranges::transform(all.subspan(start_of, cells), to.begin(), [](auto n) { return static_cast<double>(n); });
      },
      counts);
}

// Sums the counts of the next level over its last parent.
void ChainLevels::sum_out(std::size_t level) {
  const std::vector<double>& from = levels_[level + 1].counts;
  std::vector<double>& to = levels_[level].counts;
  const std::size_t states = at(sizes_[level]), parents = states > 0 && row_ > 0 ? from.size() / (states * row_) : 0;
  to.assign(parents * row_, 0.0);
  for (std::size_t p = 0; p < parents; ++p) {
    for (std::size_t v = 0; v < states; ++v) {
      const double* source = from.data() + (p * states + v) * row_;
      for (std::size_t i = 0; i < row_; ++i) to[p * row_ + i] += source[i];
    }
  }
}

// P_(−1): the same for all classes.
void ChainLevels::start() {
  base_.resize(row_);
  base_left_.resize(row_);
  const std::vector<double>& counts = levels_[0].counts;
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0), states = static_cast<double>(sizes_.back());
  for (std::size_t x = 0; x < row_; x += classes_) {
    const double n = std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(x),
                                     counts.begin() + static_cast<std::ptrdiff_t>(x + classes_), 0.0);
    const double left = (std::max(n - unit_, 0.0) + 1.0) / (std::max(total - unit_, 0.0) + states);
    std::fill_n(base_.begin() + static_cast<std::ptrdiff_t>(x), classes_, (n + 1.0) / (total + states));
    std::fill_n(base_left_.begin() + static_cast<std::ptrdiff_t>(x), classes_, left);
  }
}

// Lays what the cells of a level are computed from side by side: the counts of their parents, and the level below.
void ChainLevels::spread(std::size_t level, bool is_left) {
  const std::vector<double>& counts = levels_[level].counts;
  const std::size_t parents = row_ > 0 ? counts.size() / row_ : 0, states = level > 0 ? at(sizes_[level - 1]) : 1;
  const double* below = level > 0 ? levels_[level - 1].whole.data() : base_.data();
  const double* below_left = level > 0 ? levels_[level - 1].left.data() : base_left_.data();
  sums_.assign(parents * classes_, 0.0);
  of_cell_.resize(counts.size());
  below_.resize(counts.size());
  if (is_left) below_left_.resize(counts.size());
  for (std::size_t p = 0; p < parents; ++p) {
    const std::size_t first = p * row_, lower = p / states * row_;
    double* sum = sums_.data() + p * classes_;
    for (std::size_t i = 0; i < row_; i += classes_) {
      for (std::size_t c = 0; c < classes_; ++c) sum[c] += counts[first + i + c];
    }
    for (std::size_t i = 0; i < row_; i += classes_) std::copy_n(sum, classes_, of_cell_.data() + first + i);
    std::copy_n(below + lower, row_, below_.data() + first);
    if (is_left) std::copy_n(below_left + lower, row_, below_left_.data() + first);
  }
}

// The power of 2 that maximizes the leave-one-out likelihood, found by climbing:
//
//   Σ n·log((n − unit + s·P) / (sum − unit + s)),  P the level below without the row
//
// The numerator of a cell of one row is s·P, whose logarithm is computed once for all s; the denominators are those of
// the parents.
double ChainLevels::best_strength(std::size_t level) {
  const std::vector<double>& counts = levels_[level].counts;
  several_.clear();
  single_.clear();
  totals_.clear();
  double rows = 0.0, singles = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!(counts[i] > 0.0)) continue;
    if (counts[i] > unit_) {
      several_.add(counts[i], counts[i] - unit_, below_left_[i]);
    } else {
      single_.add(counts[i], 0.0, below_left_[i]);
      singles += counts[i];
    }
  }
  for (const double sum : sums_) {
    rows += sum;
    if (sum > 0.0) totals_.add(sum, std::max(sum - unit_, 0.0), 1.0);
  }
  for (Terms* terms : {&several_, &single_, &totals_}) terms->pad();
  const double of_singles = single_.sum(1.0);
  const auto likelihood = [&](int exponent) {
    const double s = std::ldexp(1.0, exponent);
    return of_singles + singles * std::log(s) + several_.sum(s) - totals_.sum(s);
  };
  int best = first_tried;
  double top = likelihood(best);
  for (const int step : {1, -1}) {
    bool is_better = false;
    for (int e = best + step; e >= weakest && e <= strongest; e += step) {
      const double found = likelihood(e);
      if (!exceeds(found, top, std::max(rows, 1.0))) break;
      top = found;
      best = e;
      is_better = true;
    }
    if (is_better) break;
  }
  return std::ldexp(1.0, best);
}

void ChainLevels::shrink(std::size_t level, double strength, bool is_left) {
  Level& of = levels_[level];
  of.whole.resize(of.counts.size());
  if (is_left) of.left.resize(of.counts.size());
  const Cells cells{of.counts.data(),   of_cell_.data(), below_.data(),
                    below_left_.data(), of.whole.data(), is_left ? of.left.data() : nullptr,
                    strength,           unit_,           of.counts.size()};
  on_instruction_set([cells](auto) DECIBAN_INLINE_LAMBDA { shrink_cells(cells); });
}

}  // namespace deciban
