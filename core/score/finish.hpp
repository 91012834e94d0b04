// From joint log-probabilities to what the caller asked for: the best class, or normalized posteriors.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

enum class Want : std::uint8_t { best, joint, log_posterior, posterior };

// Where the scores of a call go: `codes` for Want::best, else `table` (rows × classes).
struct Output {
  Want want;
  std::span<const double> fallback;  // log-probabilities for a row that no class can have made
  std::int32_t* codes;
  double* table;
  std::int64_t classes;

  // Takes `rows` rows of joint log-probabilities, `width` apart; they are overwritten.
  void finish(std::int64_t first_row, std::int64_t rows, double* joint, std::int64_t width) const;
};

// The same for joints that lie in one table, rows × classes, in stripes.
void finish_all(std::span<const double> joint, const Output& output);

// Settles a row whose largest value is infinite, so that no difference of infinities follows.
// All at −∞: the fallback. Some at +∞: those alone remain, weighed by the fallback.
void settle(double* joint, std::span<const double> fallback);

}  // namespace deciban
