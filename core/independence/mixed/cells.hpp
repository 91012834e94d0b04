// The numbers of a table in each cell of some categories: how many rows, their means and their cross-products. These
// sums are all that conditional-Gaussian tests and scores need of the rows (Lauritzen and Wermuth 1989).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "independence/contingency/strata.hpp"
#include "read/code_columns.hpp"

namespace deciban {

// Categories and numbers of the same rows. A column of the table is a category or a number: slots[column] is the index
// of the category, or −1 less the index of the number.
struct MixedColumns {
  CodeColumns codes;                // the weights are those of all rows
  std::vector<std::int64_t> sizes;  // of the categories
  std::vector<char> has_missing;    // of the categories
  std::vector<double> values;       // column after column, with the mean 0 and the variance 1; NaN where missing
  std::vector<double> log_spread;   // the log of each standard deviation; −∞ of a constant, whose values are 0
  std::vector<std::int64_t> slots;
  std::int64_t rows = 0;
  std::int64_t width = 0;   // the number of numbers
  bool is_complete = true;  // no number is missing
  double whole = 0.0;       // the weight of all rows

  bool is_category(std::int64_t column) const { return slots[static_cast<std::size_t>(column)] >= 0; }
  std::int64_t category(std::int64_t column) const { return slots[static_cast<std::size_t>(column)]; }
  std::int64_t number(std::int64_t column) const { return -1 - slots[static_cast<std::size_t>(column)]; }
  bool is_constant(std::int64_t number) const { return std::isinf(log_spread[static_cast<std::size_t>(number)]); }
  std::span<const double> column(std::int64_t number) const {
    return std::span(values).subspan(static_cast<std::size_t>(number * rows), static_cast<std::size_t>(rows));
  }
  double weight(std::int64_t row) const {
    return codes.weights.empty() ? 1.0 : codes.weights[static_cast<std::size_t>(row)];
  }
  // The code of a row; the size of the category or more where it is missing.
  std::uint32_t code(std::int64_t category, std::int64_t row) const {
    return codes.with_column(static_cast<std::int32_t>(category),
                             [&](const auto* own) { return static_cast<std::uint32_t>(own[row]); });
  }
};

// `values` are numbers × rows. The codes and weights are not copied: they must outlive the result.
MixedColumns mixed_columns(const CodeColumns& codes, std::span<const double> values, std::int64_t numbers,
                           std::span<const std::int64_t> slots);

// The rows of each cell, in the order of the rows.
struct CellRows {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> starts{0};  // one more than there are cells; no cell is empty

  std::size_t count() const { return starts.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t cell) const {
    return std::span(order).subspan(starts[cell], starts[cell + 1] - starts[cell]);
  }
};

struct Cells {
  std::vector<std::int64_t> categories;  // in rising order
  std::vector<std::int64_t> slot_of;     // of each number of the table, its index here, or −1
  std::size_t width = 0;                 // the number of numbers
  std::vector<std::uint32_t> states;     // cell after cell, the state of each category
  std::vector<double> rows;              // the weight of each cell
  std::vector<double> means;             // cells × width
  std::vector<double> cross;             // cells × width × width: Σ w (z − mean)(z − mean)ᵀ

  std::size_t count() const { return rows.size(); }
  std::size_t slot(std::int64_t number) const {
    return static_cast<std::size_t>(slot_of[static_cast<std::size_t>(number)]);
  }
  double mean(std::size_t cell, std::size_t i) const { return means[cell * width + i]; }
  double product(std::size_t cell, std::size_t i, std::size_t j) const { return cross[(cell * width + i) * width + j]; }
  std::span<const std::uint32_t> states_of(std::size_t cell) const {
    return std::span(states).subspan(cell * categories.size(), categories.size());
  }
};

// Counts the cells of sets of categories, and keeps what was counted: one a thread.
class CellCounter {
 public:
  explicit CellCounter(const MixedColumns& data) : data_(data) {}

  // The cells of some categories, which are in rising order, over the rows where these and the numbers are known. Valid
  // until the next call.
  const Cells& count(const std::vector<std::int64_t>& categories, std::span<const std::int64_t> numbers);

  CellRows rows_of(const std::vector<std::int64_t>& categories, std::span<const std::int64_t> numbers);

 private:
  const Cells& keep(const std::vector<std::int64_t>& categories, Cells&& cells);
  Cells counted(const std::vector<std::int64_t>& categories, std::vector<std::int64_t> numbers);

  const MixedColumns& data_;
  std::map<std::vector<std::int64_t>, Cells> known_;
  std::size_t kept_ = 0;  // numbers in `known_`
  Cells last_;
  Strata strata_[2];
  std::vector<std::uint32_t> scratch_;
  std::vector<double> block_;
};

}  // namespace deciban
