// Tests of conditional independence. Columns are conditioned on one after the other, then pairs are tested, so that the
// work for a conditioning set is done once for all pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "read/code_columns.hpp"
#include "read/ragged_list.hpp"

namespace deciban {

struct Outcome {
  double statistic;
  double df;
  double rows;  // the weight of the rows without a missing value
  double p;     // set by sources that compute it; else NaN: it follows from the statistic
  // Whether the set determines x or y in the sample, as a function does: nothing was tested, however many rows there
  // are.
  bool is_determined = false;
};

// Tests pairs given a set of columns, to which columns are added and from which the last is removed. One a thread.
class Tester {
 public:
  Tester() = default;
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;
  virtual ~Tester() = default;

  virtual void push(std::int64_t column) = 0;
  virtual void pop() = 0;
  // x < y; pairs with the same x in a row are cheaper.
  virtual Outcome test(std::int64_t x, std::int64_t y) = 0;

  // Whether the set determines a column in the sample.
  virtual bool determines(std::int64_t /*column*/) { return false; }

  // Whether a test of two columns with `cells` = (states of x − 1)(states of y − 1) is to be made given the set:
  // whether its full table has rows enough, as rows_wanted says. With cells = 1: whether that of any pair could.
  virtual bool has_rows(double /*cells*/, double /*rows_per_df*/) const { return true; }
  virtual double cells(std::int64_t /*x*/, std::int64_t /*y*/) const { return 1.0; }
};

// The rows that a test given some columns should have in each of their configurations for its table to be counted,
// where rows_per_df is 5, its default; `df` is that of one configuration of the full table. One column is nearly always
// looked at: one row for each degree of freedom of the states that occur is enough then, otherwise pairs with many
// states would keep every false edge. Of larger sets there are many, and some separate by chance: they should have five
// for each of the full table's, unless there are 100 in each configuration.
inline double rows_wanted(double df, std::size_t columns) {
  return columns == 1 ? 1.0 : std::min(5.0 * df, std::max(df, 100.0));
}
// Whether there are so many, in so many configurations.
inline bool are_enough(double rows, double rows_per_df, double strata, double wanted) {
  return 5.0 * rows >= rows_per_df * strata * wanted;
}

struct Correlations;

// The source of the answers: columns of data, correlations, or a known graph.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  virtual std::int64_t columns() const = 0;
  virtual std::unique_ptr<Tester> tester() const = 0;

  // What Fisher's z is computed from (gaussian.hpp), where that is the test.
  virtual const Correlations* correlations() const { return nullptr; }

  // Sources that are exact can also give a smallest separating set: of those with `size` columns, all marked in `pool`,
  // the first in order. To be called only where no smaller one exists.
  using Set = std::vector<std::int64_t>;
  virtual bool is_exact() const { return false; }
  virtual std::optional<Set> separator(std::int64_t /*x*/, std::int64_t /*y*/, std::span<const std::uint8_t> /*pool*/,
                                       std::int64_t /*size*/) const {
    return std::nullopt;
  }
};

enum class Measure { g_squared, chi_squared };
enum class Freedom { full, active };
enum class Tail { asymptotic, corrected };  // of strata with small expected counts; see contingency.hpp

struct CountRules {
  Measure measure;
  Freedom freedom;
  Tail tail;
  bool finds_determined;  // whether Outcome::is_determined is looked for
};

// What a test of an ordered column looks for: a trend, see contingency/trend.hpp; or a trend, and what χ² has beside
// it.
enum class Order { trend, all };

// Columns of codes; a code that is not below its column's size is a missing value. The codes and weights are not
// copied: they must outlive the source. `ordered` has a mark for each column whose codes are in an order, or is empty.
std::unique_ptr<Source> coded_source(const CodeColumns& codes, const CountRules& rules,
                                     std::span<const std::uint8_t> ordered = {}, Order order = Order::all);

// A correlation matrix from a number of rows; Fisher's z, squared, is χ² with one degree of freedom. The matrix is not
// copied: it must outlive the source.
std::unique_ptr<Source> gaussian_source(std::span<const double> correlation, std::int64_t columns, double rows);

// The same of blocks of columns: block b has the columns from starts[b] to starts[b + 1].
std::unique_ptr<Source> block_source(std::span<const double> correlation, std::span<const std::int64_t> starts,
                                     double rows);

// Categories and numbers, which are numbers × rows, NaN where missing; see MixedColumns for the slots. The codes and
// weights must outlive the source.
std::unique_ptr<Source> mixed_source(const CodeColumns& codes, std::span<const double> values, std::int64_t numbers,
                                     std::span<const std::int64_t> slots, const CountRules& rules);

// A directed acyclic graph, as the parents of each node.
std::unique_ptr<Source> graph_source(const RaggedList<std::int64_t>& parents);

}  // namespace deciban
