// Scores: log P(class) + log P(row | class) for each row and class, and the classes or posteriors from them, in one
// pass. Parameters are laid out for the loops: classes (or columns, for Gaussians) are padded to a multiple of `lanes`.
#pragma once

#include <cstdint>
#include <span>

#include "count/class_counts.hpp"
#include "count/terms.hpp"
#include "read/matrix.hpp"
#include "run/fault.hpp"
#include "score/finish.hpp"

namespace deciban {

// Σ_c log N(x_c; mean, variance): classes × padded(cols), with half_precision = 1 / (2·variance), 0 in the padding,
// and log_norm = −½·log(2π·variance).
struct GaussianModel {
  std::span<const double> prior, mean, half_precision, log_norm;
};
Fault score_gaussian(const Matrix& x, const GaussianModel& model, bool missing_allowed, const Output& output);

// Σ_c amount(x_c)·weight: cols × padded(classes). `at_missing`, when given, is added for a missing value.
struct LinearModel {
  std::span<const double> prior, weight, at_missing;
};
Fault score_linear(const Matrix& x, const LinearModel& model, const TermRules& rules, const Output& output);

// Σ_c log P(code | class): rows of padded(classes), column c's from starts[c] on: its states, then the row for
// an unseen state, then the row for a missing value.
struct TableModel {
  std::span<const double> prior, table;
  std::span<const std::int64_t> starts, sizes;
};
Fault score_table(const Matrix& x, const TableModel& model, const CodeRules& rules, bool unseen_allowed,
                  const Output& output);

}  // namespace deciban
