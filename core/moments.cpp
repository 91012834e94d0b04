#include "moments.hpp"

#include <algorithm>
#include <cmath>

#include "clones.hpp"
#include "pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block_rows = 1 << 14;  // after which sums are checked, and added to those of the stripe
constexpr std::int64_t chunk_rows = 512;      // after which high and low parts are joined

// Sums of one class within a block; high and low parts are added up apart and joined now and then.
struct ClassSums {
  double weight = 0.0;
  double weight_low = 0.0;
  bool has_shift = false;  // chosen at the first row of the class in a stripe, and kept
  double* shift;
  double* first;
  double* first_low;
  double* second;
  double* second_low;
};

struct Rows {
  const std::int32_t* y;
  const double* weights;  // null when all are 1
  std::int64_t count, cols, stride;
};

// d = x − s; where `exact`, with the rounding error of the difference. The low parts gather every rounding error.
template <bool fused, bool exact, bool weighted, class T>
DECIBAN_INLINE void add_row(const T* row, std::int64_t cols, double weight, const ClassSums& sums) {
  const double* __restrict shift = sums.shift;
  double* __restrict first = sums.first;
  double* __restrict first_low = sums.first_low;
  double* __restrict second = sums.second;
  double* __restrict second_low = sums.second_low;
#pragma GCC ivdep  // the five tables lie apart
  for (std::int64_t c = 0; c < cols; ++c) {
    const auto x = static_cast<double>(row[c]);
    double d = x - shift[c];
    double rest = 0.0;
    if constexpr (exact) rest = error_of_sum(x, -shift[c], d);
    Doubled term{d, rest};
    if constexpr (weighted) {
      term = two_product<fused>(weight, d);
      term.lo += weight * rest;
    }
    Doubled square = two_product<fused>(term.hi, d);
    if constexpr (weighted) square.lo += term.lo * d;
    if constexpr (exact) square.lo += weighted ? term.hi * rest : (2.0 * d + rest) * rest;
    const double first_sum = first[c] + term.hi, second_sum = second[c] + square.hi;
    const double first_error = error_of_sum(first[c], term.hi, first_sum);
    const double second_error = error_of_sum(second[c], square.hi, second_sum);
    first[c] = first_sum;
    first_low[c] += exact || weighted ? first_error + term.lo : first_error;
    second[c] = second_sum;
    second_low[c] += second_error + square.lo;
  }
}

// The shift of a column is the class's first value where the next ones are close to it. The difference of two
// numbers that are within a factor of 2 is exact (Sterbenz); far from 0 the sums would lose what the offset has.
template <class T>
void choose_shift(const T* data, const Rows& rows, std::int64_t row, ClassSums& sums) {
  constexpr std::int64_t seen_rows = 8, most_ahead = 256;
  constexpr double close = 1.0 / 512;  // so that the sum of a block of squares still shows it
  const T* own = data + row * rows.stride;
  for (std::int64_t c = 0; c < rows.cols; ++c)
    sums.shift[c] = std::isfinite(own[c]) ? static_cast<double>(own[c]) : 0.0;
  const std::int64_t end = std::min(row + most_ahead, rows.count);
  for (std::int64_t r = row + 1, seen = 1; r < end && seen < seen_rows; ++r) {
    if (rows.y[r] != rows.y[row]) continue;
    ++seen;
    for (std::int64_t c = 0; c < rows.cols; ++c) {
      const auto x = static_cast<double>(data[r * rows.stride + c]);
      if (std::abs(x - sums.shift[c]) > close * std::abs(sums.shift[c])) sums.shift[c] = 0.0;
    }
  }
  sums.has_shift = true;
}

template <class T>
DECIBAN_INLINE void fetch(const T* row, std::int64_t cols) {
  constexpr std::int64_t ahead = 4096 / sizeof(T), line = 64 / sizeof(T);  // further than the hardware looks
  for (std::int64_t c = 0; c < cols; c += line) __builtin_prefetch(row + ahead + c);
}

template <bool fused, bool exact, class T>
DECIBAN_INLINE void add_rows(const T* data, const Rows& rows, std::vector<ClassSums>& sums) {
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const T* row = data + r * rows.stride;
    fetch(row, rows.cols);
    ClassSums& mine = sums[static_cast<std::size_t>(rows.y[r])];
    const double weight = rows.weights == nullptr ? 1.0 : rows.weights[r];
    if (weight == 0.0) continue;
    if (!mine.has_shift) choose_shift(data, rows, r, mine);
    if (rows.weights == nullptr) {
      add_row<fused, exact, false>(row, rows.cols, 1.0, mine);
    } else {
      add_row<fused, exact, true>(row, rows.cols, weight, mine);
    }
    const Doubled sum = two_sum(mine.weight, weight);
    mine.weight = sum.hi;
    mine.weight_low += sum.lo;
  }
}

using Sums = std::vector<ClassSums>;

DECIBAN_CLONES void join_parts(double* high, double* low, std::int64_t count) {
  for (std::int64_t c = 0; c < count; ++c) {
    const Doubled sum = two_sum(high[c], low[c]);
    high[c] = sum.hi;
    low[c] = sum.lo;
  }
}

// Clones for newer processors multiply and add in one step; the baseline splits numbers instead.
DECIBAN_CLONES void add_rows_fused(const double* data, const Rows& rows, Sums& sums) {
  add_rows<true, false>(data, rows, sums);
}
DECIBAN_CLONES void add_rows_fused(const float* data, const Rows& rows, Sums& sums) {
  add_rows<true, false>(data, rows, sums);
}
DECIBAN_CLONES void add_rows_exact(const double* data, const Rows& rows, Sums& sums) {
  add_rows<true, true>(data, rows, sums);
}
DECIBAN_CLONES void add_rows_exact(const float* data, const Rows& rows, Sums& sums) {
  add_rows<true, true>(data, rows, sums);
}

template <class T>
void add_any_rows(const T* data, Rows rows, Sums& sums, bool exact) {
  static const bool fused = has_fused();
  const std::int64_t count = rows.count;
  for (std::int64_t r = 0; r < count; r += chunk_rows, data += chunk_rows * rows.stride, rows.y += chunk_rows) {
    rows.count = std::min(chunk_rows, count - r);
    if (fused) {
      exact ? add_rows_exact(data, rows, sums) : add_rows_fused(data, rows, sums);
    } else {
      exact ? add_rows<false, true>(data, rows, sums) : add_rows<false, false>(data, rows, sums);
    }
    if (rows.weights != nullptr) rows.weights += chunk_rows;
    for (const ClassSums& mine : sums) {
      if (mine.weight == 0.0) continue;
      join_parts(mine.first, mine.first_low, rows.cols);
      join_parts(mine.second, mine.second_low, rows.cols);
    }
  }
}

bool all_finite(const ClassSums& sums, std::int64_t cols) {
  double probe = 0.0;  // stays 0 unless a sum is NaN or infinite
  for (std::int64_t c = 0; c < cols; ++c) probe += (sums.second[c] + sums.second_low[c]) * 0.0;
  return probe == 0.0;
}

class Gatherer {
 public:
  Gatherer(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes, std::span<const double> weights,
           bool missing_allowed)
      : x_(x), y_(y), weights_(weights), missing_allowed_(missing_allowed), classes_(classes), cols_(cols_of(x)) {}

  void gather(std::int64_t begin, std::int64_t end, std::vector<MomentCell>& cells, Fault& fault) const {
    std::vector<double> room(static_cast<std::size_t>(classes_ * cols_ * 5));
    Sums sums(static_cast<std::size_t>(classes_));
    for (std::size_t j = 0; j < sums.size(); ++j) {
      double* at = room.data() + static_cast<std::int64_t>(j) * cols_ * 5;
      sums[j] = {0.0, 0.0, false, at, at + cols_, at + 2 * cols_, at + 3 * cols_, at + 4 * cols_};
    }
    std::vector<double> tile;
    bool exact = false;
    for (std::int64_t first = begin; first < end && !fault; first += block_rows) {
      const std::int64_t last = std::min(first + block_rows, end);
      add_block(first, last, sums, tile, exact);
      if (!exact && !differences_are_exact(first, last, sums)) {
        exact = true;  // for the rest of the stripe: what is mixed here is likely to be mixed there
        add_block(first, last, sums, tile, exact);
      }
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
  void add_block(std::int64_t first, std::int64_t last, Sums& sums, std::vector<double>& tile, bool exact) const {
    for (ClassSums& mine : sums) {
      if (mine.weight != 0.0) std::fill_n(mine.first, 4 * cols_, 0.0);
      mine.weight = mine.weight_low = 0.0;
    }
    const Dense* dense = std::get_if<Dense>(&x_);
    const bool in_place = dense != nullptr && dense->rows_contiguous();
    if (in_place && dense->kind == Kind::f64) {
      const auto* data = static_cast<const double*>(dense->data) + first * dense->row_stride;
      add_any_rows(data, rows(first, last, dense->row_stride), sums, exact);
    } else if (in_place && dense->kind == Kind::f32) {
      const auto* data = static_cast<const float*>(dense->data) + first * dense->row_stride;
      add_any_rows(data, rows(first, last, dense->row_stride), sums, exact);
    } else {
      constexpr std::int64_t tile_cells = 1 << 14;
      const std::int64_t step = std::max<std::int64_t>(1, tile_cells / cols_);
      for (std::int64_t r = first; r < last; r += step) {
        const std::int64_t stop = std::min(r + step, last);
        load(r, stop, tile);
        add_any_rows(tile.data(), rows(r, stop, cols_), sums, exact);
      }
    }
  }

  // True when S₂ shows that every value is within a factor of 2 of its shift, or there is no shift.
  bool differences_are_exact(std::int64_t first, std::int64_t last, const Sums& sums) const {
    double least = 1.0;  // the smallest weight
    if (!weights_.empty()) {
      for (std::int64_t r = first; r < last; ++r) {
        const double weight = weights_[static_cast<std::size_t>(r)];
        if (weight > 0.0) least = std::min(least, weight);
      }
    }
    return std::all_of(sums.begin(), sums.end(), [&](const ClassSums& mine) {
      bool is_exact = true;
      if (mine.weight == 0.0) return is_exact;
      for (std::int64_t c = 0; c < cols_; ++c) {
        is_exact &= mine.shift[c] == 0.0 || mine.second[c] <= least * (mine.shift[c] * mine.shift[c] / 4.0);
      }
      return is_exact;
    });
  }

  void close_block(std::int64_t first, std::int64_t last, const Sums& sums, std::vector<double>& tile,
                   std::vector<MomentCell>& cells, Fault& fault) const {
    const bool clean = std::all_of(
        sums.begin(), sums.end(), [&](const ClassSums& mine) { return mine.weight == 0.0 || all_finite(mine, cols_); });
    if (!clean) {
      gather_with_care(first, last, tile, cells, fault);
      return;
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const ClassSums& mine = sums[j];
      if (mine.weight == 0.0) continue;
      MomentCell* at = cells.data() + static_cast<std::int64_t>(j) * cols_;
      for (std::int64_t c = 0; c < cols_; ++c) {
        at[c].add(MomentCell{{mine.weight, mine.weight_low},
                             mine.shift[c],
                             two_sum(mine.first[c], mine.first_low[c]),
                             two_sum(mine.second[c], mine.second_low[c])});
      }
    }
  }

  // Value by value, for a block with missing, infinite or enormous values.
  void gather_with_care(std::int64_t first, std::int64_t last, std::vector<double>& tile,
                        std::vector<MomentCell>& cells, Fault& fault) const {
    for (std::int64_t r = first; r < last; ++r) {
      load(r, r + 1, tile);
      const double weight = weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(r)];
      MomentCell* at = cells.data() + y_[static_cast<std::size_t>(r)] * cols_;
      for (std::int64_t c = 0; c < cols_; ++c) {
        const double value = tile[static_cast<std::size_t>(c)];
        if (std::isnan(value)) {
          if (!missing_allowed_) fault.note(Trouble::missing, r, c);
        } else if (std::isinf(value)) {
          fault.note(Trouble::infinite, r, c);
        } else if (weight > 0.0) {
          at[c].add(value, weight);
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
std::vector<double> compact(const std::vector<MomentCell>& cells, std::int64_t classes, std::int64_t cols) {
  std::vector<double> shared, each;
  bool is_shared = true;
  for (std::int64_t j = 0; j < classes; ++j) {
    const auto row = std::span(cells).subspan(static_cast<std::size_t>(j * cols), static_cast<std::size_t>(cols));
    for (const MomentCell& cell : row) {
      is_shared &= cell.weight.hi == row[0].weight.hi;
      each.push_back(cell.weight.hi);
    }
    shared.push_back(row[0].weight.hi);
  }
  return is_shared ? shared : each;
}

}  // namespace

Moments class_moments(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                      std::span<const double> weights, bool missing_allowed) {
  const std::int64_t cols = cols_of(x);
  const auto size = static_cast<std::size_t>(classes * cols);
  const Stripes cut = stripes(rows_of(x), cols, static_cast<std::int64_t>(size * sizeof(MomentCell)));
  const Gatherer gatherer(x, y, classes, weights, missing_allowed);
  std::vector<std::vector<MomentCell>> parts(static_cast<std::size_t>(cut.count), std::vector<MomentCell>(size));
  std::vector<Fault> faults(parts.size());
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto k = static_cast<std::size_t>(s);
    gatherer.gather(cut.begin(s), cut.end(s), parts[k], faults[k]);
  });
  std::vector<MomentCell>& all = parts[0];
  std::vector<double> sums(moment_tables * size);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t s = 1; s < parts.size(); ++s) all[k].add(parts[s][k]);  // in stripe order
    put_cell(all[k], k, size, sums.data());
  }
  return {compact(all, classes, cols), std::move(sums), earliest(faults)};
}

}  // namespace deciban
