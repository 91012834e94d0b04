#include "score/strength.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "run/ties.hpp"

namespace deciban {
namespace {

constexpr double least = 0.0625, step = 4.0;
constexpr std::size_t steps = 8;  // least·step^7 = 1024

// A sum of times·log(left + s·share).
struct Term {
  double times, left, share;
};

// The likelihood as a function of s: terms that have no other rows are times·(log s + log share).
class Likelihood {
 public:
  explicit Likelihood(const ShrunkCounts& shrunk) {
    const auto states = static_cast<std::size_t>(shrunk.states), classes = static_cast<std::size_t>(shrunk.classes);
    std::vector<double> whole(classes), used(classes);
    for (std::size_t u = 0; u < shrunk.groups.size(); ++u) {
      const double* counts = shrunk.counts.data() + u * states * classes;
      const double* prior = shrunk.prior.data() + static_cast<std::size_t>(shrunk.groups[u]) * states * classes;
      std::ranges::fill(whole, 0.0);
      std::ranges::fill(used, 0.0);
      for (std::size_t v = 0; v < states; ++v) {
        for (std::size_t j = 0; j < classes; ++j) {
          const double n = counts[v * classes + j];
          if (n > 0.0) {
            whole[j] += n;
            if (add(n, n, prior[v * classes + j])) used[j] += n;
          }
        }
      }
      for (std::size_t j = 0; j < classes; ++j) {
        if (used[j] > 0.0) add(-used[j], whole[j], 1.0);
        rows_ += whole[j];
      }
    }
  }

  double at(double s) const {
    double sum = constant_ + alone_ * std::log(s);
    for (const Term& term : terms_) sum += term.times * std::log(term.left + s * term.share);
    return sum;
  }

  // The size of the sum, which rounding is compared with: the rows.
  double scale() const { return std::max(rows_, 1.0); }

 private:
  // Adds times·log(count − 1 + s·share); false where that is log 0 for every s.
  bool add(double times, double count, double share) {
    const double left = std::max(count - 1.0, 0.0);
    if (left > 0.0) {
      terms_.push_back({times, left, share});
    } else if (share > 0.0) {
      alone_ += times;
      constant_ += times * std::log(share);
    }
    return left > 0.0 || share > 0.0;
  }

  std::vector<Term> terms_;
  double alone_ = 0.0, constant_ = 0.0, rows_ = 0.0;
};

}  // namespace

Strength best_strength(const ShrunkCounts& shrunk) {
  const Likelihood likelihood(shrunk);
  std::array<double, steps> found{};
  for (std::size_t i = 0; i < steps; ++i) found[i] = likelihood.at(least * std::pow(step, static_cast<double>(i)));
  const double scale = likelihood.scale();
  std::size_t best = 0;
  for (std::size_t i = 1; i < steps; ++i) {
    if (exceeds(found[i], found[best], scale)) best = i;
  }
  const double nearest = least * std::pow(step, static_cast<double>(best));
  if (best == 0 || best + 1 == steps) return {nearest, found[best]};
  // The vertex of the parabola in log s through the best point and its neighbours.
  const double below = found[best - 1] - found[best], above = found[best + 1] - found[best];
  const double bend = below + above;
  if (!exceeds(-bend, 0.0, scale)) return {nearest, found[best]};
  const double between = nearest * std::pow(step, 0.5 * (below - above) / bend);
  const double reached = likelihood.at(between);
  return exceeds(reached, found[best], scale) ? Strength{between, reached} : Strength{nearest, found[best]};
}

}  // namespace deciban
