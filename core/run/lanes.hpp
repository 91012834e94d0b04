// Vectors of numbers that are added, multiplied and compared lane by lane: the vector types of gcc and clang, or arrays
// with the same operations. The order of additions does not depend on the width of the processor's vectors.
#pragma once

#include <cstdint>
#include <cstring>

#include "run/compiler.hpp"

namespace deciban {

#if DECIBAN_VECTORS

using Lanes = double __attribute__((vector_size(64), aligned(8), may_alias));
using FourDoubles = double __attribute__((vector_size(32), aligned(8), may_alias));
using TwoDoubles = double __attribute__((vector_size(16), aligned(8), may_alias));
using LongLanes = std::int64_t __attribute__((vector_size(64), aligned(8), may_alias));
using FloatLanes = float __attribute__((vector_size(32), aligned(4), may_alias));

// A vector anywhere in memory. Attributes of a type, such as its alignment, are lost where it is the argument of a
// template.
template <class V>
struct __attribute__((packed, may_alias)) AnywhereInMemory {
  V vector;
};
template <class V, class T>
DECIBAN_INLINE V vector_at(const T* p) {
  return reinterpret_cast<const AnywhereInMemory<V>*>(p)->vector;
}
template <class V, class T>
DECIBAN_INLINE void put_vector(T* p, V v) {
  reinterpret_cast<AnywhereInMemory<V>*>(p)->vector = v;
}

template <class V>
DECIBAN_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}
template <class V>
DECIBAN_INLINE V smaller(V a, V b) {
  return a > b ? b : a;
}

DECIBAN_INLINE Lanes to_doubles(LongLanes v) {
  return __builtin_convertvector(v, Lanes);
}
DECIBAN_INLINE Lanes to_doubles(FloatLanes v) {
  return __builtin_convertvector(v, Lanes);
}

#else

template <class T, int N>
struct Vector {
  T lane[N];

  Vector() = default;
  Vector(T x) {  // NOLINT(google-explicit-constructor): a number stands for a vector of it, as in the vector types
    for (T& mine : lane) mine = x;
  }
  T& operator[](std::int64_t i) { return lane[i]; }
  const T& operator[](std::int64_t i) const { return lane[i]; }

  template <class F>
  friend DECIBAN_INLINE Vector each(const Vector& a, const Vector& b, F&& f) {
    Vector out;
    for (int i = 0; i < N; ++i) out.lane[i] = f(a.lane[i], b.lane[i]);
    return out;
  }
  friend DECIBAN_INLINE Vector operator+(const Vector& a, const Vector& b) {
    return each(a, b, [](T x, T y) { return x + y; });
  }
  friend DECIBAN_INLINE Vector operator-(const Vector& a, const Vector& b) {
    return each(a, b, [](T x, T y) { return x - y; });
  }
  friend DECIBAN_INLINE Vector operator*(const Vector& a, const Vector& b) {
    return each(a, b, [](T x, T y) { return x * y; });
  }
  friend DECIBAN_INLINE Vector operator/(const Vector& a, const Vector& b) {
    return each(a, b, [](T x, T y) { return x / y; });
  }
  friend DECIBAN_INLINE Vector operator<<(const Vector& a, T bits) {
    return each(a, bits, [](T x, T n) { return x << n; });
  }
  friend DECIBAN_INLINE Vector operator>>(const Vector& a, T bits) {
    return each(a, bits, [](T x, T n) { return x >> n; });
  }
  friend DECIBAN_INLINE Vector operator-(const Vector& a) {
    return each(a, a, [](T x, T) { return -x; });
  }
  Vector& operator+=(const Vector& other) { return *this = *this + other; }
  Vector& operator-=(const Vector& other) { return *this = *this - other; }
  Vector& operator*=(const Vector& other) { return *this = *this * other; }
};

using Lanes = Vector<double, 8>;
using FourDoubles = Vector<double, 4>;
using TwoDoubles = Vector<double, 2>;
using LongLanes = Vector<std::int64_t, 8>;
using FloatLanes = Vector<float, 8>;

template <class V, class T>
DECIBAN_INLINE V vector_at(const T* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T>
DECIBAN_INLINE void put_vector(T* p, const V& v) {
  std::memcpy(p, &v, sizeof v);
}

DECIBAN_INLINE double larger(double a, double b) {
  return a > b ? a : b;
}
DECIBAN_INLINE double smaller(double a, double b) {
  return a > b ? b : a;
}
template <class T, int N>
DECIBAN_INLINE Vector<T, N> larger(const Vector<T, N>& a, const Vector<T, N>& b) {
  return each(a, b, [](T x, T y) { return x > y ? x : y; });
}
template <class T, int N>
DECIBAN_INLINE Vector<T, N> smaller(const Vector<T, N>& a, const Vector<T, N>& b) {
  return each(a, b, [](T x, T y) { return x > y ? y : x; });
}

template <class T>
DECIBAN_INLINE Lanes to_doubles(const Vector<T, 8>& v) {
  Lanes out;
  for (int i = 0; i < 8; ++i) out.lane[i] = static_cast<double>(v.lane[i]);
  return out;
}

#endif

inline constexpr std::int64_t lanes = 8;

DECIBAN_INLINE Lanes lanes_at(const double* p) {
  return vector_at<Lanes>(p);
}
DECIBAN_INLINE void put_lanes(double* p, Lanes v) {
  put_vector<Lanes>(p, v);
}
DECIBAN_INLINE Lanes all_lanes(double x) {
  return Lanes{} + x;
}
DECIBAN_INLINE double sum_lanes(const Lanes& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

constexpr std::int64_t padded(std::int64_t n) {
  return (n + lanes - 1) / lanes * lanes;
}

}  // namespace deciban
