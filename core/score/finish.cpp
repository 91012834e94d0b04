#include "score/finish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/lanes_math.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::int64_t few_classes = 3;  // with more, eight exponentials take less time than those that are needed

// exp(v − largest), and their sum; −∞ terms are 0. Of two classes one is the largest, and needs no exponential.
double exponentials(const double* joint, std::int64_t classes, double largest, double* out) {
  double total = 0.0;
  for (std::int64_t j = 0; j < classes; ++j) {
    total += out[j] = joint[j] == largest ? 1.0 : std::exp(joint[j] - largest);
  }
  return total;
}

template <class Set>
DECIBAN_INLINE double largest_of(const double* joint, std::int64_t width) {
  Lanes<Set> top = lanes_at<Set>(joint);
  for (std::int64_t j = lanes; j < width; j += lanes) top = larger(top, lanes_at<Set>(joint + j));
  return largest_lane(top);
}

// The posteriors of rows of more than a few classes, eight classes at a time. The last of them are padded with −∞.
template <class Set>
DECIBAN_INLINE void finish_in_lanes(const Output& output, std::int64_t first_row, std::int64_t rows, double* joint,
                                    std::int64_t width) {
  const std::int64_t classes = output.classes;
  for (std::int64_t r = 0; r < rows; ++r) std::fill(joint + r * width + classes, joint + (r + 1) * width, -infinity);
  for (std::int64_t r = 0; r < rows; ++r, joint += width) {
    double best = largest_of<Set>(joint, width);
    if (std::isinf(best)) {
      replace_infinite(joint, output.fallback);
      best = largest_of<Set>(joint, width);
    }
    double* out = output.table + (first_row + r) * classes;
    const Lanes<Set> top = all_lanes<Set>(best);
    Lanes<Set> sums{};
    for (std::int64_t j = 0; j < width; j += lanes) {
      const Lanes<Set> terms = exp_lanes<Set>(lanes_at<Set>(joint + j) - top);
      if (output.want == Want::posterior) put_vector(joint + j, terms);
      sums += terms;
    }
    const double total = sum_lanes(sums);
    if (output.want == Want::posterior) {
      for (std::int64_t j = 0; j < width; j += lanes) put_vector(joint + j, lanes_at<Set>(joint + j) / total);
      for (std::int64_t j = 0; j < classes; ++j) out[j] = joint[j];
    } else {
      const double shift = best + std::log(total);
      for (std::int64_t j = 0; j < classes; ++j) out[j] = joint[j] - shift;
    }
  }
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
  if ((want == Want::posterior || want == Want::log_posterior) && classes > few_classes) {
    on_instruction_set([&output = *this, first_row, rows, joint, width](auto set) DECIBAN_INLINE_LAMBDA {
      finish_in_lanes<decltype(set)>(output, first_row, rows, joint, width);
    });
    return;
  }
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
  const std::int64_t classes = output.classes, width = padded(classes);
  const std::int64_t step = std::max<std::int64_t>(1, block_cells / width);
  const Stripes cut = stripes(static_cast<std::int64_t>(joint.size()) / classes, classes * exp_work, 0);
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<double> block(static_cast<std::size_t>(step * width));
    for (std::int64_t first = cut.begin(s); first < cut.end(s); first += step) {
      const std::int64_t rows = std::min(step, cut.end(s) - first);
      for (std::int64_t r = 0; r < rows; ++r) {
        std::copy_n(joint.data() + (first + r) * classes, classes, block.data() + r * width);
      }
      output.finish(first, rows, block.data(), width);
    }
  });
}

}  // namespace deciban
