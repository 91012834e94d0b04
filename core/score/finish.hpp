// From joint log-probabilities to the result: the best class, or normalized posteriors.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

enum class Want : std::uint8_t { best, joint, log_posterior, posterior };

// Where the scores of a call go: `codes` for Want::best, else `table` (rows × classes).
struct Output {
  Want want;
  std::span<const double> fallback;  // log-probabilities for a row that is impossible in every class
  std::int32_t* codes;
  double* table;
  std::int64_t classes;

  // Takes `rows` rows of joint log-probabilities, `width` apart, which is padded(classes); they are overwritten.
  void finish(std::int64_t first_row, std::int64_t rows, double* joint, std::int64_t width) const;
};

// The same for all rows of a table, rows × classes, in parallel.
void finish_all(std::span<const double> joint, const Output& output);

// Replaces a row whose largest value is infinite, so that no difference of infinities is taken.
// All at −∞: the fallback. Some at +∞: only those remain, weighted by the fallback.
void replace_infinite(double* joint, std::span<const double> fallback);

}  // namespace deciban
