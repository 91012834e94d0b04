// Q(a, x) = Γ(a, x) / Γ(a) by the power series of P below the mean, and by the continued fraction of Q above it
// (Abramowitz and Stegun 6.5.29 and 6.5.31, the fraction evaluated by Lentz's method).
#include "independence/chi_square.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace deciban {
namespace {

constexpr double tiny = 1e-300;
constexpr double precise = 1e-16;

// log Γ(a) − [(a − ½) log a − a + ½ log 2π], Stirling's series; good to 1e-16 from a = 10.
double stirling_rest(double a) {
  const double r = 1.0 / (a * a);
  return (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * 691.0 / 360360))))) / a;
}

double log_gamma(double a) {
  double shift = 0.0;
  while (a < 10.0) {
    shift += std::log(a);
    a += 1.0;
  }
  return (a - 0.5) * std::log(a) - a + 0.5 * std::log(2 * std::numbers::pi) + stirling_rest(a) - shift;
}

// x^a e^(−x) / Γ(a). For large a, from λ = x / a, so that large terms do not cancel.
double density(double a, double x) {
  if (a < 10.0) return std::exp(a * std::log(x) - x - log_gamma(a));
  const double excess = (x - a) / a;
  const double exponent = a * (std::log1p(excess) - excess) - stirling_rest(a);
  return std::sqrt(a / (2 * std::numbers::pi)) * std::exp(exponent);
}

double series(double a, double x) {
  double term = 1.0 / a;
  double sum = term;
  for (double k = a + 1.0; term > sum * precise; k += 1.0) {
    term *= x / k;
    sum += term;
  }
  return sum;
}

double fraction(double a, double x) {
  double b = x + 1.0 - a;
  double c = 1.0 / tiny;
  double d = 1.0 / b;
  double value = d;
  for (double i = 1.0;; i += 1.0) {
    const double top = -i * (i - a);
    b += 2.0;
    d = top * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + top / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1.0 / d;
    value *= d * c;
    if (std::abs(d * c - 1.0) < 1e-15 || i > 1e5) return value;
  }
}

}  // namespace

double chi_square_tail(double x, double df) {
  if (df <= 0.0 || x <= 0.0) return 1.0;
  if (std::isinf(x)) return 0.0;
  const double a = df / 2;
  const double half = x / 2;
  const double scale = density(a, half);
  if (half < a + 1.0) return std::clamp(1.0 - scale * series(a, half), 0.0, 1.0);
  return std::min(1.0, scale * fraction(a, half));
}

// Newton's method for the logarithm of the tail, which is nearly linear; where a step would leave the bracket, the
// bracket is halved instead.
double CriticalValues::critical(double df) {
  double low = 0.0;
  double high = df + 10.0;
  while (chi_square_tail(high, df) > alpha_) high *= 2;
  double x = (low + high) / 2;
  while (high - low > 1e-10 * high) {
    const double tail = chi_square_tail(x, df);
    (tail > alpha_ ? low : high) = x;
    const double slope = density(df / 2, x / 2) / x;  // of the distribution: (x/2)^(df/2) e^(−x/2) / Γ(df/2) / x
    const double next = x + tail / slope * std::log(tail / alpha_);
    const double tolerance = 1e-11 * x;
    if (std::abs(next - x) < tolerance) {  // almost converged: bracket it tightly
      (chi_square_tail(next - 2 * tolerance, df) > alpha_ ? low : high) = next - 2 * tolerance;
      (chi_square_tail(next + 2 * tolerance, df) > alpha_ ? low : high) = next + 2 * tolerance;
    }
    x = next > low && next < high ? next : (low + high) / 2;
  }
  return (low + high) / 2;
}

bool CriticalValues::is_above(double x, double df) {
  constexpr double most = 1 << 14;
  if (df <= 0.0) return 1.0 > alpha_;
  if (df >= most || alpha_ <= 0.0) return chi_square_tail(x, df) > alpha_;
  const auto index = static_cast<std::size_t>(df);
  if (index >= known_.size()) known_.resize(index + 1, std::numeric_limits<double>::quiet_NaN());
  if (std::isnan(known_[index])) known_[index] = critical(df);
  const double margin = 1e-8 * known_[index];
  if (std::abs(x - known_[index]) > margin) return x < known_[index];
  return chi_square_tail(x, df) > alpha_;
}

}  // namespace deciban
