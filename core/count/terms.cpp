#include "count/terms.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "run/instruction_set.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

struct Sample {
  std::span<const std::int32_t> y;
  std::int64_t classes;
  std::span<const double> weights;

  double weight(std::int64_t row) const { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)]; }
};

bool all_accepted(const double* values, std::int64_t count, double lowest, double highest) {
  return on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    bool accepted = true;
    for (std::int64_t k = 0; k < count; ++k) accepted &= (values[k] >= lowest) & (values[k] <= highest);
    return accepted;
  });
}

void add_row(const double* row, std::int64_t cols, double weight, const TermRules& rules, double* sums) {
  const double threshold = rules.threshold;
  const bool presence = rules.presence;
  on_instruction_set([=](auto) DECIBAN_INLINE_LAMBDA {
    if (presence) {
      for (std::int64_t c = 0; c < cols; ++c) sums[c] += row[c] > threshold ? weight : 0.0;
    } else {
      for (std::int64_t c = 0; c < cols; ++c) sums[c] += weight * row[c];
    }
  });
}

// One value that may be missing or wrong.
void add_with_care(double value, double weight, std::int64_t at, std::int64_t row, std::int64_t col,
                   const TermRules& rules, TermSums& out) {
  const auto k = static_cast<std::size_t>(at);
  if (rules.accepts(value)) {
    out.sums[k] += weight * rules.amount(value);
  } else if (std::isnan(value) && rules.missing_allowed) {
    if (out.missing.empty()) out.missing.resize(out.sums.size());
    out.missing[k] += weight;
  } else {
    out.fault.note(rules.trouble(value), row, col);
  }
}

void add_dense(const Matrix& x, std::int64_t begin, std::int64_t end, const Sample& sample, const TermRules& rules,
               TermSums& out) {
  constexpr std::int64_t tile_cells = 1 << 14;
  const std::int64_t cols = cols_of(x);
  const std::int64_t step = std::max<std::int64_t>(1, tile_cells / cols);
  std::vector<double> tile(static_cast<std::size_t>(step * cols));
  for (std::int64_t first = begin; first < end; first += step) {
    const std::int64_t last = std::min(first + step, end);
    load_rows(x, first, last, tile.data(), cols);
    const bool clean = all_accepted(tile.data(), (last - first) * cols, rules.lowest, rules.highest);
    for (std::int64_t r = first; r < last; ++r) {
      const double* row = tile.data() + (r - first) * cols;
      const std::int64_t at = sample.y[static_cast<std::size_t>(r)] * cols;
      if (clean) {
        add_row(row, cols, sample.weight(r), rules, out.sums.data() + at);
      } else {
        for (std::int64_t c = 0; c < cols; ++c) add_with_care(row[c], sample.weight(r), at + c, r, c, rules, out);
      }
    }
  }
}

void merge(const TermSums& from, TermSums& to) {
  std::transform(from.sums.begin(), from.sums.end(), to.sums.begin(), to.sums.begin(), std::plus<>());
  if (from.missing.empty()) return;
  if (to.missing.empty()) to.missing.resize(to.sums.size());
  std::transform(from.missing.begin(), from.missing.end(), to.missing.begin(), to.missing.begin(), std::plus<>());
}

TermSums sum_dense(const Matrix& x, const Sample& sample, const TermRules& rules) {
  const auto size = static_cast<std::size_t>(sample.classes * cols_of(x));
  const Stripes cut = stripes(rows_of(x), cols_of(x), static_cast<std::int64_t>(size) * 8);
  std::vector<TermSums> parts(static_cast<std::size_t>(cut.count), TermSums{Pages<double>(size), {}, {}});
  parallel_for(cut.count, [&](std::int64_t s) {
    add_dense(x, cut.begin(s), cut.end(s), sample, rules, parts[static_cast<std::size_t>(s)]);
  });
  for (std::size_t s = 1; s < parts.size(); ++s) {  // in stripe order
    merge(parts[s], parts[0]);
    if (parts[s].fault) parts[0].fault.note(parts[s].fault.what, parts[s].fault.row, parts[s].fault.col);
  }
  return std::move(parts[0]);
}

bool all_stored_accepted(const Csr& x, const TermRules& rules) {
  const Stripes cut = stripes(x.stored, 1, 0);
  std::atomic<bool> accepted = true;
  with_type(x.kind, [&](auto* type) {
    const auto* values = static_cast<decltype(type)>(x.values);
    parallel_for(cut.count, [&](std::int64_t s) {
      bool ours = true;
      for (std::int64_t k = cut.begin(s); k < cut.end(s); ++k) ours &= rules.accepts(static_cast<double>(values[k]));
      if (!ours) accepted = false;
    });
  });
  return accepted;
}

// A class's rows, in order, cut where the stored values reach a fixed number: one table a piece, so that
// no two threads share one and the order of every sum depends on the data alone.
struct Piece {
  std::int32_t label;
  std::span<const std::int64_t> rows;
  double* sums;
  std::vector<double> own;  // for all but a class's first piece, which adds to the result itself
};

std::vector<std::int64_t> rows_by_class(const Sample& sample, std::vector<std::int64_t>& ends) {
  ends.assign(static_cast<std::size_t>(sample.classes), 0);
  for (const std::int32_t label : sample.y) ++ends[static_cast<std::size_t>(label)];
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::int64_t{0});
  std::vector<std::int64_t> rows(sample.y.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    rows[static_cast<std::size_t>(ends[static_cast<std::size_t>(sample.y[r])]++)] = static_cast<std::int64_t>(r);
  }
  return rows;  // and each class's end has moved to where its rows end
}

template <class Index>
std::vector<Piece> cut_pieces(const Csr& x, const Index* starts, std::span<const std::int64_t> rows,
                              std::span<const std::int64_t> ends, Pages<double>& sums) {
  constexpr std::int64_t piece_values = 4 << 20;
  std::vector<Piece> pieces;
  std::int64_t begin = 0;
  for (std::size_t j = 0; j < ends.size(); ++j) {
    double* result = sums.data() + static_cast<std::int64_t>(j) * x.cols;
    std::int64_t held = 0;
    for (std::int64_t i = begin; i < ends[j]; ++i) {
      const std::int64_t r = rows[static_cast<std::size_t>(i)];
      held += static_cast<std::int64_t>(starts[r + 1] - starts[r]);
      if (held < piece_values && i + 1 < ends[j]) continue;
      const auto span = rows.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(i + 1 - begin));
      pieces.push_back({static_cast<std::int32_t>(j), span, result, {}});
      begin = i + 1;
      held = 0;
      result = nullptr;
    }
  }
  for (Piece& piece : pieces) {
    if (piece.sums != nullptr) continue;
    piece.own.resize(static_cast<std::size_t>(x.cols));
    piece.sums = piece.own.data();
  }
  return pieces;
}

// The stored values of a row, prefetched: the rows of a class are not next to each other in memory.
template <class T, class Index>
void fetch_row(const T* values, const Index* indices, const Index* starts, std::int64_t row) {
  constexpr Index line = 64;
  for (Index k = starts[row]; k < starts[row + 1]; k += line / static_cast<Index>(sizeof(T))) {
    prefetch(values + k);
  }
  for (Index k = starts[row]; k < starts[row + 1]; k += line / static_cast<Index>(sizeof(Index))) {
    prefetch(indices + k);
  }
}

template <class T, class Index>
void add_piece(const T* values, const Index* indices, const Index* starts, const Sample& sample, const TermRules& rules,
               const Piece& piece) {
  constexpr std::size_t ahead = 3;  // rows
  double* sums = piece.sums;
  for (std::size_t i = 0; i < piece.rows.size(); ++i) {
    if (i + ahead < piece.rows.size()) fetch_row(values, indices, starts, piece.rows[i + ahead]);
    const std::int64_t r = piece.rows[i];
    const double weight = sample.weight(r);
    if (rules.presence) {
      for (Index k = starts[r]; k < starts[r + 1]; ++k) {
        sums[indices[k]] += static_cast<double>(values[k]) > rules.threshold ? weight : 0.0;
      }
    } else {
      for (Index k = starts[r]; k < starts[r + 1]; ++k) sums[indices[k]] += weight * static_cast<double>(values[k]);
    }
  }
}

TermSums sum_sparse_with_care(const Csr& x, const Sample& sample, const TermRules& rules) {
  TermSums out{Pages<double>(static_cast<std::size_t>(sample.classes * x.cols)), {}, {}};
  with_type(x.kind, [&](auto* type) {
    const auto* values = static_cast<decltype(type)>(x.values);
    with_index_type(x, [&](const auto* indices, const auto* starts) {
      for (std::int64_t r = 0; r < x.rows; ++r) {
        const std::int64_t at = sample.y[static_cast<std::size_t>(r)] * x.cols;
        for (auto k = starts[r]; k < starts[r + 1]; ++k) {
          add_with_care(static_cast<double>(values[k]), sample.weight(r), at + indices[k], r, indices[k], rules, out);
        }
      }
    });
  });
  return out;
}

TermSums sum_sparse(const Csr& x, const Sample& sample, const TermRules& rules) {
  if (!all_stored_accepted(x, rules)) return sum_sparse_with_care(x, sample, rules);
  TermSums out{Pages<double>(static_cast<std::size_t>(sample.classes * x.cols)), {}, {}};
  std::vector<std::int64_t> ends;
  const std::vector<std::int64_t> rows = rows_by_class(sample, ends);
  with_type(x.kind, [&](auto* type) {
    const auto* values = static_cast<decltype(type)>(x.values);
    with_index_type(x, [&](const auto* indices, const auto* starts) {
      std::vector<Piece> pieces = cut_pieces(x, starts, rows, ends, out.sums);
      parallel_for(static_cast<std::int64_t>(pieces.size()), [&](std::int64_t p) {
        add_piece(values, indices, starts, sample, rules, pieces[static_cast<std::size_t>(p)]);
      });
      for (const Piece& piece : pieces) {  // in row order
        double* to = out.sums.data() + piece.label * x.cols;
        std::transform(piece.own.begin(), piece.own.end(), to, to, std::plus<>());
      }
    });
  });
  return out;
}

}  // namespace

Trouble TermRules::trouble(double value) const {
  if (std::isnan(value)) return Trouble::missing;
  if (std::isinf(value)) return Trouble::infinite;
  return value < 0.0 ? Trouble::negative : Trouble::outside;
}

TermSums sum_terms(const Matrix& x, std::span<const std::int32_t> y, std::int64_t classes,
                   std::span<const double> weights, const TermRules& rules) {
  const Sample sample{y, classes, weights};
  if (const Csr* sparse = std::get_if<Csr>(&x)) return sum_sparse(*sparse, sample, rules);
  return sum_dense(x, sample, rules);
}

}  // namespace deciban
