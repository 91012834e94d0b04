#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "run/lanes.hpp"
#include "run/pool.hpp"
#include "score/score.hpp"

namespace deciban {
namespace {

constexpr std::int64_t tile_rows = 64;
constexpr std::int64_t group = 4;  // rows that share each load of the parameters

struct Layout {
  std::int64_t classes, cols, width;
  const double* mean;
  const double* half_precision;
  const double* start;  // prior plus all the norms
};

// Joint log-probabilities of `group` rows, `width` apart, into rows of `classes`.
DECIBAN_INLINE void score_group(const Layout& at, const double* x, double* joint) {
  for (std::int64_t j = 0; j < at.classes; ++j) {
    const double* mean = at.mean + j * at.width;
    const double* half_precision = at.half_precision + j * at.width;
    Lanes a{}, b{}, c{}, d{};
    for (std::int64_t k = 0; k < at.width; k += lanes) {
      const Lanes m = lanes_at(mean + k);
      const Lanes w = lanes_at(half_precision + k);
      const Lanes da = lanes_at(x + k) - m;
      const Lanes db = lanes_at(x + at.width + k) - m;
      const Lanes dc = lanes_at(x + 2 * at.width + k) - m;
      const Lanes dd = lanes_at(x + 3 * at.width + k) - m;
      a += da * da * w;
      b += db * db * w;
      c += dc * dc * w;
      d += dd * dd * w;
    }
    joint[j] = at.start[j] - sum_lanes(a);
    joint[at.classes + j] = at.start[j] - sum_lanes(b);
    joint[2 * at.classes + j] = at.start[j] - sum_lanes(c);
    joint[3 * at.classes + j] = at.start[j] - sum_lanes(d);
  }
}

DECIBAN_CLONES void score_tile(const Layout& at, std::int64_t rows, const double* x, double* joint) {
  for (std::int64_t r = 0; r < rows; r += group) score_group(at, x + r * at.width, joint + r * at.classes);
}

// True when a value of the row may be missing or infinite: a NaN, or no class possible.
bool is_suspect(const double* joint, std::int64_t classes) {
  bool impossible = true;
  for (std::int64_t j = 0; j < classes; ++j) {
    if (std::isnan(joint[j])) return true;
    impossible &= joint[j] == -std::numeric_limits<double>::infinity();
  }
  return impossible;
}

class GaussianScorer {
 public:
  GaussianScorer(const Matrix& x, const GaussianModel& model, bool missing_allowed, const Output& output)
      : x_(x),
        model_(model),
        missing_allowed_(missing_allowed),
        output_(output),
        at_{output.classes, cols_of(x), padded(cols_of(x)), model.mean.data(), model.half_precision.data(), nullptr},
        start_(model.prior.begin(), model.prior.end()) {
    for (std::int64_t j = 0; j < at_.classes; ++j) {
      for (std::int64_t c = 0; c < at_.cols; ++c) start_[static_cast<std::size_t>(j)] += norm(j, c);
    }
    at_.start = start_.data();
  }

  void score(std::int64_t begin, std::int64_t end, Fault& fault) const {
    std::vector<double> tile(static_cast<std::size_t>(tile_rows * at_.width));
    std::vector<double> joint(static_cast<std::size_t>(tile_rows * at_.classes));
    for (std::int64_t first = begin; first < end; first += tile_rows) {
      const std::int64_t rows = std::min(tile_rows, end - first);
      load_rows(x_, first, first + rows, tile.data(), at_.width);
      score_tile(at_, rows, tile.data(), joint.data());  // rows past the last are scored and not used
      for (std::int64_t r = 0; r < rows; ++r) {
        double* row = joint.data() + r * at_.classes;
        if (is_suspect(row, at_.classes)) score_with_care(tile.data() + r * at_.width, first + r, row, fault);
      }
      if (!fault) output_.finish(first, rows, joint.data(), at_.classes);
    }
  }

 private:
  double norm(std::int64_t j, std::int64_t c) const {
    return model_.log_norm[static_cast<std::size_t>(j * at_.width + c)];
  }

  // Value by value: a missing one adds nothing to any class.
  void score_with_care(const double* x, std::int64_t row, double* joint, Fault& fault) const {
    std::copy(model_.prior.begin(), model_.prior.end(), joint);
    for (std::int64_t c = 0; c < at_.cols; ++c) {
      if (std::isinf(x[c])) fault.note(Trouble::infinite, row, c);
      if (std::isnan(x[c])) {
        if (!missing_allowed_) fault.note(Trouble::missing, row, c);
        continue;
      }
      for (std::int64_t j = 0; j < at_.classes; ++j) {
        const double d = x[c] - at_.mean[j * at_.width + c];
        joint[j] += norm(j, c) - d * d * at_.half_precision[j * at_.width + c];
      }
    }
  }

  const Matrix& x_;
  const GaussianModel& model_;
  bool missing_allowed_;
  const Output& output_;
  Layout at_;
  std::vector<double> start_;
};

}  // namespace

Fault score_gaussian(const Matrix& x, const GaussianModel& model, bool missing_allowed, const Output& output) {
  const GaussianScorer scorer(x, model, missing_allowed, output);
  const Stripes cut = stripes(rows_of(x), cols_of(x) * output.classes, 0);
  std::vector<Fault> faults(static_cast<std::size_t>(cut.count));
  parallel_for(cut.count,
               [&](std::int64_t s) { scorer.score(cut.begin(s), cut.end(s), faults[static_cast<std::size_t>(s)]); });
  return earliest(faults);
}

}  // namespace deciban
