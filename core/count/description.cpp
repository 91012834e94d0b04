#include "count/description.hpp"

#include <algorithm>
#include <limits>

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
  const std::size_t best = classes_ == 2 ? cheapest<2>(below, first, last) : cheapest<0>(below, first, last);
  return pays(below, first, best + 1, last) ? best : last;
}

// The last value of the left half of the first of the cheapest splits. `Classes` is their number, or 0 for any.
template <std::size_t Classes>
std::size_t DescriptionSplitter::cheapest(std::span<const double> below, std::size_t first, std::size_t last) {
  const std::size_t classes = Classes == 0 ? classes_ : Classes;
  const double* const low = &below[first * classes];
  const double* const high = &below[last * classes];
  costs_.resize(last - first - 1);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t v = first; v + 1 < last; ++v) {
    if (v % 64 == 0) check_interrupt();
    const double* const middle = &below[(v + 1) * classes];
    double left = 0.0, right = 0.0, logs = 0.0;
    for (std::size_t j = 0; j < classes; ++j) {
      const double n_left = middle[j] - low[j], n_right = high[j] - middle[j];
      left += n_left;
      right += n_right;
      logs += x_log2_(n_left) + x_log2_(n_right);
    }
    const double cost = x_log2_(left) + x_log2_(right) - logs;
    costs_[v - first] = cost;
    least = std::min(least, cost);
  }
  double total = 0.0;
  for (std::size_t j = 0; j < classes; ++j) total += high[j] - low[j];
  const double most = least + tie_ * total;
  const auto is_least = [most](double cost) { return cost <= most; };
  return first + static_cast<std::size_t>(std::find_if(costs_.begin(), costs_.end(), is_least) - costs_.begin());
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

std::vector<std::int64_t> description_cuts(std::span<const double> counts, std::int64_t classes, double tie) {
  const auto width = static_cast<std::size_t>(classes);
  std::vector<double> below(counts.size() + width);
  for (std::size_t i = 0; i < counts.size(); ++i) below[i + width] = below[i] + counts[i];
  DescriptionSplitter splitter(width, tie);
  struct Range {
    std::size_t first, last;
  };
  std::vector<Range> todo{{0, counts.size() / width}};  // a list: recursion could be as deep as there are values
  std::vector<std::int64_t> ends;
  while (!todo.empty()) {
    const auto [first, last] = todo.back();
    todo.pop_back();
    const std::size_t best = splitter.split(below, first, last);
    if (best == last) continue;
    ends.push_back(static_cast<std::int64_t>(best));
    todo.push_back({first, best + 1});
    todo.push_back({best + 1, last});
  }
  std::ranges::sort(ends);
  return ends;
}

}  // namespace deciban
