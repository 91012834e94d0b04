// Choices among equals, which rounding must not decide: `deciban.ties` says why, and has the same rule.
#pragma once

#include <algorithm>
#include <cmath>

namespace deciban {

inline constexpr double tie_share = 1e-9;  // values are equal that differ by at most this share of their size

// True where a value is larger than another by more than rounding. `scale` is the size of the terms of which both are
// sums or differences; their own size where it is 0.
inline bool exceeds(double value, double other, double scale = 1.0) {
  if (!(value > other)) return false;
  const double apart = value - other;
  return std::isinf(apart) || apart > tie_share * std::max(std::abs(value), scale);
}

// A value to nine digits: what is compared where candidates come in no fixed order, for instance from several threads.
// "Exceeds" is no order there, since a ~ b and b ~ c do not give a ~ c.
inline double to_nine_digits(double value) {
  constexpr double digits = 1 << 30;
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  return std::isfinite(value) ? std::ldexp(std::nearbyint(part * digits) / digits, exponent) : value;
}

}  // namespace deciban
