#include "score/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// exp(v − largest), and their sum; −∞ terms are 0. Of two classes one is the largest, and needs no exponential.
double exponentials(const double* joint, std::int64_t classes, double largest, double* out) {
  double total = 0.0;
  for (std::int64_t j = 0; j < classes; ++j) {
    total += out[j] = joint[j] == largest ? 1.0 : std::exp(joint[j] - largest);
  }
  return total;
}

}  // namespace

void replace_infinite(double* joint, std::span<const double> fallback) {
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
      replace_infinite(joint, fallback);
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

void finish_all(std::span<const double> joint, const Output& output) {
  constexpr std::int64_t block_cells = 1 << 10;
  constexpr std::int64_t exp_work = 8;  // one exponential takes as long as about eight additions
  const std::int64_t classes = output.classes;
  const std::int64_t step = std::max<std::int64_t>(1, block_cells / classes);
  const Stripes cut = stripes(static_cast<std::int64_t>(joint.size()) / classes, classes * exp_work, 0);
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<double> block(static_cast<std::size_t>(step * classes));
    for (std::int64_t first = cut.begin(s); first < cut.end(s); first += step) {
      const std::int64_t rows = std::min(step, cut.end(s) - first);
      std::copy_n(joint.data() + first * classes, rows * classes, block.data());
      output.finish(first, rows, block.data(), classes);
    }
  });
}

}  // namespace deciban
