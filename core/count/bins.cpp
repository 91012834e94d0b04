#include "count/bins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "run/interrupt.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

double x_log2(double x) {
  return x > 0.0 ? x * std::log2(x) : 0.0;
}

// The classes of a range of values: Σ n_j, Σ n_j·log₂ n_j, and how many n_j are not 0.
struct Mix {
  explicit Mix(std::size_t classes) : counts(classes) {}

  void add(std::size_t j, double n) {
    const double before = counts[j];
    counts[j] = std::max(before + n, 0.0);
    total += n;
    logs += x_log2(counts[j]) - x_log2(before);
    kinds += static_cast<int>(counts[j] > 0.0) - static_cast<int>(before > 0.0);
  }
  // total × entropy in bits.
  double bits() const { return x_log2(total) - logs; }
  double entropy() const { return total > 0.0 ? bits() / total : 0.0; }

  std::vector<double> counts;
  double total = 0.0, logs = 0.0;
  int kinds = 0;
};

class Cutter {
 public:
  Cutter(std::span<const double> counts, std::int64_t classes, double tie)
      : counts_(counts), classes_(static_cast<std::size_t>(classes)), tie_(tie) {}

  // Splits until no split is worth its cost, and puts the last value of each left half into `ends`. The ranges still to
  // be split are kept in a list: recursion could be as deep as there are values.
  void cut(std::size_t first, std::size_t last, std::vector<std::int64_t>& ends) {
    std::vector<Range> todo{{first, last}};
    while (!todo.empty()) {
      const Range range = todo.back();
      todo.pop_back();
      const std::size_t best = cut_once(range);
      if (best == range.last) continue;
      ends.push_back(static_cast<std::int64_t>(best));
      todo.push_back({range.first, best + 1});
      todo.push_back({best + 1, range.last});
    }
    std::sort(ends.begin(), ends.end());
  }

 private:
  struct Range {
    std::size_t first, last;
  };

  // The last value of the left half; the end of the range where no split is worth its cost.
  std::size_t cut_once(const Range& range) {
    const auto [first, last] = range;
    if (last - first < 2) return last;
    Mix whole(classes_);
    for (std::size_t v = first; v < last; ++v) move(v, 1.0, whole);
    const std::size_t best = cheapest(first, last, whole);
    Mix left(classes_), right(classes_);
    for (std::size_t v = first; v < last; ++v) move(v, 1.0, v <= best ? left : right);
    return pays(whole, left, right) ? best : last;
  }

  void move(std::size_t v, double sign, Mix& mix) const {
    for (std::size_t j = 0; j < classes_; ++j) {
      const double n = counts_[v * classes_ + j];
      if (n != 0.0) mix.add(j, sign * n);
    }
  }

  // The last value of the left half of the first of the cheapest splits.
  std::size_t cheapest(std::size_t first, std::size_t last, const Mix& whole) {
    Mix left(classes_), right = whole;
    costs_.clear();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = first; v + 1 < last; ++v) {
      check_interrupt();
      move(v, 1.0, left);
      move(v, -1.0, right);
      costs_.push_back((left.bits() + right.bits()) / whole.total);
      least = std::min(least, costs_.back());
    }
    const auto is_least = [&](double cost) { return cost <= least + tie_; };
    return first + static_cast<std::size_t>(std::find_if(costs_.begin(), costs_.end(), is_least) - costs_.begin());
  }

  static bool pays(const Mix& whole, const Mix& left, const Mix& right) {
    const double n = whole.total;
    const double gain = whole.entropy() - (left.bits() + right.bits()) / n;
    double choices = whole.kinds * std::log2(3.0) + std::log1p(-2.0 * std::pow(3.0, -whole.kinds)) / std::log(2.0);
    choices -= whole.kinds * whole.entropy() - left.kinds * left.entropy() - right.kinds * right.entropy();
    return gain > (std::log2(std::max(n - 1.0, 1.0)) + choices) / n;
  }

  std::span<const double> counts_;
  std::size_t classes_;
  double tie_;
  std::vector<double> costs_;
};

}  // namespace

std::vector<std::int64_t> description_cuts(std::span<const double> counts, std::int64_t classes, double tie) {
  std::vector<std::int64_t> ends;
  Cutter(counts, classes, tie).cut(0, counts.size() / static_cast<std::size_t>(classes), ends);
  return ends;
}

void add_bins(std::span<const double> x, std::span<const double> cuts, std::span<const double> table,
              std::span<double> out, std::int64_t classes) {
  const Stripes cut = stripes(static_cast<std::int64_t>(x.size()), 8, 0);
  const auto width = static_cast<std::size_t>(classes);
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto last = static_cast<std::size_t>(cut.end(s));
    for (auto r = static_cast<std::size_t>(cut.begin(s)); r < last; ++r) {
      if (std::isnan(x[r])) continue;
      const auto bin = static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), x[r]) - cuts.begin());
      for (std::size_t j = 0; j < width; ++j) out[r * width + j] += table[bin * width + j];
    }
  });
}

}  // namespace deciban
