#include "score/averaged.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double negligible = -60.0;  // its exponential is negligible beside the largest, which is 1

// Σ_j table[child j], as many sums at a time as fit into a Few.
template <class Few>
DECIBAN_INLINE void add_children(const double* base, const std::int64_t* at, std::int64_t cols, double* out) {
  Few first{}, second{};
  std::int64_t j = 0;
  for (; j + 2 <= cols; j += 2) {
    first += vector_at<Few>(base + at[j]);
    second += vector_at<Few>(base + at[j + 1]);
  }
  if (j < cols) first += vector_at<Few>(base + at[j]);
  put_vector(out, first + second);
}

void add_all_children(const double* base, const std::int64_t* at, std::int64_t cols, std::int64_t width, double* out) {
  on_instruction_set([=](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    switch (width) {
      case 2: return add_children<Numbers<Set, double, 2>>(base, at, cols, out);
      case 4: return add_children<Numbers<Set, double, 4>>(base, at, cols, out);
      default: break;
    }
    for (std::int64_t j = 0; j < width; j += lanes) add_children<Lanes<Set>>(base + j, at, cols, out + j);
  });
}

// log (Σ w·exp / whole) over `count` values that lie `width` apart and contain log w.
double log_mean_exp(const double* values, std::int64_t count, std::int64_t width, double whole) {
  double largest = -infinity;
  for (std::int64_t p = 0; p < count; ++p) largest = std::max(largest, values[p * width]);
  if (largest == -infinity) return largest;
  double total = 0.0;
  for (std::int64_t p = 0; p < count; ++p) {
    const double below = values[p * width] - largest;
    if (below > negligible) total += std::exp(below);
  }
  return largest + std::log(total / whole);
}

}  // namespace

void score_averaged(const AveragedModel& model, std::span<double> out) {
  const std::int64_t width = model.width, cols = model.cols;
  const auto rows = static_cast<std::int64_t>(out.size()) / model.classes;
  const Stripes cut = stripes(rows, model.supers * (cols * width / 2 + 8 * model.classes), 0);
  parallel_for(cut.count, [&](std::int64_t s) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(cols));
    std::vector<double> sums(static_cast<std::size_t>(model.supers * width));
    for (std::int64_t r = cut.begin(s); r < cut.end(s); ++r) {
      const std::int32_t* child = model.children.data() + r * cols;
      std::transform(child, child + cols, at.begin(), [&](std::int32_t state) { return state * width; });
      std::int64_t count = 0;
      double whole = 0.0;
      for (std::int64_t p = 0; p < model.supers; ++p) {
        const std::int64_t parent = model.parents[static_cast<std::size_t>(r * model.supers + p)];
        if (parent < 0) continue;
        const double* base = model.table.data() + parent * model.states * width;
        double* sum = sums.data() + width * count++;
        add_all_children(base, at.data(), cols, width, sum);
        const double log_weight = model.log_weights[static_cast<std::size_t>(parent)];
        if (log_weight == 0.0) {
          whole += 1.0;
        } else {
          whole += std::exp(log_weight);
          for (std::int64_t j = 0; j < model.classes; ++j) sum[j] += log_weight;
        }
      }
      for (std::int64_t j = 0; j < model.classes; ++j) {
        out[static_cast<std::size_t>(r * model.classes + j)] = log_mean_exp(sums.data() + j, count, width, whole);
      }
    }
  });
}

}  // namespace deciban
