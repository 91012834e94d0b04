#include "rows/labels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace deciban {

double log_share(double smoothed, double whole, std::size_t states) {
  if (whole > 0.0) return std::log(smoothed) - std::log(whole);
  return -std::log(static_cast<double>(std::max<std::size_t>(states, 1)));
}

LiveLabels::LiveLabels(std::span<const double> counts, std::size_t classes, std::vector<double> pseudo,
                       std::size_t size)
    : counts_(counts.begin(), counts.end()), totals_(classes) {
  for (std::size_t i = 0; i < counts_.size(); ++i) totals_[i % classes] += counts_[i];
  settle(std::move(pseudo), size);
}

void LiveLabels::settle(std::vector<double> pseudo, std::size_t size) {
  pseudo_ = std::move(pseudo);
  unseen_ = pseudo_.empty() ? 0.0 : std::ranges::min(pseudo_);
  const bool are_listed = size == pseudo_.size();
  added_ = are_listed ? std::accumulate(pseudo_.begin(), pseudo_.end(), 0.0) : unseen_ * static_cast<double>(size);
  size_ = size;
}

void LiveLabels::add(std::size_t state, std::size_t j) {
  counts_[state * classes() + j] += 1.0;
  totals_[j] += 1.0;
}

void LiveLabels::grow(std::vector<double> pseudo) {
  counts_.resize(counts_.size() + classes());
  const std::size_t size = pseudo.size();
  settle(std::move(pseudo), size);
}

void LiveLabels::add_logs(std::size_t state, double weight, std::span<double> out) const {
  const bool is_listed = state < states();
  const double pseudo = is_listed ? pseudo_[state] : unseen_;
  for (std::size_t j = 0; j < classes(); ++j) {
    const double n = is_listed ? counts_[state * classes() + j] : 0.0;
    out[j] += weight * log_share(n + pseudo, totals_[j] + added_, size_);
  }
}

LivePresence::LivePresence(std::span<const double> counts, std::span<const double> pseudo)
    : counts_(counts.begin(), counts.end()), pseudo_(pseudo.begin(), pseudo.end()) {}

void LivePresence::add_logs(bool is_missing, double weight, std::span<double> out) const {
  const auto state = static_cast<std::size_t>(is_missing);
  for (std::size_t j = 0; j < classes(); ++j) {
    const double known = counts_[2 * j] + pseudo_[0], missing = counts_[2 * j + 1] + pseudo_[1];
    out[j] += weight * log_share(state == 0 ? known : missing, known + missing, 2);
  }
}

}  // namespace deciban
