#include "text/one_vs_rest.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "run/at.hpp"
#include "run/interrupt.hpp"
#include "run/pool.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

// Both are read and written together, so they share a line of the cache.
struct Token {
  double weight;  // r·w: a document's margin is the sum of its values times these
  double square;  // r²
};

// The variable of a document in the dual problem, 0 ≤ α (≤ cost where the loss is logistic).
struct Variable {
  double alpha;
  double rest;   // cost − α, kept beside it, since a difference would lose the digits of small ones
  double logit;  // log(α / (cost − α)), where the loss is logistic
  double norm;   // Σ_t (x_t·r_t)² + 1
  double own;    // the part of it from tokens of this document alone
};

// Newton's method for the minimum of
//
//     ½·a·(z − α)² + margin·(z − α) + z·log z + (cost − z)·log(cost − z)
//
// in z = α, or in z = cost − α where that is the smaller one at the minimum, so that log z keeps its digits.
void minimize(Variable& v, double margin, double cost, double exact) {
  const double a = v.norm;
  const bool is_low = 0.5 * a * (v.rest - v.alpha) + margin >= 0.0;
  const double b = is_low ? margin : -margin;
  const double old = is_low ? v.alpha : v.rest;
  double z = old;
  double logit = is_low ? v.logit : -v.logit;
  if (cost - old < 0.5 * cost) {
    z = 0.1 * old;
    logit = std::log(z / (cost - z));
  }
  for (int i = 0; i < 100; ++i) {
    const double slope = a * (z - old) + b + logit;
    if (std::abs(slope) < exact) break;
    const double next = z - slope / (a + cost / (z * (cost - z)));
    z = next <= 0.0 ? 0.1 * z : next;
    logit = std::log(z / (cost - z));
  }
  v.alpha = is_low ? z : cost - z;
  v.rest = is_low ? cost - z : z;
  v.logit = is_low ? logit : -logit;
}

// Documents × some of the tokens.
struct Entries {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint32_t> tokens;
  std::vector<double> values;

  void push(std::size_t token, double value) {
    tokens.push_back(static_cast<std::uint32_t>(token));
    values.push_back(value);
  }
  void end_row() { starts.push_back(tokens.size()); }
};

// The documents with the tokens of single documents apart: most n-grams are such. Nothing but α of its document changes
// the weight of such a token, so all of them together are one number of the document.
struct SplitDocuments {
  std::span<const double> costs;
  std::span<const std::int32_t> codes;
  Entries shared;  // with tokens numbered anew
  Entries own;
  std::vector<std::size_t> shared_tokens;  // their numbers before

  SplitDocuments(const LinearProblem& problem, std::size_t size) : costs(problem.costs), codes(problem.codes) {
    std::vector<std::uint32_t> documents(size), number(size);
    for (const std::int32_t token : problem.tokens) ++documents[at(token)];
    for (std::size_t t = 0; t < size; ++t) {
      if (documents[t] < 2) continue;
      number[t] = static_cast<std::uint32_t>(shared_tokens.size());
      shared_tokens.push_back(t);
    }
    for (std::size_t d = 0; d < problem.documents(); ++d) {
      for (std::size_t k = at(problem.starts[d]); k < at(problem.starts[d + 1]); ++k) {
        const std::size_t t = at(problem.tokens[k]);
        if (documents[t] > 1) {
          shared.push(number[t], problem.values[k]);
        } else {
          own.push(t, problem.values[k]);
        }
      }
      shared.end_row();
      own.end_row();
    }
  }
};

// One class against the rest; the buffers serve for one class after another.
class Descent {
 public:
  Descent(const SplitDocuments& documents, const LinearOptions& options)
      : data_(documents),
        options_(options),
        order_(documents.costs.size()),
        variables_(order_.size()),
        tokens_(documents.shared_tokens.size()) {}

  void fit(ClassWeights& of_class) {
    start(of_class);
    of_class.has_converged = descend(of_class.code);
    write(of_class);
  }

 private:
  void start(const ClassWeights& of_class) {
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      const double scale = of_class.scales[data_.shared_tokens[t]];
      tokens_[t] = {0.0, scale * scale};
    }
    intercept_ = 0.0;
    random_ = 0x9E3779B97F4A7C15;
    for (std::size_t d = 0; d < order_.size(); ++d) {
      const double cost = data_.costs[d];
      Variable& v = variables_[d];
      v.own = 0.0;
      for (std::size_t k = data_.own.starts[d]; k < data_.own.starts[d + 1]; ++k) {
        const double value = data_.own.values[k] * of_class.scales[data_.own.tokens[k]];
        v.own += value * value;
      }
      v.norm = v.own + 1.0;
      for (std::size_t k = first(d); k < last(d); ++k) {
        v.norm += data_.shared.values[k] * data_.shared.values[k] * token(k).square;
      }
      // α is 0 at first, or close to it where 0 is outside the domain of its logarithm.
      v.alpha = options_.loss == MarginLoss::logistic ? std::min(1e-3 * cost, 1e-8) : 0.0;
      v.rest = cost - v.alpha;
      v.logit = v.alpha > 0.0 ? std::log(v.alpha / v.rest) : 0.0;
      add(d, v.alpha * sign(d, of_class.code));
    }
  }

  // Passes over the documents whose variables still change; at the end, and only then, over all.
  bool descend(std::int32_t code) {
    std::size_t active = order_.size();
    std::iota(order_.begin(), order_.end(), 0);
    for (std::int64_t pass = 0; pass < options_.most_passes; ++pass) {
      check_interrupt();
      shuffle(active);
      const bool is_whole = active == order_.size();
      double largest = 0.0;
      for (std::size_t i = 0; i < active;) {
        const double slope = visit(order_[i], sign(order_[i], code));
        largest = std::max(largest, slope);
        if (slope < settled * options_.tolerance) {
          std::swap(order_[i], order_[--active]);
        } else {
          ++i;
        }
      }
      if (largest < options_.tolerance && is_whole) return true;
      if (largest < options_.tolerance || active == 0) active = order_.size();
    }
    return false;
  }

  // Moves the variable of a document to its best value; returns how far it was from it: its slope, in units of margins.
  double visit(std::size_t d, double sign) {
    Variable& v = variables_[d];
    const double margin = sign * sum(d) + v.own * v.alpha;
    const double before = v.alpha;
    double slope = 0.0;
    if (options_.loss == MarginLoss::logistic) {
      slope = std::abs(margin + v.logit);
      // α of a document that is well classified is close to 0, and so is what its error does to the others.
      slope *= std::clamp(v.norm * std::min(v.alpha, v.rest), 0.1, 1.0);
      if (slope < settled * options_.tolerance) return slope;
      minimize(v, margin, data_.costs[d], 0.1 * options_.tolerance);
    } else {
      const double own = 0.5 / data_.costs[d];
      const double gradient = margin - 1.0 + own * v.alpha;
      slope = v.alpha > 0.0 ? std::abs(gradient) : std::max(-gradient, 0.0);
      if (slope < settled * options_.tolerance) return slope;
      v.alpha = std::max(v.alpha - gradient / (v.norm + own), 0.0);
    }
    add(d, sign * (v.alpha - before));
    return slope;
  }

  void write(ClassWeights& of_class) const {
    of_class.intercept = intercept_;
    for (std::size_t t = 0; t < tokens_.size(); ++t) {
      const double scale = of_class.scales[data_.shared_tokens[t]];
      of_class.weights[data_.shared_tokens[t]] = scale != 0.0 ? tokens_[t].weight / scale : 0.0;
    }
    for (std::size_t d = 0; d < order_.size(); ++d) {
      for (std::size_t k = data_.own.starts[d]; k < data_.own.starts[d + 1]; ++k) {
        const std::size_t t = data_.own.tokens[k];
        of_class.weights[t] = sign(d, of_class.code) * variables_[d].alpha * data_.own.values[k] * of_class.scales[t];
      }
    }
  }

  double sum(std::size_t d) const {
    double out = intercept_;
    for (std::size_t k = first(d); k < last(d); ++k) {
      out += data_.shared.values[k] * tokens_[data_.shared.tokens[k]].weight;
    }
    return out;
  }

  void add(std::size_t d, double amount) {
    for (std::size_t k = first(d); k < last(d); ++k) {
      token(k).weight += amount * data_.shared.values[k] * token(k).square;
    }
    intercept_ += amount;
  }

  void shuffle(std::size_t active) {
    for (std::size_t i = active; i > 1; --i) {
      random_ ^= random_ << 13;  // Marsaglia (2003), xorshift
      random_ ^= random_ >> 7;
      random_ ^= random_ << 17;
      std::swap(order_[i - 1], order_[random_ % i]);
    }
  }

  std::size_t first(std::size_t d) const { return data_.shared.starts[d]; }
  std::size_t last(std::size_t d) const { return data_.shared.starts[d + 1]; }
  Token& token(std::size_t k) { return tokens_[data_.shared.tokens[k]]; }
  double sign(std::size_t d, std::int32_t code) const { return data_.codes[d] == code ? 1.0 : -1.0; }

  // Documents whose slope is below this share of the tolerance are left out until the others have converged.
  static constexpr double settled = 0.5;

  const SplitDocuments& data_;
  const LinearOptions& options_;
  std::vector<std::size_t> order_;
  std::vector<Variable> variables_;
  std::vector<Token> tokens_;
  double intercept_ = 0.0;
  std::uint64_t random_ = 0;
};

}  // namespace

void fit_one_vs_rest(const LinearProblem& problem, const LinearOptions& options, std::span<ClassWeights> classes) {
  if (classes.empty()) return;
  const SplitDocuments documents(problem, classes.front().scales.size());
  Workers<Descent> workers([&] { return std::make_unique<Descent>(documents, options); });
  parallel_for(static_cast<std::int64_t>(classes.size()), [&](std::int64_t c) { workers.take()->fit(classes[at(c)]); });
}

}  // namespace deciban
