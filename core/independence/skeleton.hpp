// Which edges a sample takes out of a graph, and what it says of the triples that are left.
// Nothing here depends on the order in which threads finish.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "independence/chi_square.hpp"
#include "independence/test.hpp"
#include "run/interrupt.hpp"

namespace deciban {

enum class Verdict : std::uint8_t { dependent, independent, none };

struct TestRules {
  double alpha;
  double power;                // fewer rows than power · df: no verdict
  bool unsure_is_independent;  // what a test without a verdict counts for
  double rows_per_df = 0.0;    // sets whose full table has fewer rows for a degree of freedom are not tested
};

// Reads outcomes: one a thread.
class Judge {
 public:
  explicit Judge(const TestRules& rules) : rules_(rules), critical_(rules.alpha) {}

  // is_given: given something. Then, without a degree of freedom, what is given determines x or y, and nothing was
  // tested; else x or y is constant, and independent of everything.
  Verdict verdict(const Outcome& outcome, bool is_given);
  // What a verdict counts for; those that are none are counted.
  bool separates(Verdict verdict);
  double alpha() const { return rules_.alpha; }
  double rows_per_df() const { return rules_.rows_per_df; }
  std::int64_t unsure() const { return unsure_; }

 private:
  TestRules rules_;
  CriticalValues critical_;
  std::int64_t unsure_ = 0;
};

double p_of(const Outcome& outcome);

// A square matrix of marks, row after row.
struct Marks {
  std::span<const std::uint8_t> values;
  std::int64_t n;
  bool operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i * n + j)] != 0; }
  std::span<const std::uint8_t> row(std::int64_t i) const {
    return values.subspan(static_cast<std::size_t>(i * n), static_cast<std::size_t>(n));
  }
};

// The tests listed: of x[k] and y[k] given sets[starts[k]] … sets[starts[k + 1] − 1], which is sorted.
struct TestList {
  std::span<const std::int64_t> x;
  std::span<const std::int64_t> y;
  std::span<const std::int64_t> starts;
  std::span<const std::int64_t> sets;
};
std::vector<Outcome> test_each(const Source& source, const TestList& list, Interrupt& interrupt);

// For each pair, the test with the largest p among those that count; pairs without one are left out.
struct LevelResult {
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> y;
  std::vector<std::int64_t> sets;  // `size` columns a pair
  std::vector<double> values;      // statistic, df, rows, p of each
  std::int64_t tests = 0;
  std::int64_t unsure = 0;
  std::int64_t skipped = 0;  // tests, or families of sets, that were left out because rows are too few
};

// One level of PC-stable (Colombo and Maathuis 2014): tests every edge x — y marked in `open` given every set of
// `size` columns that `pool` marks for x, or for y. `all`: the largest p of any test, not only of those that separate.
LevelResult test_level(const Source& source, const TestRules& rules, const Marks& open, const Marks& pool,
                       std::int64_t size, bool all, Interrupt& interrupt);

// What all sets around x and y, up to `depth` columns and `most` sets, say of each z of a triple x — z — y.
struct TripleEvidence {
  double p_with = 0.0;  // the largest, with z in the set
  double p_without = 0.0;
  std::int64_t with = 0;  // how many sets separate
  std::int64_t without = 0;
};
struct Triples {
  std::span<const std::int64_t> x;  // of each pair
  std::span<const std::int64_t> y;
  std::span<const std::int64_t> starts;  // its middles
  std::span<const std::int64_t> middles;
};
std::vector<TripleEvidence> weigh_triples(const Source& source, const TestRules& rules, const Triples& triples,
                                          const Marks& pool, std::int64_t depth, std::int64_t most,
                                          Interrupt& interrupt);

}  // namespace deciban
