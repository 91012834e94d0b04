#include <algorithm>
#include <limits>

#include "count/moments/moments.hpp"

namespace deciban {
namespace {

constexpr double unit = 0x1p-104;

bool is_finite(const MomentCell& cell) {
  return std::isfinite(cell.second.hi) && std::isfinite(cell.second.lo) && std::isfinite(cell.first.hi) &&
         std::isfinite(cell.first.lo);
}

// Where squares are too large for a double, only the mean is kept.
MomentCell overwhelmed(Doubled weight, double mean) {
  return {weight, mean, {}, {std::numeric_limits<double>::infinity(), 0.0}};
}

double mean_of(double weight, double mean, double other_weight, double other_mean) {
  const double total = weight + other_weight;
  return mean * (weight / total) + other_mean * (other_weight / total);
}

// The same sums around another shift, and the size of what was added up to get them.
MomentCell recentred(const MomentCell& cell, double shift, double& gross) {
  gross = cell.second.hi;
  if (cell.shift == shift) return cell;
  const Doubled step = two_sum(cell.shift, -shift);
  const Doubled moved = cell.weight * step;
  const Doubled cross = cell.first * step * 2.0;
  const Doubled square = moved * step;
  gross += std::abs(cross.hi) + square.hi;
  return {cell.weight, shift, cell.first + moved, cell.second + cross + square};
}

// Rounding errors of many rows are of both signs.
double rounding_of(double size, double weight) {
  return unit * size * (1.0 + std::sqrt(weight) / 8.0);
}

}  // namespace

double MomentCell::mean() const {
  if (weight.hi == 0.0) return 0.0;
  const Doubled offset = first / weight;
  const Doubled sum = two_sum(shift, offset.hi);
  return sum.hi + (sum.lo + offset.lo);
}

Doubled MomentCell::raw_deviation() const {
  if (weight.hi == 0.0 || std::isinf(second.hi)) return {second.hi, 0.0};
  return second - first * first / weight;
}

double MomentCell::rounding() const {
  return rounding_of(second.hi, weight.hi);
}

double MomentCell::deviation() const {
  const double found = raw_deviation().hi;
  return found > rounding() || std::isinf(found) ? found : 0.0;
}

void MomentCell::add(double value, double held) {
  add(MomentCell{{held, 0.0}, value, {}, {}});
}

void MomentCell::add(const MomentCell& other) {
  if (other.weight.hi == 0.0) return;
  if (weight.hi == 0.0) {
    *this = other;
    return;
  }
  double gross;
  const MomentCell moved = recentred(other, shift, gross);
  Doubled both = two_sum(weight.hi, other.weight.hi);
  both.lo += weight.lo + other.weight.lo;  // not normalized: the high part is the sum of the high parts
  const MomentCell sum{both, shift, first + moved.first, second + moved.second};
  *this = is_finite(sum) ? sum : overwhelmed(both, mean_of(weight.hi, mean(), other.weight.hi, other.mean()));
}

double MomentCell::subtract(const MomentCell& other) {
  double gross;
  const MomentCell moved = recentred(other, shift, gross);
  const double size = second.hi + gross;
  const double whole = weight.hi;
  weight = {weight.hi - other.weight.hi, two_sum(weight.hi, -other.weight.hi).lo + (weight.lo - other.weight.lo)};
  first = first - moved.first;
  second = second - moved.second;
  return is_finite(*this) && std::isfinite(size) ? rounding_of(size, whole) : std::numeric_limits<double>::infinity();
}

std::vector<double> add_moments(const MomentTable& a, const MomentTable& b) {
  std::vector<double> sums(a.sums.size());
  for (std::size_t k = 0; k < a.cells(); ++k) {
    MomentCell cell = a.cell(k);
    cell.add(b.cell(k));
    put_cell(cell, k, a.cells(), sums.data());
  }
  return sums;
}

LessMoments subtract_moments(const MomentTable& a, const MomentTable& b, std::span<const double> left) {
  LessMoments out{std::vector<double>(a.sums.size()), std::vector<double>(a.cells())};
  for (std::size_t k = 0; k < a.cells(); ++k) {
    if (left[k] == 0.0) continue;
    MomentCell cell = a.cell(k);
    if (b.weight[k] > 0.0) out.rounding[k] = cell.subtract(b.cell(k));
    put_cell(cell, k, a.cells(), out.sums.data());
  }
  return out;
}

std::vector<double> scale_moments(const MomentTable& moments, double factor) {
  std::vector<double> sums(moments.sums.size());
  for (std::size_t k = 0; k < moments.cells(); ++k) {
    MomentCell cell = moments.cell(k);
    Doubled weight = two_product<false>(cell.weight.hi, factor);
    weight.lo += cell.weight.lo * factor;
    cell.weight = weight;
    if (std::isfinite(cell.second.hi)) {
      cell.first = cell.first * factor;
      cell.second = cell.second * factor;
    }
    put_cell(cell, k, moments.cells(), sums.data());
  }
  return sums;
}

std::vector<double> settle_moments(const MomentTable& moments) {
  const std::size_t cells = moments.cells();
  std::vector<double> out(2 * cells);
  for (std::size_t k = 0; k < cells; ++k) {
    const MomentCell cell = moments.cell(k);
    out[k] = cell.mean();
    out[cells + k] = cell.deviation();
  }
  return out;
}

}  // namespace deciban
