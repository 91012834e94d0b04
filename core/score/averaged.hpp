// Averaged one-dependence estimates: log P(row | class) as the weighted mean over parents of Π_j P(x_j | parent,
// class).
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

// table: parent states × child states × width, with log-probabilities of the first `classes` of each `width`.
// log_weights: of the parent states, in the mean.
// parents: rows × `supers`, children: rows × `cols`, indices into the table; a parent of −1 is ignored.
struct AveragedModel {
  std::span<const double> table, log_weights;
  std::int64_t states, classes, width;
  std::span<const std::int32_t> parents, children;
  std::int64_t supers, cols;
};

// The number of doubles for one child state.
constexpr std::int64_t averaged_width(std::int64_t classes) {
  return classes <= 2 ? 2 : classes <= 4 ? 4 : (classes + 7) / 8 * 8;
}

// out[r] = log (Σ_p w_p·exp Σ_j table[p][child j]) − log Σ_p w_p, rows × classes, over the parents p of row r; −∞ where
// all are.
void score_averaged(const AveragedModel& model, std::span<double> out);

}  // namespace deciban
