// A normal column that is updated and scored one number at a time.
//
// Scores use running moments (Welford, 1962):
//
//     n' = n + 1,  δ = x − m,  m' = m + δ/n',  M' = M + δ²·n/n'
//
// The numbers themselves are kept until they are counted together, in double-double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deciban {

// Weight, mean and sum of squared deviations of one class.
struct RunningMoments {
  double weight, mean, deviation;
};

class LiveNormal {
 public:
  // Variances of the classes are tied, or shrunk to that of the column within classes as if by `strength` more rows.
  LiveNormal(std::vector<RunningMoments> moments, bool is_tied, double strength)
      : strength_(strength), is_tied_(is_tied) {
    reset(std::move(moments));
  }

  std::size_t classes() const { return moments_.size(); }
  const std::vector<double>& pending() const { return pending_; }
  const std::vector<std::int32_t>& pending_classes() const { return pending_classes_; }

  // Continues from these moments, in which all numbers are counted.
  void reset(std::vector<RunningMoments> moments);
  void add(double x, std::size_t j);
  // out[j] += weight·log N(x; μ_j, σ²_j)
  void add_logs(double x, double weight, std::span<double> out);

 private:
  struct Density {
    double mean, half, norm;  // norm − half·(x − mean)²
  };

  void settle();

  std::vector<RunningMoments> moments_;
  std::vector<Density> densities_;
  std::vector<double> pending_;
  std::vector<std::int32_t> pending_classes_;
  double strength_;
  bool is_tied_, is_settled_ = false;
};

}  // namespace deciban
