// Counts of states that are updated and scored one value at a time: P(v | j) = (n_jv + a_v) / (n_j + Σa).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace deciban {

class LiveLabels {
 public:
  // counts: states × classes. `pseudo` are added to the counts, one number for each state; `size` is the number of
  // states where some that were never counted are not listed.
  LiveLabels(std::span<const double> counts, std::size_t classes, std::vector<double> pseudo, std::size_t size);

  std::size_t states() const { return counts_.size() / totals_.size(); }
  std::size_t classes() const { return totals_.size(); }
  const std::vector<double>& counts() const { return counts_; }

  void add(std::size_t state, std::size_t j);
  // One more state, without counts.
  void grow(std::vector<double> pseudo);
  // out[j] += weight·log P(state | j). A state that was never counted has the least pseudo-count.
  void add_logs(std::size_t state, double weight, std::span<double> out) const;

 private:
  void settle(std::vector<double> pseudo, std::size_t size);

  std::vector<double> counts_, totals_, pseudo_;
  double unseen_ = 0.0, added_ = 0.0;
  std::size_t size_ = 0;
};

// How often a value was known and missing in each class, where that is evidence of its own.
class LivePresence {
 public:
  // counts: classes × (known, missing); `pseudo` is added to the counts of known and of missing values.
  LivePresence(std::span<const double> counts, std::span<const double> pseudo);

  std::size_t classes() const { return counts_.size() / 2; }
  const std::vector<double>& counts() const { return counts_; }

  void add(bool is_missing, std::size_t j) { counts_[2 * j + static_cast<std::size_t>(is_missing)] += 1.0; }
  void add_logs(bool is_missing, double weight, std::span<double> out) const;

 private:
  std::vector<double> counts_, pseudo_;
};

// log (n + a) − log (N + Σa), and −log m where N + Σa is 0.
double log_share(double smoothed, double whole, std::size_t states);

}  // namespace deciban
