// The tail of the χ² distribution, and its critical values.
#pragma once

#include <cstdint>
#include <vector>

namespace deciban {

// P(χ² with df degrees of freedom > x), relative error about 1e-12; 1 where df is 0.
double chi_square_tail(double x, double df);

// Whether the tail is above alpha, without computing it where x is far from the critical value. Critical values are
// cached; each thread has its own cache.
class CriticalValues {
 public:
  explicit CriticalValues(double alpha) : alpha_(alpha) {}

  // tail(x, df) > alpha
  bool is_above(double x, double df);

 private:
  double critical(double df);

  double alpha_;
  std::vector<double> known_;
};

}  // namespace deciban
