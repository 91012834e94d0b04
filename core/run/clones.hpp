// Hot loops are compiled once for each instruction set and chosen when the library is loaded, so that one
// build serves every processor. Functions called from such a loop must be inlined into it to be cloned with it.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(DECIBAN_SANITIZED)
#define DECIBAN_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define DECIBAN_CLONES
#endif

#define DECIBAN_INLINE __attribute__((always_inline)) inline

namespace deciban {

// Eight doubles added lane by lane: the order of additions does not depend on the width of the processor's vectors.
using Lanes = double __attribute__((vector_size(64), aligned(8), may_alias));
inline constexpr long lanes = 8;

DECIBAN_INLINE Lanes lanes_at(const double* p) {
  return *reinterpret_cast<const Lanes*>(p);
}
DECIBAN_INLINE void put_lanes(double* p, Lanes v) {
  *reinterpret_cast<Lanes*>(p) = v;
}
DECIBAN_INLINE Lanes all_lanes(double x) {
  return Lanes{} + x;
}
DECIBAN_INLINE double sum_lanes(const Lanes& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

constexpr long padded(long n) {
  return (n + lanes - 1) / lanes * lanes;
}

}  // namespace deciban
