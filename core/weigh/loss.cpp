#include "weigh/loss.hpp"

#include <algorithm>
#include <utility>

#include "run/lanes.hpp"
#include "run/pool.hpp"
#include "weigh/lanes_math.hpp"

namespace deciban {
namespace {

constexpr std::int64_t exponential_work = 16;
constexpr std::int64_t parts = margin_rows / lanes;

struct Block {
  Lanes rows[parts];

  DECIBAN_INLINE Lanes& operator[](std::int64_t p) { return rows[p]; }
  DECIBAN_INLINE const Lanes& operator[](std::int64_t p) const { return rows[p]; }
};

DECIBAN_INLINE Lanes lanes_of(const float* p) {
  return to_doubles(vector_at<FloatLanes>(p));
}

// The loss of the rows of a block from the sums of their margins, one Block for each other class, which become the
// probabilities of these classes, times the importance of the row.
DECIBAN_INLINE double finish_rows(std::int64_t others, const Block& importance, Block* sums) {
  const Lanes lowest = all_lanes(-furthest);
  Lanes loss{};
  for (std::int64_t p = 0; p < parts; ++p) {
    Lanes top{};
    for (std::int64_t o = 0; o < others; ++o) top = larger(top, sums[o][p]);
    Lanes whole = exp_lanes(larger(-top, lowest));
    for (std::int64_t o = 0; o < others; ++o) {
      sums[o][p] = exp_lanes(larger(sums[o][p] - top, lowest));
      whole += sums[o][p];
    }
    loss += importance[p] * (top + log_lanes(whole));
    const Lanes share = importance[p] / whole;
    for (std::int64_t o = 0; o < others; ++o) sums[o][p] *= share;
  }
  return sum_lanes(loss);
}

// Adds the loss, gradient and curvature of one block to `out`. The margins are others × columns × rows of the block.
DECIBAN_CLONES void add_block(const float* margins, const float* prior, const double* importance, std::int64_t others,
                              std::span<const double> weights, Block* sums, WeighedLoss& out) {
  const auto columns = static_cast<std::int64_t>(weights.size());
  Block of_rows;
  for (std::int64_t p = 0; p < parts; ++p) of_rows[p] = lanes_at(importance + p * lanes);
  const float* x = margins;
  for (std::int64_t o = 0; o < others; ++o) {
    Block sum;
    for (std::int64_t p = 0; p < parts; ++p) sum[p] = lanes_of(prior + o * margin_rows + p * lanes);
    for (std::int64_t i = 0; i < columns; ++i, x += margin_rows) {
      const Lanes weight = all_lanes(weights[static_cast<std::size_t>(i)]);
      for (std::int64_t p = 0; p < parts; ++p) sum[p] += weight * lanes_of(x + p * lanes);
    }
    sums[o] = sum;
  }
  out.loss += finish_rows(others, of_rows, sums);
  x = margins;
  for (std::int64_t o = 0; o < others; ++o) {
    const Block share = sums[o];
    for (std::int64_t i = 0; i < columns; ++i, x += margin_rows) {
      Lanes sum{};
      for (std::int64_t p = 0; p < parts; ++p) sum += share[p] * lanes_of(x + p * lanes);
      out.gradient[static_cast<std::size_t>(i)] += sum_lanes(sum);
    }
  }
  for (std::size_t i = 0; i < out.curvature.size(); ++i) {  // Σ_o p_o·margin_o² − (Σ_o p_o·margin_o)²
    Lanes sum{};
    for (std::int64_t p = 0; p < parts; ++p) {
      Lanes mean{};
      for (std::int64_t o = 0; o < others; ++o) {
        const Lanes margin = lanes_of(margins + (o * columns + static_cast<std::int64_t>(i)) * margin_rows + p * lanes);
        mean += sums[o][p] * margin;
        sum += sums[o][p] * margin * margin;
      }
      sum -= mean * mean / larger(of_rows[p], all_lanes(1e-300));
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
    std::vector<Block> sums(static_cast<std::size_t>(others));
    for (std::int64_t b = cut.begin(s); b < cut.end(s); ++b) {
      const std::int64_t at = b * others * margin_rows;
      add_block(rows.margins.data() + at * columns, rows.prior.data() + at, importance.data() + b * margin_rows, others,
                weights, sums.data(), part);
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
