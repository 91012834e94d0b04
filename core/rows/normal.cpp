#include "rows/normal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace deciban {
namespace {

constexpr double floor_share = 1e-9;

double ratio(double part, double whole, double otherwise) {
  return whole > 0.0 ? part / whole : otherwise;
}

// The moments of all classes together.
RunningMoments pooled(std::span<const RunningMoments> moments) {
  RunningMoments whole{0.0, 0.0, 0.0};
  for (const auto& of_class : moments) whole.weight += of_class.weight;
  for (const auto& of_class : moments) whole.mean += of_class.mean * ratio(of_class.weight, whole.weight, 0.0);
  for (const auto& of_class : moments) {
    const double gap = of_class.mean - whole.mean;
    whole.deviation += of_class.deviation + (of_class.weight > 0.0 ? gap * gap * of_class.weight : 0.0);
  }
  return whole;
}

}  // namespace

void LiveNormal::reset(std::vector<RunningMoments> moments) {
  moments_ = std::move(moments);
  densities_.resize(moments_.size());
  pending_.clear();
  pending_classes_.clear();
  is_settled_ = false;
}

void LiveNormal::add(double x, std::size_t j) {
  pending_.push_back(x);
  pending_classes_.push_back(static_cast<std::int32_t>(j));
  auto& [weight, mean, deviation] = moments_[j];
  const double before = weight, delta = x - mean;
  weight += 1.0;
  const double share = 1.0 / weight;
  mean += delta * share;
  if (before > 0.0) deviation += delta * delta * (before * share);
  is_settled_ = false;
}

void LiveNormal::add_logs(double x, double weight, std::span<double> out) {
  if (!is_settled_) settle();
  for (std::size_t j = 0; j < classes(); ++j) {
    const auto& [mean, half, norm] = densities_[j];
    out[j] += weight * (norm - (x - mean) * (x - mean) * half);
  }
}

// As `tied_variances` of whole tables: none is 0 or infinite; 1 for a constant column, which is no evidence.
void LiveNormal::settle() {
  const RunningMoments whole = pooled(moments_);
  double spread = 0.0;
  for (const auto& of_class : moments_) spread += of_class.deviation;
  const double least = floor_share * std::max(ratio(whole.deviation, whole.weight, 0.0), 0.0);
  const double within = std::max(ratio(spread, whole.weight, 0.0), least);
  for (std::size_t j = 0; j < classes(); ++j) {
    const auto& [weight, mean, deviation] = moments_[j];
    double variance = within;
    if (!is_tied_) variance = std::max(ratio(deviation + strength_ * within, weight + strength_, within), least);
    using Limits = std::numeric_limits<double>;
    const bool is_usable = least > 0.0 && variance > 0.0;
    variance = is_usable ? std::clamp(variance, Limits::min(), Limits::max()) : 1.0;
    const double norm = -0.5 * (std::log(2.0 * std::numbers::pi) + std::log(variance));
    densities_[j] = {weight > 0.0 ? mean : whole.mean, 0.5 / variance, norm};
  }
  is_settled_ = true;
}

}  // namespace deciban
