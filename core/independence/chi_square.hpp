// The tail of the χ² distribution, and where it falls to a given probability.
#pragma once

#include <cstdint>
#include <vector>

namespace deciban {

// P(χ² with df degrees of freedom > x), relative error about 1e-12; 1 where df is 0.
double chi_square_tail(double x, double df);

// Which side of alpha the tail lies on, without computing it where the answer is plain. Keeps the critical
// values that it has met; each thread has its own.
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
