// Which edges of a graph the tests remove, and the tests about the triples that remain.
// No result depends on the order in which threads finish.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "independence/chi_square.hpp"
#include "independence/test.hpp"
#include "read/ragged_list.hpp"
#include "run/interrupt.hpp"

namespace deciban {

enum class Verdict : std::uint8_t { dependent, independent, none, determined };

struct TestRules {
  double alpha;
  double power;                // with fewer rows than power · df there is no verdict
  bool unsure_is_independent;  // how a test without a verdict is treated
  double rows_per_df = 0.0;    // sets whose full table has fewer rows are not tested: see rows_wanted
};

// Decides from outcomes: one a thread.
class Judge {
 public:
  explicit Judge(const TestRules& rules) : rules_(rules), critical_(rules.alpha) {}

  // is_given: the conditioning set is not empty. Then zero degrees of freedom mean that the set determines x or y, and
  // there is no verdict; with an empty set they mean that x or y is constant, and independent of everything.
  Verdict verdict(const Outcome& outcome, bool is_given);
  // Whether the pair is treated as independent; tests without a verdict are counted in unsure(). One whose set
  // determines x or y carries no information: it never separates.
  bool separates(Verdict verdict);
  double alpha() const { return rules_.alpha; }
  double rows_per_df() const { return rules_.rows_per_df; }
  // Whether the table of a test has rows enough for its own degrees of freedom.
  bool has_rows(const Outcome& outcome) const { return are_enough(outcome.rows, rules_.rows_per_df, 1.0, outcome.df); }
  std::int64_t unsure() const { return unsure_; }

 private:
  TestRules rules_;
  CriticalValues critical_;
  std::int64_t unsure_ = 0;
};

double p_of(const Outcome& outcome);

// Whether one test of a pair is to be kept rather than another: that with the larger p, to nine digits; of equal ones
// that with the smaller set, so that neither rounding nor the order of the tests decides.
using ColumnSet = std::span<const std::int32_t>;
bool is_better(double p, ColumnSet set, double than, ColumnSet than_set);

// A square matrix of marks, row after row.
struct Marks {
  std::span<const std::uint8_t> values;
  std::int64_t n;
  bool operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i * n + j)] != 0; }
  std::span<const std::uint8_t> row(std::int64_t i) const {
    return values.subspan(static_cast<std::size_t>(i * n), static_cast<std::size_t>(n));
  }
};

// Test k: of x[k] and y[k] given the columns given[k], which are sorted.
struct TestList {
  std::span<const std::int64_t> x;
  std::span<const std::int64_t> y;
  RaggedList<std::int64_t> given;
};
std::vector<Outcome> test_each(const Source& source, const TestList& list, Interrupt& interrupt);

// Whether the columns given[k] determine columns[k], in the sample.
std::vector<std::uint8_t> determined_each(const Source& source, std::span<const std::int64_t> columns,
                                          const RaggedList<std::int64_t>& given, Interrupt& interrupt);

// For each pair, the test with the largest p among those that separate it; pairs without one are left out.
struct LevelResult {
  std::vector<std::int32_t> x;
  std::vector<std::int32_t> y;
  std::vector<std::int32_t> sets;  // `size` columns a pair
  std::vector<double> values;      // statistic, df, rows, p of each
  std::int64_t tests = 0;
  std::int64_t unsure = 0;
  std::int64_t skipped = 0;  // tests, or families of sets, that were skipped because there are too few rows
};

// One level of PC-stable (Colombo and Maathuis 2014): tests every edge x — y marked in `open` given every set of
// `size` columns that `pool` marks for x, or for y. `all`: the largest p of any test, not only of those that separate.
LevelResult test_level(const Source& source, const TestRules& rules, const Marks& open, const Marks& pool,
                       std::int64_t size, bool all, Interrupt& interrupt);

// The tests of x and y given subsets of their pools, of up to `depth` columns and up to `most` sets, with and without
// each z of a triple x — z — y.
struct TripleEvidence {
  double p_with = 0.0;  // the largest, with z in the set
  double p_without = 0.0;
  std::int64_t with = 0;  // how many sets separate
  std::int64_t without = 0;
};
struct Triples {
  std::span<const std::int64_t> x;  // of each pair
  std::span<const std::int64_t> y;
  RaggedList<std::int64_t> middles;  // the z of each pair
};
std::vector<TripleEvidence> weigh_triples(const Source& source, const TestRules& rules, const Triples& triples,
                                          const Marks& pool, std::int64_t depth, std::int64_t most,
                                          Interrupt& interrupt);

}  // namespace deciban
