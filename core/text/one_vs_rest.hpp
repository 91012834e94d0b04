// Linear classifiers of documents, each class against the rest, by dual coordinate descent.
//
// With x_d the values of the tokens of document d and r the scales of a class, they minimize
//
//     ½(‖w‖² + b²) + Σ_d cost_d · loss(y_d · (Σ_t x_dt·r_t·w_t + b)),   y_d = ±1
//
// with loss(m) = log(1 + e^−m) (Yu, Huang & Lin 2011) or max(0, 1 − m)² (Hsieh et al. 2008).
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

enum class MarginLoss { logistic, squared_hinge };

// Documents × tokens, and the cost and class of each document.
struct LinearProblem {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> tokens;
  std::span<const double> values;
  std::span<const double> costs;
  std::span<const std::int32_t> codes;

  std::size_t documents() const { return starts.size() - 1; }
};

struct LinearOptions {
  MarginLoss loss;
  double tolerance;  // of the gradient of the dual problem
  std::int64_t most_passes;
};

// One class: its scales, and the weights that are found.
struct ClassWeights {
  std::int32_t code;
  std::span<const double> scales;
  std::span<double> weights;  // these and what follows are filled
  double intercept = 0.0;
  bool has_converged = false;
};

// Every class on its own, so that the results are those of any number of threads.
void fit_one_vs_rest(const LinearProblem& problem, const LinearOptions& options, std::span<ClassWeights> classes);

}  // namespace deciban
