#include "finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// exp(v − largest), and their sum; −∞ terms are 0.
double exponentials(const double* joint, std::int64_t classes, double largest, double* out) {
  double total = 0.0;
  for (std::int64_t j = 0; j < classes; ++j) total += out[j] = std::exp(joint[j] - largest);
  return total;
}

}  // namespace

void settle(double* joint, std::span<const double> fallback) {
  const std::size_t classes = fallback.size();
  const bool certain = std::any_of(joint, joint + classes, [](double v) { return v == infinity; });
  for (std::size_t j = 0; j < classes; ++j) {
    joint[j] = !certain || joint[j] == infinity ? fallback[j] : -infinity;
  }
}

void Output::finish(std::int64_t first_row, std::int64_t rows, double* joint, std::int64_t width) const {
  for (std::int64_t r = 0; r < rows; ++r, joint += width) {
    const std::int64_t at = first_row + r;
    if (want == Want::joint) {
      std::copy_n(joint, classes, table + at * classes);
      continue;
    }
    const double* best = std::max_element(joint, joint + classes);  // the first of equals: class order
    if (std::isinf(*best)) {
      settle(joint, fallback);
      best = std::max_element(joint, joint + classes);
    }
    if (want == Want::best) {
      codes[at] = static_cast<std::int32_t>(best - joint);
      continue;
    }
    double* out = table + at * classes;
    const double total = exponentials(joint, classes, *best, out);
    if (want == Want::posterior) {
      for (std::int64_t j = 0; j < classes; ++j) out[j] /= total;
    } else {
      const double shift = *best + std::log(total);
      for (std::int64_t j = 0; j < classes; ++j) out[j] = joint[j] - shift;
    }
  }
}

}  // namespace deciban
