// The smoothed levels of one chain after the other; the memory of one is used again for the next.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chains/chains.hpp"

namespace deciban {

// x becomes log x; all must be positive.
void take_logs(std::span<double> x);

class ChainLevels {
 public:
  ChainLevels(std::int64_t classes, double unit) : classes_(static_cast<std::size_t>(classes)), unit_(unit) {}

  // The first `used` levels of a chain whose cells begin at `start`. With strengths, one a level, the probabilities
  // without a row are not computed; without, the strengths are found.
  void smooth(const Chains& chains, std::size_t chain, const ChainCounts& counts, std::size_t start, std::size_t used,
              std::span<const double> strengths);

  std::span<const std::int64_t> sizes() const { return sizes_; }
  std::span<const double> strengths() const { return strengths_; }
  // P_l, states of p_1 … p_l × states of x × classes, and the same without one row of the class.
  const std::vector<double>& whole(std::size_t level) const { return levels_[level].whole; }
  const std::vector<double>& left(std::size_t level) const { return levels_[level].left; }

 private:
  struct Level {
    std::vector<double> counts, whole, left;
  };
  // Σ n·log(m + s·prior), and Σ n·log m of what does not depend on s.
  struct Terms {
    std::vector<double> n, m, prior;
    void clear();
    void add(double count, double rest, double of_prior);
    void pad();
    double sum(double strength) const;
  };

  void copy_counts(const ChainCounts& counts, std::size_t start);
  void sum_out(std::size_t level);
  void start();
  void spread(std::size_t level, bool is_left);
  double best_strength(std::size_t level);
  void shrink(std::size_t level, double strength, bool is_left);

  std::size_t classes_, row_ = 0;
  double unit_;
  std::vector<std::int64_t> sizes_;
  std::vector<Level> levels_;
  std::vector<double> strengths_, base_, base_left_;
  std::vector<double> sums_, of_cell_, below_, below_left_;  // of the level that is smoothed, by cell
  Terms several_, single_, totals_;
};

}  // namespace deciban
