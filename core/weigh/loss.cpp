#include "weigh/loss.hpp"

#include <algorithm>
#include <utility>

#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/lanes_math.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t exponential_work = 16;
constexpr std::int64_t parts = margin_rows / lanes;

template <class Set>
DECIBAN_INLINE Lanes<Set> margins_at(const float* p) {
  return converted<Lanes<Set>>(vector_at<Numbers<Set, float, 8>>(p));
}

// Σ_i weight_i·margin_i + prior for the rows of a block; G parts of them at a time stay in registers.
template <class Set, std::int64_t G>
DECIBAN_INLINE void add_margins(const float* margins, const float* prior, const double* weights, std::int64_t columns,
                                double* sums) {
  for (std::int64_t p = 0; p < margin_rows; p += G * lanes) {
    Lanes<Set> sum[G];
    for (std::int64_t g = 0; g < G; ++g) sum[g] = margins_at<Set>(prior + p + g * lanes);
    for (std::int64_t i = 0; i < columns; ++i) {
      const float* x = margins + i * margin_rows + p;
      for (std::int64_t g = 0; g < G; ++g) sum[g] += weights[i] * margins_at<Set>(x + g * lanes);
    }
    for (std::int64_t g = 0; g < G; ++g) put_vector(sums + p + g * lanes, sum[g]);
  }
}

// The loss of the rows of a block from the sums of their margins, margin_rows for each other class, which become the
// probabilities of these classes, times the importance of the row.
template <class Set>
DECIBAN_INLINE double finish_rows(std::int64_t others, const double* importance, double* sums) {
  using V = Lanes<Set>;
  V loss{};
  for (std::int64_t p = 0; p < margin_rows; p += lanes) {
    V top{};
    for (std::int64_t o = 0; o < others; ++o) top = larger(top, lanes_at<Set>(sums + o * margin_rows + p));
    V whole = exp_lanes<Set>(-top);
    for (std::int64_t o = 0; o < others; ++o) {
      double* const of_class = sums + o * margin_rows + p;
      const V share = exp_lanes<Set>(lanes_at<Set>(of_class) - top);
      put_vector(of_class, share);
      whole += share;
    }
    const V weight = lanes_at<Set>(importance + p);
    loss += weight * (top + log_lanes<Set>(whole));
    const V share = weight / whole;
    for (std::int64_t o = 0; o < others; ++o) {
      double* const of_class = sums + o * margin_rows + p;
      put_vector(of_class, lanes_at<Set>(of_class) * share);
    }
  }
  return sum_lanes(loss);
}

// A block's margins: others × columns × rows.
struct OtherMargins {
  const float *margins, *prior;
  const double* importance;
  std::int64_t others;
  std::span<const double> weights;
};

// Adds the loss, gradient and curvature of one block to `out`; `sums` has room for margin_rows of each other class.
template <class Set>
DECIBAN_INLINE void add_block(const OtherMargins& block, double* sums, WeighedLoss& out) {
  constexpr std::int64_t at_a_time = Set::sums_in_registers < parts ? Set::sums_in_registers : parts;
  const auto columns = static_cast<std::int64_t>(block.weights.size());
  for (std::int64_t o = 0; o < block.others; ++o) {
    add_margins<Set, at_a_time>(block.margins + o * columns * margin_rows, block.prior + o * margin_rows,
                                block.weights.data(), columns, sums + o * margin_rows);
  }
  out.loss += finish_rows<Set>(block.others, block.importance, sums);
  const float* x = block.margins;
  for (std::int64_t o = 0; o < block.others; ++o) {
    const double* share = sums + o * margin_rows;
    for (std::int64_t i = 0; i < columns; ++i, x += margin_rows) {
      Lanes<Set> sum{};
      for (std::int64_t p = 0; p < margin_rows; p += lanes) sum += lanes_at<Set>(share + p) * margins_at<Set>(x + p);
      out.gradient[static_cast<std::size_t>(i)] += sum_lanes(sum);
    }
  }
  for (std::size_t i = 0; i < out.curvature.size(); ++i) {  // Σ_o p_o·margin_o² − (Σ_o p_o·margin_o)²
    Lanes<Set> sum{};
    for (std::int64_t p = 0; p < margin_rows; p += lanes) {
      Lanes<Set> mean{};
      for (std::int64_t o = 0; o < block.others; ++o) {
        const auto margin =
            margins_at<Set>(block.margins + (o * columns + static_cast<std::int64_t>(i)) * margin_rows + p);
        const auto share = lanes_at<Set>(sums + o * margin_rows + p);
        mean += share * margin;
        sum += share * margin * margin;
      }
      sum -= mean * mean / larger(lanes_at<Set>(block.importance + p), all_lanes<Set>(1e-300));
    }
    out.curvature[i] += sum_lanes(sum);
  }
}

}  // namespace

WeighedLoss weighed_loss(std::span<const double> weights, const WeighedRows& rows, bool with_curvature) {
  const std::size_t wide = weights.size();
  const auto columns = static_cast<std::int64_t>(wide);
  const std::int64_t others = rows.others, blocks = margin_blocks(static_cast<std::int64_t>(rows.importance.size()));
  const auto zero = [&] {
    return WeighedLoss{0.0, std::vector<double>(wide), std::vector<double>(with_curvature ? wide : 0)};
  };
  std::vector<double> importance(static_cast<std::size_t>(blocks * margin_rows));  // 0 beyond the last row
  std::ranges::copy(rows.importance, importance.begin());
  const Stripes cut = stripes(blocks, margin_rows * others * (columns + exponential_work), 0);
  std::vector<WeighedLoss> of_stripes(static_cast<std::size_t>(cut.count));
  parallel_for(cut.count, [&](std::int64_t s) {
    WeighedLoss part = zero();
    std::vector<double> sums(static_cast<std::size_t>(others * margin_rows));
    for (std::int64_t b = cut.begin(s); b < cut.end(s); ++b) {
      const std::int64_t at = b * others * margin_rows;
      const OtherMargins block{rows.margins.data() + at * columns, rows.prior.data() + at,
                               importance.data() + b * margin_rows, others, weights};
      on_instruction_set([&block, &part, to = sums.data()](auto set)
                             DECIBAN_INLINE_LAMBDA { add_block<decltype(set)>(block, to, part); });
    }
    of_stripes[static_cast<std::size_t>(s)] = std::move(part);
  });
  WeighedLoss out = zero();
  for (const WeighedLoss& part : of_stripes) {  // in the order of the rows: the threads do not matter
    out.loss += part.loss;
    for (std::size_t i = 0; i < wide; ++i) out.gradient[i] += part.gradient[i];
    for (std::size_t i = 0; i < out.curvature.size(); ++i) out.curvature[i] += part.curvature[i];
  }
  return out;
}

}  // namespace deciban
