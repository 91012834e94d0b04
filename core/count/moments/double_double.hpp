// Double-double arithmetic: a number is hi + lo, |lo| ≤ ulp(hi) / 2, about 106 bits (Dekker, 1971; Hida, Li and
// Bailey, 2001). A file that includes this is compiled with -ffp-contract=off: a fused step would spoil the errors.
#pragma once

#include <cmath>

#include "run/compiler.hpp"

namespace deciban {

struct Doubled {
  double hi = 0.0;
  double lo = 0.0;
};

// By how much the rounded sum of a and b misses it, exactly (Knuth); of doubles or vectors of them.
template <class V>
DECIBAN_INLINE V error_of_sum(const V& a, const V& b, const V& sum) {
  const V part = sum - a;
  return (a - (sum - part)) + (b - part);
}

// The same of a product, in halves of 26 bits (Dekker).
template <class V>
DECIBAN_INLINE V error_of_split_product(const V& a, const V& b, const V& product) {
  constexpr double splitter = 134217729.0;  // 2^27 + 1
  const V ca = splitter * a, cb = splitter * b;
  const V ah = ca - (ca - a), bh = cb - (cb - b);
  const V al = a - ah, bl = b - bh;
  return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

// a + b = hi + lo exactly.
DECIBAN_INLINE Doubled two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, error_of_sum(a, b, sum)};
}

// The same for |a| ≥ |b|.
DECIBAN_INLINE Doubled quick_sum(double a, double b) {
  const double hi = a + b;
  return {hi, b - (hi - a)};
}

// a·b = hi + lo exactly: with a fused multiply where the processor has one.
template <bool fused>
DECIBAN_INLINE Doubled two_product(double a, double b) {
  const double hi = a * b;
  if constexpr (fused) {
    return {hi, std::fma(a, b, -hi)};
  } else {
    return {hi, error_of_split_product(a, b, hi)};
  }
}

DECIBAN_INLINE Doubled operator-(Doubled a) {
  return {-a.hi, -a.lo};
}

DECIBAN_INLINE Doubled operator+(Doubled a, Doubled b) {
  Doubled s = two_sum(a.hi, b.hi);
  const Doubled t = two_sum(a.lo, b.lo);
  s = quick_sum(s.hi, s.lo + t.hi);
  return quick_sum(s.hi, s.lo + t.lo);
}

DECIBAN_INLINE Doubled operator-(Doubled a, Doubled b) {
  return a + (-b);
}

DECIBAN_INLINE Doubled operator*(Doubled a, Doubled b) {
  const Doubled p = two_product<false>(a.hi, b.hi);
  return quick_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

DECIBAN_INLINE Doubled operator*(Doubled a, double b) {
  const Doubled p = two_product<false>(a.hi, b);
  return quick_sum(p.hi, p.lo + a.lo * b);
}

DECIBAN_INLINE Doubled operator/(Doubled a, Doubled b) {
  const double first = a.hi / b.hi;
  const Doubled rest = a - b * first;
  const double second = rest.hi / b.hi;
  const Doubled left = rest - b * second;
  const Doubled both = quick_sum(first, second);
  return quick_sum(both.hi, both.lo + left.hi / b.hi);
}

}  // namespace deciban
