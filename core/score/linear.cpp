#include <algorithm>
#include <cmath>
#include <vector>

#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/pool.hpp"
#include "score/score.hpp"

namespace deciban {
namespace {

// The parameters: a column's weights for all classes are one padded row.
struct Layout {
  const double* prior;
  const double* weight;
  const double* at_missing;  // may be null
  std::int64_t classes, width;
};

// How many terms to add, and how many indices may be read.
struct Terms {
  std::int64_t count, reach;
};

constexpr std::int64_t stage = 1024;  // terms worked on at a time; they stay in L1

// joint += Σ amount·weight[index] over G groups of lanes, for terms whose amount is not 0; the sums stay in registers.
template <class Set, int G, class Index>
DECIBAN_INLINE void add_in_registers(const Index* indices, const double* amounts, const Terms& terms,
                                     const double* weight, std::int64_t width, double* joint) {
  constexpr std::int64_t ahead = 24;  // terms: far enough to hide the latency of L3, also into the next row
  Lanes<Set> sums[G];
  for (int g = 0; g < G; ++g) sums[g] = lanes_at<Set>(joint + g * lanes);
  for (std::int64_t k = 0; k < terms.count; ++k) {
    const double* next = weight + static_cast<std::int64_t>(indices[k + ahead < terms.reach ? k + ahead : k]) * width;
    for (int g = 0; g < G; ++g) prefetch(next + g * lanes);
    const double* row = weight + static_cast<std::int64_t>(indices[k]) * width;
    for (int g = 0; g < G; ++g) sums[g] += amounts[k] * lanes_at<Set>(row + g * lanes);
  }
  for (int g = 0; g < G; ++g) put_vector(joint + g * lanes, sums[g]);
}

// As many groups of lanes at a time as stay in registers, then those that are left.
template <class Set, int G, class Index>
DECIBAN_INLINE void add_groups(const Index* indices, const double* amounts, const Terms& terms, const double* weight,
                               std::int64_t width, std::int64_t first, double* joint) {
  for (; first + G * lanes <= width; first += G * lanes) {
    add_in_registers<Set, G>(indices, amounts, terms, weight + first, width, joint + first);
  }
  if constexpr (G > 1) add_groups<Set, G / 2>(indices, amounts, terms, weight, width, first, joint);
}

template <class Index>
void add_terms(const Index* indices, const double* amounts, const Terms& of_row, const Layout& at, double* joint) {
  on_instruction_set([=, terms = of_row, weight = at.weight, width = at.width](auto set) DECIBAN_INLINE_LAMBDA {
    using Set = decltype(set);
    if (width == 3 * lanes && Set::sums_in_registers > 2) {  // once over the terms, not twice
      add_in_registers<Set, 3>(indices, amounts, terms, weight, width, joint);
    } else {
      add_groups<Set, Set::sums_in_registers>(indices, amounts, terms, weight, width, 0, joint);
    }
  });
}

// Converts values to amounts. False where a value is missing, invalid or adds nothing: then the amounts must not be
// used as they are.
template <class T>
DECIBAN_INLINE bool weigh_as(const T* values, std::int64_t count, const TermRules& rules, double* amounts) {
  const double lowest = rules.lowest;
  const double highest = rules.highest;
  const double threshold = rules.threshold;
  bool plain = true;
  if (rules.presence) {
    for (std::int64_t k = 0; k < count; ++k) {
      const auto value = static_cast<double>(values[k]);
      plain &= (value > threshold) & (value <= highest);
      amounts[k] = 1.0;
    }
    return plain;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const auto value = static_cast<double>(values[k]);
    plain &= (value >= lowest) & (value <= highest) & (value != 0.0);
    amounts[k] = value;
  }
  return plain;
}

template <class T>
bool weigh(const T* values, std::int64_t count, const TermRules& rules, double* amounts) {
  return on_instruction_set([=, &rules](auto)
                                DECIBAN_INLINE_LAMBDA { return weigh_as(values, count, rules, amounts); });
}

// Scores rows one after the other; each thread has one.
class RowScorer {
 public:
  RowScorer(const Layout& at, const TermRules& rules, const Output& output, Fault& fault)
      : at_(at), rules_(rules), output_(output), fault_(fault), joint_(static_cast<std::size_t>(at.width)) {}

  void begin(std::int64_t row) {
    row_ = row;
    std::fill(joint_.begin(), joint_.end(), 0.0);
    std::copy_n(at_.prior, at_.classes, joint_.begin());
  }

  // All terms of the row: column indices[k] has values[k]. `reach` of the indices may be read, for prefetching.
  template <class T, class Index>
  void add(const T* values, const Index* indices, std::int64_t count, std::int64_t reach) {
    for (std::int64_t k = 0; k < count; k += stage) {
      add_stage(values + k, indices + k, std::min(stage, count - k), reach - k);
    }
  }

  void end() {
    if (!fault_) output_.finish(row_, 1, joint_.data(), at_.width);
  }

 private:
  template <class T, class Index>
  void add_stage(const T* values, const Index* indices, std::int64_t count, std::int64_t reach) {
    if (weigh(values, count, rules_, amounts_)) {
      add_terms(indices, amounts_, {count, reach}, at_, joint_.data());
    } else {
      add_with_care(values, indices, count);
    }
  }

  // Skips zeros, as 0·log 0 is 0, and handles missing and invalid values.
  template <class T, class Index>
  void add_with_care(const T* values, const Index* indices, std::int64_t count) {
    std::int64_t kept = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      const double value = static_cast<double>(values[k]);
      const auto col = static_cast<std::int64_t>(indices[k]);
      const double amount = rules_.amount(value);
      if (!rules_.accepts(value)) {
        add_missing(value, col);
      } else if (amount != 0.0) {
        columns_[kept] = col;
        amounts_[kept++] = amount;
      }
    }
    add_terms(columns_, amounts_, {kept, kept}, at_, joint_.data());
  }

  void add_missing(double value, std::int64_t col) {
    if (!std::isnan(value) || !rules_.missing_allowed) {
      fault_.note(rules_.trouble(value), row_, col);
    } else if (at_.at_missing != nullptr) {
      for (std::int64_t j = 0; j < at_.classes; ++j) {
        joint_[static_cast<std::size_t>(j)] += at_.at_missing[col * at_.width + j];
      }
    }
  }

  const Layout& at_;
  const TermRules& rules_;
  const Output& output_;
  Fault& fault_;
  std::int64_t row_ = 0;
  std::vector<double> joint_;
  double amounts_[stage];
  std::int64_t columns_[stage];
};

void score_sparse(const Csr& x, std::int64_t begin, std::int64_t end, RowScorer& scorer) {
  with_type(x.kind, [&](auto* type) {
    const auto* values = static_cast<decltype(type)>(x.values);
    with_index_type(x, [&](const auto* indices, const auto* starts) {
      for (std::int64_t r = begin; r < end; ++r) {
        scorer.begin(r);
        const auto first = static_cast<std::int64_t>(starts[r]);
        scorer.add(values + first, indices + first, static_cast<std::int64_t>(starts[r + 1]) - first, x.stored - first);
        scorer.end();
      }
    });
  });
}

void score_dense(const Matrix& x, std::int64_t begin, std::int64_t end, RowScorer& scorer) {
  constexpr std::int64_t tile_cells = 1 << 13;
  const std::int64_t cols = cols_of(x);
  const std::int64_t step = std::max<std::int64_t>(1, tile_cells / cols);
  std::vector<double> tile(static_cast<std::size_t>(step * cols));
  std::vector<std::int64_t> columns(static_cast<std::size_t>(cols));
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = static_cast<std::int64_t>(c);
  for (std::int64_t first = begin; first < end; first += step) {
    const std::int64_t last = std::min(first + step, end);
    load_rows(x, first, last, tile.data(), cols);
    for (std::int64_t r = first; r < last; ++r) {
      scorer.begin(r);
      scorer.add(tile.data() + (r - first) * cols, columns.data(), cols, cols);
      scorer.end();
    }
  }
}

}  // namespace

Fault score_linear(const Matrix& x, const LinearModel& model, const TermRules& rules, const Output& output) {
  const Layout at{model.prior.data(), model.weight.data(), model.at_missing.empty() ? nullptr : model.at_missing.data(),
                  output.classes, padded(output.classes)};
  const Csr* sparse = std::get_if<Csr>(&x);
  const std::int64_t rows = rows_of(x);
  const std::int64_t cells = sparse != nullptr ? sparse->stored / std::max<std::int64_t>(rows, 1) : cols_of(x);
  const Stripes cut = stripes(rows, cells * output.classes, 0);
  std::vector<Fault> faults(static_cast<std::size_t>(cut.count));
  parallel_for(cut.count, [&](std::int64_t s) {
    RowScorer scorer(at, rules, output, faults[static_cast<std::size_t>(s)]);
    if (sparse != nullptr) {
      score_sparse(*sparse, cut.begin(s), cut.end(s), scorer);
    } else {
      score_dense(x, cut.begin(s), cut.end(s), scorer);
    }
  });
  return earliest(faults);
}

}  // namespace deciban
