// Tests of conditional independence. A test is a walk: condition on some columns, one after the other, then test
// pairs; what the conditioning set costs is paid once for all pairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace deciban {

struct Outcome {
  double statistic;
  double df;
  double rows;  // the weight of the rows that have all the values
  double p;     // set by sources that know it; else NaN, and it follows from the statistic
};

// Conditions on a growing and shrinking set of columns. One a thread.
class Walker {
 public:
  Walker() = default;
  Walker(const Walker&) = delete;
  Walker& operator=(const Walker&) = delete;
  virtual ~Walker() = default;

  virtual void push(std::int64_t column) = 0;
  virtual void pop() = 0;
  // x < y; pairs with the same x in a row are cheaper.
  virtual Outcome test(std::int64_t x, std::int64_t y) = 0;

  // Whether a test of two columns with `cells` = (states of x − 1)(states of y − 1), given what is pushed, would have
  // `rows_per_df` rows for each degree of freedom of its full table. With cells = 1: whether any pair could.
  virtual bool has_rows(double /*cells*/, double /*rows_per_df*/) const { return true; }
  virtual double cells(std::int64_t /*x*/, std::int64_t /*y*/) const { return 1.0; }
};

// What is tested: columns of data, correlations, or a graph that knows the answers.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  virtual std::int64_t columns() const = 0;
  virtual std::unique_ptr<Walker> walker() const = 0;

  // Sources that know the answers also know the smallest separating sets: of those with `size` columns that `pool`
  // marks, the first in order. Not to be asked where a smaller one exists.
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
};

// Columns of codes below sizes[c], column after column; the code sizes[c] is a missing value. Weights may be empty.
std::unique_ptr<Source> coded_source(std::span<const std::uint16_t> codes, std::span<const std::int64_t> sizes,
                                     std::span<const double> weights, const CountRules& rules);

// A correlation matrix from so many rows; Fisher's z, squared, is χ² with one degree of freedom.
std::unique_ptr<Source> gaussian_source(std::span<const double> correlation, std::int64_t columns, double rows);

// A directed acyclic graph, as the parents of each node one after the other, from starts[i] to starts[i + 1].
std::unique_ptr<Source> graph_source(std::span<const std::int64_t> starts, std::span<const std::int64_t> parents);

}  // namespace deciban
