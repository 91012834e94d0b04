// Eight numbers that are added, multiplied and compared lane by lane, in the vectors that an instruction set has. The
// order of additions does not depend on the width of the processor's vectors.
//
// The compiler keeps a vector type that is wider than the processor's in memory, so eight doubles are one vector of 64
// bytes, a pair of 32, or a pair of pairs of 16: `Lanes<Set>`.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "run/compiler.hpp"

namespace deciban {

inline constexpr std::int64_t lanes = 8;

#if DECIBAN_VECTORS

template <class T, int N>
struct VectorOf {
  using Type __attribute__((vector_size(N * sizeof(T)))) = T;
};
template <class T, int N>
using Vector = typename VectorOf<T, N>::Type;

#else

// What the vector types of gcc and clang do, by loops.
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

#endif

// Two halves, which are copied one by one: a struct that is copied as a whole goes through memory.
template <class Half>
struct Pair {
  Half low, high;

  Pair() = default;
  DECIBAN_INLINE Pair(const Half& first, const Half& second) : low(first), high(second) {}
  DECIBAN_INLINE Pair(const Pair& other) : low(other.low), high(other.high) {}
  DECIBAN_INLINE Pair& operator=(const Pair& other) {
    low = other.low;
    high = other.high;
    return *this;
  }
  ~Pair() = default;

  DECIBAN_INLINE auto operator[](std::int64_t i) const {
    constexpr std::int64_t half = sizeof(Half) / sizeof(low[0]);
    return i < half ? low[i] : high[i - half];
  }

  friend DECIBAN_INLINE Pair operator+(const Pair& a, const Pair& b) { return {a.low + b.low, a.high + b.high}; }
  friend DECIBAN_INLINE Pair operator-(const Pair& a, const Pair& b) { return {a.low - b.low, a.high - b.high}; }
  friend DECIBAN_INLINE Pair operator*(const Pair& a, const Pair& b) { return {a.low * b.low, a.high * b.high}; }
  friend DECIBAN_INLINE Pair operator/(const Pair& a, const Pair& b) { return {a.low / b.low, a.high / b.high}; }
  template <class T>
  friend DECIBAN_INLINE Pair operator+(const Pair& a, T b) {
    return {a.low + b, a.high + b};
  }
  template <class T>
  friend DECIBAN_INLINE Pair operator-(const Pair& a, T b) {
    return {a.low - b, a.high - b};
  }
  template <class T>
  friend DECIBAN_INLINE Pair operator*(const Pair& a, T b) {
    return {a.low * b, a.high * b};
  }
  template <class T>
  friend DECIBAN_INLINE Pair operator*(T a, const Pair& b) {
    return {a * b.low, a * b.high};
  }
  template <class T>
  friend DECIBAN_INLINE Pair operator/(const Pair& a, T b) {
    return {a.low / b, a.high / b};
  }
  template <class T>
  friend DECIBAN_INLINE Pair operator<<(const Pair& a, T bits) {
    return {a.low << bits, a.high << bits};
  }
  template <class T>
  friend DECIBAN_INLINE Pair operator>>(const Pair& a, T bits) {
    return {a.low >> bits, a.high >> bits};
  }
  friend DECIBAN_INLINE Pair operator-(const Pair& a) { return {-a.low, -a.high}; }
  DECIBAN_INLINE Pair& operator+=(const Pair& other) { return *this = *this + other; }
  DECIBAN_INLINE Pair& operator-=(const Pair& other) { return *this = *this - other; }
  DECIBAN_INLINE Pair& operator*=(const Pair& other) { return *this = *this * other; }
};

// The instruction sets (run/instruction_set.hpp): N numbers in the vectors of each, and how many groups of eight
// doubles can be added up in its registers at a time, and of how many columns the moments.
struct Baseline {
#if DECIBAN_VECTORS
  template <class T, int N>
  struct Numbers {
    using Type = Pair<typename Numbers<T, N / 2>::Type>;
  };
  template <class T>
  struct Numbers<T, 2> {
    using Type = Vector<T, 2>;
  };
#else
  template <class T, int N>
  struct Numbers {
    using Type = Vector<T, N>;
  };
#endif
#if defined(__FP_FAST_FMA) || defined(__FMA__)
  static constexpr bool has_fma = true;
#else
  static constexpr bool has_fma = false;
#endif
  static constexpr int sums_in_registers = 2;
  static constexpr int moments_at_a_time = 2;
};

#if DECIBAN_X86
struct V3 {
  template <class T, int N>
  struct Numbers {
    using Type = Vector<T, N>;
  };
  template <class T>
  struct Numbers<T, 8> {
    using Type = Pair<Vector<T, 4>>;
  };
  static constexpr bool has_fma = true;
  static constexpr int sums_in_registers = 4;
  static constexpr int moments_at_a_time = 4;
};

struct V4 {
  template <class T, int N>
  struct Numbers {
    using Type = Vector<T, N>;
  };
  static constexpr bool has_fma = true;
  static constexpr int sums_in_registers = 8;
  static constexpr int moments_at_a_time = 8;
};
#endif

template <class Set, class T, int N>
using Numbers = typename Set::template Numbers<T, N>::Type;
template <class Set>
using Lanes = Numbers<Set, double, 8>;

// Numbers anywhere in memory, aligned or not.
template <class V>
struct InMemory {
#if DECIBAN_VECTORS
  struct __attribute__((packed, may_alias)) Anywhere {
    V vector;
  };
  template <class T>
  static DECIBAN_INLINE V load(const T* p) {
    return reinterpret_cast<const Anywhere*>(p)->vector;
  }
  template <class T>
  static DECIBAN_INLINE void store(T* p, const V& v) {
    reinterpret_cast<Anywhere*>(p)->vector = v;
  }
#else
  template <class T>
  static DECIBAN_INLINE V load(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  template <class T>
  static DECIBAN_INLINE void store(T* p, const V& v) {
    std::memcpy(p, &v, sizeof v);
  }
#endif
};
template <class Half>
struct InMemory<Pair<Half>> {
  template <class T>
  static DECIBAN_INLINE Pair<Half> load(const T* p) {
    return {InMemory<Half>::load(p), InMemory<Half>::load(p + sizeof(Half) / sizeof(T))};
  }
  template <class T>
  static DECIBAN_INLINE void store(T* p, const Pair<Half>& v) {
    InMemory<Half>::store(p, v.low);
    InMemory<Half>::store(p + sizeof(Half) / sizeof(T), v.high);
  }
};

template <class V, class T>
DECIBAN_INLINE V vector_at(const T* p) {
  return InMemory<V>::load(p);
}
template <class V, class T>
DECIBAN_INLINE void put_vector(T* p, const V& v) {
  InMemory<V>::store(p, v);
}
template <class Set>
DECIBAN_INLINE Lanes<Set> lanes_at(const double* p) {
  return vector_at<Lanes<Set>>(p);
}
template <class Set>
DECIBAN_INLINE Lanes<Set> all_lanes(double x) {
  return Lanes<Set>{} + x;
}
template <class V>
DECIBAN_INLINE double sum_lanes(const V& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

DECIBAN_INLINE double larger(double a, double b) {
  return a > b ? a : b;
}
DECIBAN_INLINE double smaller(double a, double b) {
  return a > b ? b : a;
}
#if DECIBAN_VECTORS
template <class V>
DECIBAN_INLINE V larger(const V& a, const V& b) {
  return a > b ? a : b;
}
template <class V>
DECIBAN_INLINE V smaller(const V& a, const V& b) {
  return a > b ? b : a;
}
#else
template <class T, int N>
DECIBAN_INLINE Vector<T, N> larger(const Vector<T, N>& a, const Vector<T, N>& b) {
  return each(a, b, [](T x, T y) { return x > y ? x : y; });
}
template <class T, int N>
DECIBAN_INLINE Vector<T, N> smaller(const Vector<T, N>& a, const Vector<T, N>& b) {
  return each(a, b, [](T x, T y) { return x > y ? y : x; });
}
#endif
template <class Half>
DECIBAN_INLINE Pair<Half> larger(const Pair<Half>& a, const Pair<Half>& b) {
  return {larger(a.low, b.low), larger(a.high, b.high)};
}
template <class Half>
DECIBAN_INLINE Pair<Half> smaller(const Pair<Half>& a, const Pair<Half>& b) {
  return {smaller(a.low, b.low), smaller(a.high, b.high)};
}

template <class V>
DECIBAN_INLINE double largest_lane(const V& v) {
  return larger(larger(larger(v[0], v[4]), larger(v[2], v[6])), larger(larger(v[1], v[5]), larger(v[3], v[7])));
}

// a·b + c, rounded once. Only where the instruction set has it: elsewhere a call is made for each number.
DECIBAN_INLINE double fused(double a, double b, double c) {
  return std::fma(a, b, c);
}
template <class V>
DECIBAN_INLINE V fused(const V& a, const V& b, const V& c) {
  V out{};
  for (std::size_t i = 0; i < sizeof(V) / sizeof(double); ++i) out[i] = std::fma(a[i], b[i], c[i]);
  return out;
}
template <class Half>
DECIBAN_INLINE Pair<Half> fused(const Pair<Half>& a, const Pair<Half>& b, const Pair<Half>& c) {
  return {fused(a.low, b.low, c.low), fused(a.high, b.high, c.high)};
}

// The same numbers as another type, or the same bits as numbers of another type.
template <class To, class From>
struct Conversion {
  static DECIBAN_INLINE To convert(const From& v) {
    To out{};
    for (std::size_t i = 0; i < sizeof(To) / sizeof(out[0]); ++i) out[i] = static_cast<double>(v[i]);
    return out;
  }
  static DECIBAN_INLINE To reinterpret(const From& v) { return std::bit_cast<To>(v); }
};
template <class To, class From>
struct Conversion<Pair<To>, Pair<From>> {
  static DECIBAN_INLINE Pair<To> convert(const Pair<From>& v) {
    return {Conversion<To, From>::convert(v.low), Conversion<To, From>::convert(v.high)};
  }
  static DECIBAN_INLINE Pair<To> reinterpret(const Pair<From>& v) {
    return {Conversion<To, From>::reinterpret(v.low), Conversion<To, From>::reinterpret(v.high)};
  }
};
template <class To, class From>
DECIBAN_INLINE To converted(const From& v) {
  return Conversion<To, From>::convert(v);
}
template <class To, class From>
DECIBAN_INLINE To bits_as(const From& v) {
  return Conversion<To, From>::reinterpret(v);
}

constexpr std::int64_t padded(std::int64_t n) {
  return (n + lanes - 1) / lanes * lanes;
}

}  // namespace deciban
