// The moments of each column within each class: its weight and its sums around a shift s, in double-double,
//
//   W = Σ w,    S₁ = Σ w·(x − s),    S₂ = Σ w·(x − s)²
//
// A mean and a sum of squared deviations follow from these, and rows can be subtracted again: the sums have a
// relative error of about 2⁻¹⁰⁴, so that rows of size 10⁹ can be added and taken out without harm to rows of size 1.
// The shift is a value of the class where its values differ by little (offsets, constants), else 0. Results do not
// depend on the number of threads or on the processor.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "count/moments/double_double.hpp"
#include "read/matrix.hpp"
#include "run/fault.hpp"

namespace deciban {

inline constexpr std::size_t moment_tables = 6;

// One column in one class. When its sums overflow, S₂ is infinite, S₁ is 0 and the shift is the mean.
struct MomentCell {
  Doubled weight;
  double shift = 0.0;
  Doubled first, second;

  double mean() const;       // 0 without weight
  double deviation() const;  // Σ w·(x − mean)², 0 where it is no more than the rounding of S₂
  Doubled raw_deviation() const;
  double rounding() const;  // the error bound of S₂
  void add(double value, double weight);
  void add(const MomentCell& other);
  // Subtracts a part; returns the error bound of S₂ afterwards.
  double subtract(const MomentCell& other);
};

// Class by class, column by column; `weight` has one entry a class, or one a cell when values are missing.
// `sums` are six tables: the shifts, S₁ (high, low), S₂ (high, low), and the low part of W.
struct Moments {
  std::vector<double> weight;
  std::vector<double> sums;
  Fault fault;
};

Moments class_moments(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                      std::span<const double> weights, bool missing_allowed);

// Tables of moments that are computed cell by cell; `sums` as above.
struct MomentTable {
  std::span<const double> weight;  // one a cell
  std::span<const double> sums;

  std::size_t cells() const { return weight.size(); }
  MomentCell cell(std::size_t k) const {
    const std::size_t n = cells();
    return {{weight[k], sums[5 * n + k]}, sums[k], {sums[n + k], sums[2 * n + k]}, {sums[3 * n + k], sums[4 * n + k]}};
  }
};

inline void put_cell(const MomentCell& cell, std::size_t k, std::size_t cells, double* sums) {
  const std::array<double, moment_tables> held{cell.shift,     cell.first.hi,  cell.first.lo,
                                               cell.second.hi, cell.second.lo, cell.weight.lo};
  for (std::size_t i = 0; i < held.size(); ++i) sums[i * cells + k] = held[i];
}

// a + b: six tables; the weights are the sums of those of both.
std::vector<double> add_moments(const MomentTable& a, const MomentTable& b);

// a − b where `left` says what weight remains: six tables, and the error bound of S₂ in each cell from which
// something was subtracted and in which something remains (0 elsewhere).
struct LessMoments {
  std::vector<double> sums, rounding;
};
LessMoments subtract_moments(const MomentTable& a, const MomentTable& b, std::span<const double> left);

// Six tables, of a sample that counts `factor` times.
std::vector<double> scale_moments(const MomentTable& moments, double factor);

// Means, then sums of squared deviations.
std::vector<double> settle_moments(const MomentTable& moments);

}  // namespace deciban
