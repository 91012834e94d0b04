#include "weigh/margins.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace deciban {
namespace {

constexpr double rounding = 1e-9;  // a share below this is what rounding leaves of 0
constexpr double infinity = std::numeric_limits<double>::infinity();

// whole − part, 0 where rounding alone would leave something.
double left_of(double whole, double part) {
  const double left = whole - part;
  return left <= rounding * std::abs(whole) ? 0.0 : left;
}

float margin(double other, double own) {
  const double away = other - own;  // not a number where both are −∞
  return std::isnan(away) ? 0.0f : static_cast<float>(std::clamp(away, -furthest, furthest));
}

// Adds, for each row, the margins of the other classes. `own(r)` is the log-probability in the row's own class, and
// `other(j, r)` that in class j; a row of which `skipped(r)` holds adds nothing.
template <class Own, class Other, class Skipped>
void add(const LeftOut& rows, std::int64_t column, const Margins& out, Own&& own, Other&& other, Skipped&& skipped) {
  const auto count = static_cast<std::int64_t>(rows.y.size());
  for (std::int64_t block = 0; block < margin_blocks(count); ++block) {
    const std::int64_t first = block * margin_rows, in_block = std::min(margin_rows, count - first);
    for (std::int64_t i = 0; i < in_block; ++i) {
      const auto r = static_cast<std::size_t>(first + i);
      if (skipped(r)) continue;
      const double of_own = own(r);
      for (std::int64_t o = 0; o + 1 < out.classes; ++o) {
        const std::int64_t j = o < rows.y[r] ? o : o + 1;
        out.at(block, o, column)[i] += margin(other(j, r), of_own);
      }
    }
  }
}

// log(1 + x): the first terms of its series where they are enough.
double log_near_one(double x) {
  return std::abs(x) < 1e-3 ? x - 0.5 * x * x : std::log1p(x);
}

double log_share(double part, double whole, double states) {
  return whole > 0.0 ? std::log(part) - std::log(whole) : -std::log(std::max(states, 1.0));
}

}  // namespace

void add_log_margins(std::span<const double> logs, const LeftOut& rows, std::int64_t column, const Margins& out) {
  const auto at = [&](std::int64_t j, std::size_t r) {
    return logs[r * static_cast<std::size_t>(out.classes) + static_cast<std::size_t>(j)];
  };
  add(rows, column, out, [&](std::size_t r) { return at(rows.y[r], r); }, at, [](std::size_t) { return false; });
}

void add_count_margins(const CountedColumn& x, const LeftOut& rows, std::int64_t column, const Margins& out) {
  const std::size_t states = x.pseudo.size(), classes = static_cast<std::size_t>(out.classes);
  std::vector<double> of_class(classes), of_state(states), log_alone(classes);
  for (std::size_t j = 0; j < classes; ++j) {
    for (std::size_t v = 0; v < states; ++v) {
      of_class[j] += x.counts[j * states + v];
      of_state[v] += x.counts[j * states + v];
    }
    log_alone[j] = std::log(of_class[j] + x.added_alone);
  }
  const auto states_given = static_cast<double>(states);
  const auto log_of = [&](std::size_t j, std::size_t v) {
    return log_share(x.counts[j * states + v] + x.pseudo[v], of_class[j] + x.added, states_given);
  };
  const bool is_small = states <= rows.y.size();
  std::vector<double> table(is_small ? classes * states : 0);  // the logarithms, where rows share them
  if (is_small) {
    for (std::size_t j = 0; j < classes; ++j) {
      for (std::size_t v = 0; v < states; ++v) table[j * states + v] = log_of(j, v);
    }
  }
  const bool states_vary = !std::isnan(x.added_alone);
  std::vector<char> is_alone(rows.y.size());
  for (std::size_t r = 0; r < is_alone.size(); ++r) {
    const std::int32_t v = x.codes[r];
    is_alone[r] = states_vary && v >= 0 && rows.own[r] > 0.0 &&
                  left_of(of_state[static_cast<std::size_t>(v)], rows.own[r]) == 0.0;
  }
  const auto own = [&](std::size_t r) {
    const auto j = static_cast<std::size_t>(rows.y[r]), v = static_cast<std::size_t>(x.codes[r]);
    const double whole = left_of(of_class[j], rows.own[r]);
    if (is_alone[r]) return -std::log(whole + x.added_alone);
    return log_share(left_of(x.counts[j * states + v], rows.own[r]) + x.pseudo[v], whole + x.added, states_given);
  };
  const auto other = [&](std::int64_t class_code, std::size_t r) {
    const auto j = static_cast<std::size_t>(class_code), v = static_cast<std::size_t>(x.codes[r]);
    if (is_alone[r]) return -log_alone[j];
    return is_small ? table[j * states + v] : log_of(j, v);
  };
  // Where nothing is added to counts of 0, a state that is new is impossible in all classes.
  const auto skipped = [&](std::size_t r) { return x.codes[r] < 0 || (is_alone[r] && !(x.added_alone > 0.0)); };
  add(rows, column, out, own, other, skipped);
}

void add_normal_margins(const NormalColumn& x, const LeftOut& rows, std::int64_t column, const Margins& out) {
  const std::size_t classes = x.weight.size();
  const double all = std::accumulate(x.weight.begin(), x.weight.end(), 0.0);
  const double deviation = std::accumulate(x.deviation.begin(), x.deviation.end(), 0.0);
  const double within_all = std::max(all > 0.0 ? deviation / all : 0.0, x.least_variance);
  std::vector<double> norm(classes), half(classes), share(classes);  // of W in the variance, as a factor of W
  const auto log_norm = [](double variance) { return -0.5 * std::log(2.0 * std::numbers::pi * variance); };
  for (std::size_t j = 0; j < classes; ++j) {
    norm[j] = log_norm(x.variance[j]);
    half[j] = 0.5 / x.variance[j];
    const double of_within = std::isinf(x.strength) ? 1.0 : x.strength / (x.weight[j] + x.strength);
    share[j] = of_within > 0.0 ? of_within / x.variance[j] : 0.0;
  }
  const auto variance_of = [&](double m, double n, double within) {
    if (std::isinf(x.strength)) return within;
    return n + x.strength > 0.0 ? std::max((m + x.strength * within) / (n + x.strength), x.least_variance) : within;
  };
  double moved = 0.0;  // W without the row − W
  const auto own = [&](std::size_t r) {
    moved = 0.0;
    const auto j = static_cast<std::size_t>(rows.y[r]);
    const double left = left_of(x.weight[j], rows.own[r]), away = x.x[r] - x.mean[j];
    const double lost = left > 0.0 ? rows.own[r] * away * away * (x.weight[j] / left) : 0.0;
    if (!(lost < infinity)) return norm[j] - away * away * half[j];
    const double within = std::max(left_of(deviation, lost) / std::max(all - rows.own[r], 1e-300), x.least_variance);
    moved = x.least_variance > 0.0 ? within - within_all : 0.0;
    const double mean = left > 0.0 ? x.mean[j] - away * (rows.own[r] / left) : x.middle;
    const double m = left > 0.0 ? left_of(x.deviation[j], lost) : 0.0;
    const double found = variance_of(m, left, within);
    const double variance = x.least_variance > 0.0 && found > 0.0 ? std::min(found, 1e308) : 1.0;
    return log_norm(variance) - (x.x[r] - mean) * (x.x[r] - mean) / (2.0 * variance);
  };
  const auto other = [&](std::int64_t class_code, std::size_t r) {
    const auto j = static_cast<std::size_t>(class_code);
    const double away = x.x[r] - x.mean[j], change = std::max(share[j] * moved, -0.9);
    return norm[j] - 0.5 * log_near_one(change) - away * away * half[j] / (1.0 + change);
  };
  add(rows, column, out, own, other, [&](std::size_t r) { return std::isnan(x.x[r]); });
}

}  // namespace deciban
