#include "rows/bins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rows/labels.hpp"
#include "run/ties.hpp"

namespace deciban {
namespace {

// In order, each once.
template <class T>
std::vector<T> sorted_once(std::vector<T> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

LiveBins::LiveBins(LiveHistogram histogram, BinRule rule, std::size_t number, std::vector<double> given, bool is_whole,
                   PseudoCounts pseudo)
    : histogram_(std::move(histogram)),
      rule_(rule),
      number_(number),
      is_whole_(is_whole),
      pseudo_of_(std::move(pseudo)),
      tree_(histogram_.classes(), tie_share),
      cuts_(std::move(given)) {}

void LiveBins::reset(LiveHistogram histogram) {
  histogram_ = std::move(histogram);
  pending_.clear();
  tree_.clear();
  summed_ = 0;
  is_settled_ = false;
}

void LiveBins::add(double x, std::size_t j) {
  const auto [index, is_new] = histogram_.add(x, j);
  if (index == LiveHistogram::no_room) {
    pending_.push_back({x, j});
    return;
  }
  if (is_new) {
    tree_.clear();
  } else {
    tree_.touch(index);
  }
  summed_ = std::min(summed_, index + 1);
  is_settled_ = false;
}

void LiveBins::add_logs(double x, double weight, std::span<double> out) {
  if (!is_settled_) settle();
  const std::size_t width = classes();
  const auto bin = static_cast<std::size_t>(std::ranges::lower_bound(cuts_, x) - cuts_.begin());
  const double* const total = &below_[histogram_.size() * width];
  for (std::size_t j = 0; j < width; ++j) {
    out[j] += weight * log_share(bins_[bin * width + j] + pseudo_[bin], total[j] + added_, cuts_.size() + 1);
  }
}

// Finds the cuts again, and counts the bins.
void LiveBins::settle() {
  sum_up();
  if (rule_ != BinRule::given) cuts_ = find_cuts();
  const std::size_t width = classes(), count = cuts_.size() + 1;
  bins_.assign(count * width, 0.0);
  const auto& values = histogram_.values();
  std::size_t first = 0;
  for (std::size_t b = 0; b < count; ++b) {
    const auto last = b + 1 == count
                          ? values.size()
                          : static_cast<std::size_t>(std::ranges::upper_bound(values, cuts_[b]) - values.begin());
    for (std::size_t j = 0; j < width; ++j) {
      bins_[b * width + j] = below_[last * width + j] - below_[first * width + j];
    }
    first = last;
  }
  if (pseudo_.size() != count) {
    pseudo_ = pseudo_of_(count);
    added_ = std::accumulate(pseudo_.begin(), pseudo_.end(), 0.0);
  }
  is_settled_ = true;
}

void LiveBins::sum_up() {
  const std::size_t width = classes(), values = histogram_.size();
  const auto& counts = histogram_.counts();
  below_.resize((values + 1) * width);
  for (std::size_t i = std::max<std::size_t>(summed_, 1) * width; i < below_.size(); ++i) {
    below_[i] = below_[i - width] + counts[i - width];
  }
  summed_ = values + 1;
}

std::vector<double> LiveBins::find_cuts() {
  const std::size_t width = classes(), values = histogram_.size();
  if (values < 2) return {};
  if (rule_ == BinRule::width) return cuts_of_width();
  if (rule_ == BinRule::frequency) return cuts_of_frequency();
  const double* const total = &below_[values * width];
  if (is_whole_) tree_.expect_whole(std::accumulate(total, total + width, 0.0));
  return between(tree_.ends(below_, values));
}

std::vector<double> LiveBins::cuts_of_width() const {
  const double low = histogram_.values().front(), high = histogram_.values().back();
  std::vector<double> cuts;
  for (std::size_t b = 1; b < number_; ++b) {
    const double share = static_cast<double>(b) / static_cast<double>(number_);
    cuts.push_back(low * (1.0 - share) + high * share);  // no difference, which may overflow
  }
  return sorted_once(std::move(cuts));
}

// For each multiple of the total the value up to which the counts are closest to it, the first of those that tie.
std::vector<double> LiveBins::cuts_of_frequency() {
  const std::size_t width = classes(), values = histogram_.size();
  const auto up_to = [&](std::size_t v) {
    const double* const sums = &below_[(v + 1) * width];
    return std::accumulate(sums, sums + width, 0.0);
  };
  const double total = up_to(values - 1);
  std::vector<std::size_t> ends;
  std::size_t v = 0;
  for (std::size_t b = 1; b < number_; ++b) {
    const double goal = total * static_cast<double>(b) / static_cast<double>(number_);
    const auto distance = [&](std::size_t at) { return std::abs(up_to(at) - goal); };
    while (v + 2 < values && up_to(v) < goal) ++v;
    std::size_t best = v > 0 && distance(v - 1) <= distance(v) ? v - 1 : v;
    const double most = distance(best) + tie_share * total;
    while (best > 0 && distance(best - 1) <= most) --best;
    ends.push_back(best);
  }
  return between(sorted_once(std::move(ends)));
}

// Halfway from each of these values to the next, and always below the next.
std::vector<double> LiveBins::between(std::span<const std::size_t> ends) const {
  std::vector<double> cuts;
  for (const std::size_t end : ends) {
    const double low = histogram_.values()[end], high = histogram_.values()[end + 1];
    const double middle = low / 2.0 + high / 2.0;
    cuts.push_back(middle >= low && middle < high ? middle : low);
  }
  return cuts;
}

}  // namespace deciban
