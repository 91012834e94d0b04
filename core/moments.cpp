#include "moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clones.hpp"
#include "pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block_rows = 2048;

// Moments of classes × cols cells, each with a weight of its own.
struct Cells {
  std::vector<double> weight, mean, deviation;

  explicit Cells(std::int64_t size)
      : weight(static_cast<std::size_t>(size)), mean(weight.size()), deviation(weight.size()) {}
};

// Adds a group of weight `n` to a cell. Chan, Golub and LeVeque (1979). An empty cell takes the group as it
// is, so that a square that overflows is not multiplied by a weight of 0.
DECIBAN_INLINE void join(double& weight, double& mean, double& deviation, double n, double group_mean,
                         double group_deviation) {
  const double total = weight + n;
  const double share = n / total;
  const double gap = group_mean - mean;
  const double between = weight > 0.0 ? gap * gap * (weight * share) : 0.0;
  deviation += group_deviation + between;
  mean = std::abs(gap) <= std::numeric_limits<double>::max() ? mean + gap * share
                                                             : mean * (weight / total) + group_mean * share;
  weight = total;
}

// Shifted sums of one class within a block.
struct ClassSums {
  double weight = 0.0;
  double* shift;
  double* first;   // Σ w (x − s)
  double* second;  // Σ w (x − s)²
};

template <class T>
DECIBAN_INLINE void add_row(const T* row, std::int64_t cols, double weight, const ClassSums& sums) {
  const double* __restrict shift = sums.shift;
  double* __restrict first = sums.first;
  double* __restrict second = sums.second;
  for (std::int64_t c = 0; c < cols; ++c) {
    const double d = static_cast<double>(row[c]) - shift[c];
    first[c] += weight * d;
    second[c] += weight * d * d;
  }
}

template <class T>
DECIBAN_INLINE void add_row(const T* row, std::int64_t cols, const ClassSums& sums) {
  const double* __restrict shift = sums.shift;
  double* __restrict first = sums.first;
  double* __restrict second = sums.second;
  for (std::int64_t c = 0; c < cols; ++c) {
    const double d = static_cast<double>(row[c]) - shift[c];
    first[c] += d;
    second[c] += d * d;
  }
}

template <class T>
void begin_class(const T* row, std::int64_t cols, ClassSums& sums) {
  for (std::int64_t c = 0; c < cols; ++c) sums.shift[c] = static_cast<double>(row[c]);
  std::fill_n(sums.first, cols, 0.0);
  std::fill_n(sums.second, cols, 0.0);
}

struct Rows {
  const std::int32_t* y;
  const double* weights;  // null when all are 1
  std::int64_t count, cols, stride;
};

template <class T>
DECIBAN_INLINE void add_rows(const T* data, const Rows& rows, std::vector<ClassSums>& sums) {
  for (std::int64_t r = 0; r < rows.count; ++r, data += rows.stride) {
    ClassSums& mine = sums[static_cast<std::size_t>(rows.y[r])];
    const double weight = rows.weights == nullptr ? 1.0 : rows.weights[r];
    if (weight == 0.0) continue;
    if (mine.weight == 0.0) begin_class(data, rows.cols, mine);
    if (rows.weights == nullptr) {
      add_row(data, rows.cols, mine);
    } else {
      add_row(data, rows.cols, weight, mine);
    }
    mine.weight += weight;
  }
}

DECIBAN_CLONES void add_rows_f64(const double* data, const Rows& rows, std::vector<ClassSums>& sums) {
  add_rows(data, rows, sums);
}
DECIBAN_CLONES void add_rows_f32(const float* data, const Rows& rows, std::vector<ClassSums>& sums) {
  add_rows(data, rows, sums);
}

DECIBAN_CLONES void close_class(const ClassSums& sums, std::int64_t cols, double* weight, double* mean,
                                double* deviation) {
  const double n = sums.weight;
  for (std::int64_t c = 0; c < cols; ++c) {
    const double offset = sums.first[c] / n;
    const double spread = sums.second[c] - sums.first[c] * offset;
    join(weight[c], mean[c], deviation[c], n, sums.shift[c] + offset, spread > 0.0 ? spread : 0.0);
  }
}

bool all_finite(const ClassSums& sums, std::int64_t cols) {
  double probe = 0.0;  // stays 0 unless a sum is NaN or infinite
  for (std::int64_t c = 0; c < cols; ++c) probe += sums.second[c] * 0.0;
  return probe == 0.0;
}

class Gatherer {
 public:
  Gatherer(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes, std::span<const double> weights,
           bool missing_allowed)
      : x_(x), y_(y), weights_(weights), missing_allowed_(missing_allowed), classes_(classes), cols_(cols_of(x)) {}

  void gather(std::int64_t begin, std::int64_t end, Cells& cells, Fault& fault) const {
    std::vector<double> room(static_cast<std::size_t>(classes_ * cols_ * 3));
    std::vector<ClassSums> sums(static_cast<std::size_t>(classes_));
    for (std::size_t j = 0; j < sums.size(); ++j) {
      double* at = room.data() + static_cast<std::int64_t>(j) * cols_ * 3;
      sums[j] = {0.0, at, at + cols_, at + 2 * cols_};
    }
    std::vector<double> tile;
    for (std::int64_t first = begin; first < end && !fault; first += block_rows) {
      const std::int64_t last = std::min(first + block_rows, end);
      for (ClassSums& mine : sums) mine.weight = 0.0;
      add_block(first, last, sums, tile);
      close_block(first, last, sums, tile, cells, fault);
    }
  }

 private:
  Rows rows(std::int64_t first, std::int64_t last, std::int64_t stride) const {
    return {y_.data() + first, weights_.empty() ? nullptr : weights_.data() + first, last - first, cols_, stride};
  }

  void load(std::int64_t first, std::int64_t last, std::vector<double>& tile) const {
    tile.resize(static_cast<std::size_t>((last - first) * cols_));
    load_rows(x_, first, last, tile.data(), cols_);
  }

  // Floats that lie in rows are read in place; anything else passes through a tile of doubles.
  void add_block(std::int64_t first, std::int64_t last, std::vector<ClassSums>& sums, std::vector<double>& tile) const {
    const Dense* dense = std::get_if<Dense>(&x_);
    const bool in_place = dense != nullptr && dense->rows_contiguous();
    if (in_place && dense->kind == Kind::f64) {
      const auto* data = static_cast<const double*>(dense->data) + first * dense->row_stride;
      add_rows_f64(data, rows(first, last, dense->row_stride), sums);
    } else if (in_place && dense->kind == Kind::f32) {
      const auto* data = static_cast<const float*>(dense->data) + first * dense->row_stride;
      add_rows_f32(data, rows(first, last, dense->row_stride), sums);
    } else {
      constexpr std::int64_t tile_cells = 1 << 14;
      const std::int64_t step = std::max<std::int64_t>(1, tile_cells / cols_);
      for (std::int64_t r = first; r < last; r += step) {
        const std::int64_t stop = std::min(r + step, last);
        load(r, stop, tile);
        add_rows_f64(tile.data(), rows(r, stop, cols_), sums);
      }
    }
  }

  void close_block(std::int64_t first, std::int64_t last, const std::vector<ClassSums>& sums, std::vector<double>& tile,
                   Cells& cells, Fault& fault) const {
    const bool clean = std::all_of(
        sums.begin(), sums.end(), [&](const ClassSums& mine) { return mine.weight == 0.0 || all_finite(mine, cols_); });
    if (!clean) {
      gather_with_care(first, last, tile, cells, fault);
      return;
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      if (sums[j].weight == 0.0) continue;
      const std::int64_t at = static_cast<std::int64_t>(j) * cols_;
      close_class(sums[j], cols_, cells.weight.data() + at, cells.mean.data() + at, cells.deviation.data() + at);
    }
  }

  // Value by value (Welford), for a block with missing, infinite or enormous values.
  void gather_with_care(std::int64_t first, std::int64_t last, std::vector<double>& tile, Cells& cells,
                        Fault& fault) const {
    for (std::int64_t r = first; r < last; ++r) {
      load(r, r + 1, tile);
      const double weight = weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(r)];
      const std::int64_t at = y_[static_cast<std::size_t>(r)] * cols_;
      for (std::int64_t c = 0; c < cols_; ++c) {
        const double value = tile[static_cast<std::size_t>(c)];
        if (std::isnan(value)) {
          if (!missing_allowed_) fault.note(Trouble::missing, r, c);
        } else if (std::isinf(value)) {
          fault.note(Trouble::infinite, r, c);
        } else if (weight > 0.0) {
          const auto k = static_cast<std::size_t>(at + c);
          join(cells.weight[k], cells.mean[k], cells.deviation[k], weight, value, 0.0);
        }
      }
    }
  }

  const Matrix& x_;
  std::span<const std::int32_t> y_;
  std::span<const double> weights_;
  bool missing_allowed_;
  std::int64_t classes_, cols_;
};

// One weight a class when every column of a class has the same, else one a cell.
std::vector<double> compact(const std::vector<double>& weight, std::int64_t classes, std::int64_t cols) {
  std::vector<double> shared;
  for (std::int64_t j = 0; j < classes; ++j) {
    const auto row = std::span(weight).subspan(static_cast<std::size_t>(j * cols), static_cast<std::size_t>(cols));
    if (std::any_of(row.begin(), row.end(), [&](double w) { return w != row[0]; })) return weight;
    shared.push_back(row[0]);
  }
  return shared;
}

}  // namespace

Moments class_moments(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                      std::span<const double> weights, bool missing_allowed) {
  const std::int64_t cols = cols_of(x);
  const std::int64_t size = classes * cols;
  const Stripes cut = stripes(rows_of(x), cols, size * 48);
  const Gatherer gatherer(x, y, classes, weights, missing_allowed);
  std::vector<Cells> parts(static_cast<std::size_t>(cut.count), Cells(size));
  std::vector<Fault> faults(parts.size());
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto k = static_cast<std::size_t>(s);
    gatherer.gather(cut.begin(s), cut.end(s), parts[k], faults[k]);
  });
  Cells& all = parts[0];
  for (std::size_t s = 1; s < parts.size(); ++s) {  // in stripe order
    for (std::size_t k = 0; k < all.weight.size(); ++k) {
      if (parts[s].weight[k] == 0.0) continue;
      join(all.weight[k], all.mean[k], all.deviation[k], parts[s].weight[k], parts[s].mean[k], parts[s].deviation[k]);
    }
  }
  return {compact(all.weight, classes, cols), std::move(all.mean), std::move(all.deviation), earliest(faults)};
}

}  // namespace deciban
