#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"
#include "score/score.hpp"

namespace deciban {
namespace {

constexpr std::int64_t tile_rows = 64;

struct Layout {
  std::int64_t classes, cols, width;
  const double* mean;
  const double* half_precision;
  const double* start;  // prior plus all the norms
};

// Where the values of a row are: those of whole groups of lanes, which may be read in place, and the last columns,
// which are padded.
struct Row {
  const double *whole, *rest;
};

// Joint log-probabilities of G rows, into rows of padded(classes); they share each load of the parameters.
template <class Set, int G>
DECIBAN_INLINE void score_group(const Layout& at, const Row* rows, double* joint) {
  const std::int64_t whole = at.cols / lanes * lanes;
  for (std::int64_t j = 0; j < at.classes; ++j) {
    const double* mean = at.mean + j * at.width;
    const double* half_precision = at.half_precision + j * at.width;
    Lanes<Set> sums[G] = {};
    for (std::int64_t k = 0; k < whole; k += lanes) {
      const auto m = lanes_at<Set>(mean + k), w = lanes_at<Set>(half_precision + k);
      for (int g = 0; g < G; ++g) {
        const auto d = lanes_at<Set>(rows[g].whole + k) - m;
        sums[g] += d * d * w;
      }
    }
    if (whole < at.cols) {
      const auto m = lanes_at<Set>(mean + whole), w = lanes_at<Set>(half_precision + whole);
      for (int g = 0; g < G; ++g) {
        const auto d = lanes_at<Set>(rows[g].rest) - m;
        sums[g] += d * d * w;
      }
    }
    for (int g = 0; g < G; ++g) joint[g * padded(at.classes) + j] = at.start[j] - sum_lanes(sums[g]);
  }
}

void score_tile(const Layout& layout, const Row* rows, std::int64_t count, double* joint) {
  on_instruction_set([=, at = layout](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    constexpr int group = Set::sums_in_registers < 4 ? 2 : 4;
    for (std::int64_t r = 0; r < count; r += group) {
      score_group<Set, group>(at, rows + r, joint + r * padded(at.classes));
    }
  });
}

// True when a value of the row may be missing or infinite: a NaN, or no class possible.
bool is_suspect(const double* joint, std::int64_t classes) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool plain = true;
  for (std::int64_t j = 0; j < classes; ++j) plain &= joint[j] > -infinity;
  if (plain) return false;
  const bool has_nan = std::any_of(joint, joint + classes, [](double v) { return std::isnan(v); });
  return has_nan || std::all_of(joint, joint + classes, [](double v) { return v == -infinity; });
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
    const std::int64_t joint_width = padded(at_.classes);
    std::vector<double> joint(static_cast<std::size_t>(tile_rows * joint_width));
    std::vector<Row> rows(static_cast<std::size_t>(tile_rows));
    for (std::int64_t first = begin; first < end; first += tile_rows) {
      const std::int64_t count = std::min(tile_rows, end - first);
      find_rows(first, count, tile.data(), rows);
      score_tile(at_, rows.data(), count, joint.data());  // rows past the last are scored and not used
      for (std::int64_t r = 0; r < count; ++r) {
        double* row = joint.data() + r * joint_width;
        if (is_suspect(row, at_.classes)) score_with_care(rows[static_cast<std::size_t>(r)], first + r, row, fault);
      }
      if (!fault) output_.finish(first, count, joint.data(), joint_width);
    }
  }

 private:
  // Rows of doubles are read where they are but for their last columns, all others as copied into the tile. Rows past
  // the last one are the last one again.
  void find_rows(std::int64_t first, std::int64_t count, double* tile, std::vector<Row>& rows) const {
    const std::int64_t whole = at_.cols / lanes * lanes;
    const Dense* dense = std::get_if<Dense>(&x_);
    if (dense == nullptr || dense->kind != Kind::f64 || !dense->rows_contiguous()) {
      load_rows(x_, first, first + count, tile, at_.width);
      for (std::int64_t r = 0; r < tile_rows; ++r) {
        const double* row = tile + std::min(r, count - 1) * at_.width;
        rows[static_cast<std::size_t>(r)] = {row, row + whole};
      }
      return;
    }
    const double* data = static_cast<const double*>(dense->data) + first * dense->row_stride;
    for (std::int64_t r = 0; r < tile_rows; ++r) {
      const double* row = data + std::min(r, count - 1) * dense->row_stride;
      double* rest = tile + r * lanes;
      for (std::int64_t c = whole; c < at_.cols; ++c) rest[c - whole] = row[c];
      rows[static_cast<std::size_t>(r)] = {row, rest};
    }
  }

  double norm(std::int64_t j, std::int64_t c) const {
    return model_.log_norm[static_cast<std::size_t>(j * at_.width + c)];
  }

  // Value by value: a missing one adds nothing to any class.
  void score_with_care(const Row& values, std::int64_t row, double* joint, Fault& fault) const {
    const std::int64_t whole = at_.cols / lanes * lanes;
    std::copy(model_.prior.begin(), model_.prior.end(), joint);
    for (std::int64_t c = 0; c < at_.cols; ++c) {
      const double x = c < whole ? values.whole[c] : values.rest[c - whole];
      if (std::isinf(x)) fault.note(Trouble::infinite, row, c);
      if (std::isnan(x)) {
        if (!missing_allowed_) fault.note(Trouble::missing, row, c);
        continue;
      }
      for (std::int64_t j = 0; j < at_.classes; ++j) {
        const double d = x - at_.mean[j * at_.width + c];
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
