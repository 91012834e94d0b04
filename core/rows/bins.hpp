// A numeric column in bins that is updated and scored one number at a time; its cuts move with the counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rows/description_tree.hpp"
#include "rows/histogram.hpp"

namespace deciban {

// How cuts are found: bins of equal width, bins of equal frequency, by description length, or given.
enum class BinRule : std::uint8_t { width, frequency, description, given };

// The pseudo-counts of so many bins.
using PseudoCounts = std::function<std::vector<double>(std::size_t)>;

class LiveBins {
 public:
  // `number` of bins at most; `given` are the cuts of BinRule::given. `is_whole`: all counts are whole numbers.
  LiveBins(LiveHistogram histogram, BinRule rule, std::size_t number, std::vector<double> given, bool is_whole,
           PseudoCounts pseudo);

  struct Pending {
    double x;
    std::size_t j;
  };

  const LiveHistogram& histogram() const { return histogram_; }
  // Numbers that the histogram has no room for.
  const std::vector<Pending>& pending() const { return pending_; }
  std::size_t classes() const { return histogram_.classes(); }

  void reset(LiveHistogram histogram);
  void add(double x, std::size_t j);
  // out[j] += weight·log P(bin of x | j)
  void add_logs(double x, double weight, std::span<double> out);

 private:
  void settle();
  void sum_up();
  std::vector<double> find_cuts();
  std::vector<double> cuts_of_width() const;
  std::vector<double> cuts_of_frequency();
  std::vector<double> between(std::span<const std::size_t> ends) const;

  LiveHistogram histogram_;
  BinRule rule_;
  std::size_t number_;
  bool is_whole_;
  PseudoCounts pseudo_of_;
  DescriptionTree tree_;
  std::vector<Pending> pending_;
  std::vector<double> below_;  // (values + 1) × classes: sums of the counts below each value, and of all
  std::size_t summed_ = 0;     // how many rows of `below_` are up to date
  std::vector<double> cuts_, bins_, pseudo_;
  double added_ = 0.0;
  bool is_settled_ = false;
};

}  // namespace deciban
