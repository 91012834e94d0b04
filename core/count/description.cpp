#include "count/description.hpp"

#include <algorithm>
#include <numbers>

#include "run/instruction_set.hpp"
#include "run/interrupt.hpp"

namespace deciban {
namespace {

constexpr double most_in_table = 1 << 17;

// The classes of a range of values, from the sums below its ends: n·H in bits, n, and how many classes occur.
struct Mix {
  Mix(const double* low, const double* high, std::size_t classes, const XLog2& x_log2) {
    double logs = 0.0;
    for (std::size_t j = 0; j < classes; ++j) {
      const double n = high[j] - low[j];
      total += n;
      logs += x_log2(n);
      kinds += static_cast<int>(n > 0.0);
    }
    bits = x_log2(total) - logs;
  }
  double entropy() const { return total > 0.0 ? bits / total : 0.0; }

  double bits = 0.0, total = 0.0;
  int kinds = 0;
};

// By how many bits a split can gain on another one with one row, while some rows are added.
class Steps {
 public:
  Steps(std::size_t classes, double rows) : classes_(classes), rows_(rows) {}

  // Where the row may fall into the half [low, high) of the split and into [other_low, other_high) of the other.
  void add(const double* low, const double* high, const double* other_low, const double* other_high) {
    double n = 0.0, other = 0.0;
    for (std::size_t j = 0; j < classes_; ++j) {
      n += high[j] - low[j];
      other += other_high[j] - other_low[j];
    }
    for (std::size_t j = 0; j < classes_; ++j) {
      const double of_class = high[j] - low[j],
                   of_other = std::max(other_high[j] - other_low[j], 1.0 / std::numbers::e);
      const double ratio =
          (other + rows_ + 1.0) * (of_class + rows_ + 1.0) / (of_other * std::max(n, 1.0 / std::numbers::e));
      ratio_ = std::max(ratio_, ratio);
    }
  }
  double largest() const { return std::log2(ratio_); }

 private:
  std::size_t classes_;
  double rows_, ratio_ = 1.0;
};

// The bits of both halves of a range, n·H of the one and of the other, for some splits of it, or for all where `splits`
// is null. `sums` are those below each value of the range and of all; the first value of the range is `first`.
void costs_of_any(std::span<const double> sums, std::size_t classes, const XLog2& x_log2, const std::size_t* splits,
                  std::size_t first, std::span<double> costs) {
  const double* const low = sums.data();
  const double* const high = &sums[sums.size() - classes];
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::size_t v = splits == nullptr ? i : splits[i] - first;
    const double* const middle = &sums[(v + 1) * classes];
    costs[i] = Mix(low, middle, classes, x_log2).bits + Mix(middle, high, classes, x_log2).bits;
  }
}

// The same for two classes, the usual number, and whole counts, whose logarithms are all in the table.
void costs_of_two(std::span<const double> sums, const double* x_log2, const std::size_t* splits, std::size_t first,
                  std::span<double> costs) {
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    const double low0 = sums[0], low1 = sums[1];
    const double whole0 = sums[sums.size() - 2] - low0, whole1 = sums[sums.size() - 1] - low1;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const std::size_t v = splits == nullptr ? i : splits[i] - first;
      const double left0 = sums[2 * v + 2] - low0, left1 = sums[2 * v + 3] - low1;
      const auto at = [x_log2](double n) { return x_log2[static_cast<std::int32_t>(n)]; };
      const double left = at(left0 + left1) - at(left0) - at(left1);
      const double right0 = whole0 - left0, right1 = whole1 - left1;
      costs[i] = left + (at(right0 + right1) - at(right0) - at(right1));
    }
  });
}

}  // namespace

void XLog2::reserve(double largest) {
  const auto wanted = static_cast<std::size_t>(std::min(largest, most_in_table)) + 1;
  const std::size_t filled = table_.size();
  if (wanted <= filled) return;
  table_.resize(std::max(wanted, std::min(filled + filled / 2, static_cast<std::size_t>(most_in_table) + 1)));
  for (std::size_t n = filled; n < table_.size(); ++n) {
    const auto x = static_cast<double>(n);
    table_[n] = n == 0 ? 0.0 : x * std::log2(x);
  }
  end_ = static_cast<double>(table_.size());
}

std::size_t DescriptionSplitter::split(std::span<const double> below, std::size_t first, std::size_t last) {
  if (last - first < 2) return last;
  check_interrupt();
  const std::size_t best = first + cheapest(below, first, last, nullptr, last - first - 1);
  return pays(below, first, best + 1, last) ? best : last;
}

std::size_t DescriptionSplitter::split_among(std::span<const double> below, std::size_t first, std::size_t last,
                                             std::span<const std::size_t> splits) {
  if (splits.empty()) return last;
  const std::size_t best = splits[cheapest(below, first, last, splits.data(), splits.size())];
  return pays(below, first, best + 1, last) ? best : last;
}

// The first of the cheapest of some splits, or of all where `splits` is null.
std::size_t DescriptionSplitter::cheapest(std::span<const double> below, std::size_t first, std::size_t last,
                                          const std::size_t* splits, std::size_t count) {
  const std::span<const double> sums = below.subspan(first * classes_, (last - first + 1) * classes_);
  costs_.resize(count);
  double total = 0.0;
  for (std::size_t j = 0; j < classes_; ++j) total += sums[sums.size() - classes_ + j] - sums[j];
  if (classes_ == 2 && total < x_log2_.end()) {
    costs_of_two(sums, x_log2_.table(), splits, first, costs_);
  } else {
    costs_of_any(sums, classes_, x_log2_, splits, first, costs_);
  }
  const double most = std::ranges::min(costs_) + tie_ * total;
  const auto is_least = [most](double cost) { return cost <= most; };
  return static_cast<std::size_t>(std::ranges::find_if(costs_, is_least) - costs_.begin());
}

// True where the gain of a split at `end` is larger than what it costs to describe it.
bool DescriptionSplitter::pays(std::span<const double> below, std::size_t first, std::size_t end,
                               std::size_t last) const {
  const auto mix = [&](std::size_t from, std::size_t to) {
    return Mix(&below[from * classes_], &below[to * classes_], classes_, x_log2_);
  };
  const Mix whole = mix(first, last), left = mix(first, end), right = mix(end, last);
  const double n = whole.total;
  const double gain = whole.entropy() - (left.bits + right.bits) / n;
  double choices = whole.kinds * std::log2(3.0) + std::log1p(-2.0 * std::pow(3.0, -whole.kinds)) / std::log(2.0);
  choices -= whole.kinds * whole.entropy() - left.kinds * left.entropy() - right.kinds * right.entropy();
  return gain > (std::log2(std::max(n - 1.0, 1.0)) + choices) / n;
}

// Bounds for each split c, with bits(S) = h(n) − Σ_j h(n_j), h(x) = x·log₂ x, for the rows S of a half. A row of class
// j adds g(n) − g(n_j) to it, where g(x) = h(x + 1) − h(x) lies between log₂ x + log₂ e and log₂ (x + 1) + log₂ e. So
// while m rows are added, the cost of c falls in each step by at most
//
//     log₂ ((n' + m + 1)·(n_j + m + 1) / (n'_j·n))
//
// more than that of a reference, where n and n' are the rows of the half of c and of the reference that the row falls
// into. The reference is the best split, if it pays. Otherwise it is the whole range, which costs what it gains nothing
// from: a split that pays gains more than log₂ (n − 1) + log₂ (3^k − 2) − (k − 2)·log₂ k − 2·gain/n bits, since one of
// the halves has at least the entropy H − gain/n, and two kinds of classes.
std::vector<std::size_t> DescriptionSplitter::watch(std::span<const double> below, std::size_t first, std::size_t last,
                                                    std::size_t best, std::size_t rows) const {
  if (last - first < 2) return {};
  const double m = static_cast<double>(rows);
  const double* const low = &below[first * classes_];
  const double* const high = &below[last * classes_];
  const Mix whole(low, high, classes_, x_log2_);
  const bool is_split = best != last;
  const double close = tie_ * (whole.total + m);
  const auto k = static_cast<double>(classes_);
  const double price = std::log2(std::max(whole.total - 1.0, 1.0)) + std::log2(std::pow(3.0, whole.kinds) - 2.0) -
                       (k - 2.0) * std::log2(k);
  const double* const middle = &below[(best + 1 < last ? best + 1 : last) * classes_];
  std::vector<std::size_t> watched;
  for (std::size_t v = first; v + 1 < last; ++v) {
    const double* const end = &below[(v + 1) * classes_];
    Steps steps(classes_, m);
    double slack = 0.0;
    if (is_split) {
      slack = costs_[v - first] - costs_[best - first] - close;
      steps.add(low, end, low, middle);
      steps.add(end, high, middle, high);
      if (v < best) steps.add(end, high, low, middle);
      if (v > best) steps.add(low, end, middle, high);
    } else {
      slack = price - (whole.bits - costs_[v - first]) * (1.0 + 2.0 / whole.total) - close;
      steps.add(low, end, low, high);
      steps.add(end, high, low, high);
    }
    if (v == best || !(slack > m * (1.0 + 2.0 / whole.total) * steps.largest())) watched.push_back(v);
  }
  return watched;
}

std::vector<std::int64_t> description_cuts(std::span<const double> counts, std::int64_t classes, double tie) {
  const auto width = static_cast<std::size_t>(classes);
  std::vector<double> below(counts.size() + width);
  for (std::size_t i = 0; i < counts.size(); ++i) below[i + width] = below[i] + counts[i];
  DescriptionSplitter splitter(width, tie);
  struct Range {
    std::size_t first, last;
  };
  std::vector<Range> pending{{0, counts.size() / width}};  // a list: recursion could be as deep as there are values
  std::vector<std::int64_t> ends;
  while (!pending.empty()) {
    const auto [first, last] = pending.back();
    pending.pop_back();
    const std::size_t best = splitter.split(below, first, last);
    if (best == last) continue;
    ends.push_back(static_cast<std::int64_t>(best));
    pending.push_back({first, best + 1});
    pending.push_back({best + 1, last});
  }
  std::ranges::sort(ends);
  return ends;
}

}  // namespace deciban
