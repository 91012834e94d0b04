#include "count/moments/moments.hpp"

#include <algorithm>
#include <cmath>

#include "count/moments/rows.hpp"
#include "run/pool.hpp"
#include "run/workers.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block_rows = 1 << 14;  // after which sums are checked, and added to those of the stripe

using Sums = std::vector<ClassSums>;

bool all_finite(const ClassSums& sums, std::int64_t cols) {
  double probe = 0.0;  // stays 0 unless a sum is NaN or infinite
  for (std::int64_t c = 0; c < cols; ++c) probe += (sums.second[c] + sums.second_low[c]) * 0.0;
  return probe == 0.0;
}

// The workspace of a stripe, which the next one uses again.
struct Room {
  std::vector<double> held;
  Sums sums;
  std::vector<double> tile;

  Room(std::int64_t classes, std::int64_t cols)
      : held(static_cast<std::size_t>(classes * cols * 5)), sums(static_cast<std::size_t>(classes)) {
    double* at = held.data();
    for (ClassSums& mine : sums) {
      for (double** table : {&mine.shift, &mine.first, &mine.first_low, &mine.second, &mine.second_low}) {
        *table = at;
        at += cols;
      }
    }
  }
};

// Stripes merge cell by cell, which should cost little beside their rows.
Stripes moment_stripes(std::int64_t rows, std::int64_t cols, std::int64_t classes) {
  constexpr std::int64_t rows_per_class = 256, always_fine = 4;
  Stripes cut = stripes(rows, cols, classes * cols * static_cast<std::int64_t>(sizeof(MomentCell)));
  cut.count = std::min(cut.count, std::max(always_fine, rows / (rows_per_class * std::max<std::int64_t>(classes, 1))));
  return cut;
}

class Gatherer {
 public:
  Gatherer(const Matrix& x, std::span<const std::int32_t> y, std::span<const double> weights, bool missing_allowed)
      : x_(x), y_(y), weights_(weights), missing_allowed_(missing_allowed), cols_(cols_of(x)) {}

  void gather(std::int64_t begin, std::int64_t end, Room& room, std::vector<MomentCell>& cells, Fault& fault) const {
    Sums& sums = room.sums;
    std::vector<double>& tile = room.tile;
    for (ClassSums& mine : sums) mine.has_shift = false;
    bool exact = false;
    for (std::int64_t first = begin; first < end && !fault; first += block_rows) {
      const std::int64_t last = std::min(first + block_rows, end);
      add_block(first, last, sums, tile, exact);
      if (!exact && !differences_are_exact(first, last, sums)) {
        exact = true;  // for the rest of the stripe, whose values are likely to be as mixed
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

  // Floats in contiguous rows are read where they are; all else is copied to a tile of doubles.
  void add_block(std::int64_t first, std::int64_t last, Sums& sums, std::vector<double>& tile, bool exact) const {
    for (ClassSums& mine : sums) {
      if (mine.weight != 0.0) std::fill_n(mine.first, 4 * cols_, 0.0);
      mine.weight = mine.weight_low = 0.0;
      mine.added = 0;
    }
    const Dense* dense = std::get_if<Dense>(&x_);
    const bool is_direct = dense != nullptr && dense->rows_contiguous();
    if (is_direct && dense->kind == Kind::f64) {
      const auto* data = static_cast<const double*>(dense->data) + first * dense->row_stride;
      add_rows(data, rows(first, last, dense->row_stride), sums, exact);
    } else if (is_direct && dense->kind == Kind::f32) {
      const auto* data = static_cast<const float*>(dense->data) + first * dense->row_stride;
      add_rows(data, rows(first, last, dense->row_stride), sums, exact);
    } else {
      constexpr std::int64_t tile_cells = 1 << 14;
      const std::int64_t step = std::max<std::int64_t>(1, tile_cells / cols_);
      for (std::int64_t r = first; r < last; r += step) {
        const std::int64_t stop = std::min(r + step, last);
        load(r, stop, tile);
        add_rows(tile.data(), rows(r, stop, cols_), sums, exact);
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
  std::int64_t cols_;
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
  const Stripes cut = moment_stripes(rows_of(x), cols, classes);
  const Gatherer gatherer(x, y, weights, missing_allowed);
  std::vector<std::vector<MomentCell>> parts(static_cast<std::size_t>(cut.count));
  std::vector<Fault> faults(parts.size());
  Workers<Room> rooms([&] { return std::make_unique<Room>(classes, cols); });
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto k = static_cast<std::size_t>(s);
    parts[k].resize(size);
    const auto room = rooms.take();
    gatherer.gather(cut.begin(s), cut.end(s), *room, parts[k], faults[k]);
  });
  std::vector<MomentCell>& all = parts[0];
  std::vector<double> sums(moment_tables * size);
  parallel_for(classes, [&](std::int64_t j) {
    const auto begin = static_cast<std::size_t>(j * cols), end = begin + static_cast<std::size_t>(cols);
    for (std::size_t s = 1; s < parts.size(); ++s) {  // in stripe order
      for (std::size_t k = begin; k < end; ++k) all[k].add(parts[s][k]);
    }
    for (std::size_t k = begin; k < end; ++k) put_cell(all[k], k, size, sums.data());
  });
  return {compact(all, classes, cols), std::move(sums), earliest(faults)};
}

}  // namespace deciban
