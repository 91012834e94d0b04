#include "count/families/scores.hpp"

#include <math.h>  // lgamma_r, which unlike POSIX's lgamma writes no global

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "count/families/counter.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr double least_pseudo = 1e-300;

double log_gamma(double x) {
#if defined(_MSC_VER)
  return std::lgamma(x);
#else
  int sign = 0;
  return ::lgamma_r(x, &sign);
#endif
}

// Σ term(n) over the counts that are not 0.
template <class N, class F>
double sum_over(std::span<const N> counts, F&& term) {
  double sum = 0;
  for (const N n : counts) {
    if (n != 0) sum += term(n);
  }
  return sum;
}

// A table, or, where it is sparse, the positive counts of its cells and configurations.
template <class N>
struct Counted {
  bool is_dense;
  std::span<const N> cells, strata;
};

// Σ over cells of `cell`, less Σ over configurations of `stratum`.
template <class N, class Cell, class Stratum>
double cells_less_strata(const Counted<N>& counted, std::size_t states, Cell&& cell, Stratum&& stratum) {
  if (!counted.is_dense) return sum_over(counted.cells, cell) - sum_over(counted.strata, stratum);
  double sum = 0;
  const std::span<const N> cells = counted.cells;
  for (std::size_t begin = 0; begin < cells.size(); begin += states) {
    const auto row = cells.subspan(begin, states);
    const N whole = std::accumulate(row.begin(), row.end(), N{0});
    if (whole != 0) sum += sum_over(row, cell) - stratum(whole);
  }
  return sum;
}

double xlogx_of(std::uint32_t n, std::span<const double> known) {
  return n < known.size() ? known[n] : static_cast<double>(n) * std::log(static_cast<double>(n));
}
double xlogx_of(double n, std::span<const double> /*known*/) {
  return n * std::log(n);
}

struct Shape {
  double states, configurations;
};

template <class N>
double criterion_of(const Criterion& criterion, const Counted<N>& counted, Shape shape) {
  const double r = shape.states, q = shape.configurations;
  const auto sum = [&](auto&& cell, auto&& stratum) {
    return cells_less_strata(counted, static_cast<std::size_t>(r), cell, stratum);
  };
  if (criterion.form == Form::likelihood) {
    const auto term = [&](N n) { return xlogx_of(n, criterion.xlogx); };
    return sum(term, term) - criterion.penalty * (r - 1) * q;
  }
  const bool is_k2 = criterion.form == Form::k2;
  const double in_cell = is_k2 ? 1.0 : std::max(criterion.ess / q / r, least_pseudo);
  const double in_stratum = is_k2 ? r : std::max(criterion.ess / q, least_pseudo);
  const double cell_zero = log_gamma(in_cell);
  const double stratum_zero = log_gamma(in_stratum);
  return sum([&](N n) { return log_gamma(in_cell + n) - cell_zero; },
             [&](N n) { return log_gamma(in_stratum + n) - stratum_zero; });
}

// Runs task(i, counter) for each i; several tasks share a counter, one after the other.
template <class N, class F>
void with_counters(const CodeColumns& codes, std::int64_t count, Interrupt& interrupt, F&& task) {
  const std::int64_t chunks = std::min<std::int64_t>(count, 32L * thread_count());
  interrupt.run(chunks, [&](std::int64_t chunk) {
    FamilyCounter<N> counter(codes);
    for (std::int64_t i = count * chunk / chunks; i < count * (chunk + 1) / chunks; ++i) {
      interrupt.check();
      task(i, counter);
    }
  });
}

template <class N>
class CountedFamilies final : public FamilyScorer {
 public:
  CountedFamilies(const CodeColumns& codes, const Criterion& criterion)
      : codes_(codes), criterion_(criterion), counter_(codes) {}

  double score(std::span<const std::int32_t> family) override {
    const bool is_dense = counter_.count(family);
    return criterion_of<N>(criterion_, {is_dense, counter_.cells(), counter_.strata()}, shape_of(family));
  }
  double score_of(std::span<const std::int32_t> family, std::span<const std::uint32_t> table) override {
    return criterion_of<std::uint32_t>(criterion_, {true, table, {}}, shape_of(family));
  }

 private:
  Shape shape_of(std::span<const std::int32_t> family) const {
    Shape shape{size_of(family[0]), 1};
    for (const std::int32_t parent : family.subspan(1)) shape.configurations *= size_of(parent);
    return shape;
  }
  double size_of(std::int32_t column) const {
    return static_cast<double>(codes_.sizes[static_cast<std::size_t>(column)]);
  }

  CodeColumns codes_;
  Criterion criterion_;
  FamilyCounter<N> counter_;
};

template <class N>
std::vector<double> sums_of(const CodeColumns& codes, CellSum form, double pseudo, std::span<const double> xlogx,
                            std::int64_t most, Interrupt& interrupt) {
  std::vector<double> sums(std::size_t{1} << codes.cols, 0.0);
  with_counters<N>(codes, static_cast<std::int64_t>(sums.size()), interrupt,
                   [&](std::int64_t set, FamilyCounter<N>& counter) {
                     if (std::popcount(static_cast<std::uint64_t>(set)) > most) return;
                     std::vector<std::int32_t> columns;
                     double cells = 1;
                     for (std::int32_t c = 0; c < codes.cols; ++c) {
                       if (((set >> c) & 1) == 0) continue;
                       columns.push_back(c);
                       cells *= static_cast<double>(codes.sizes[static_cast<std::size_t>(c)]);
                     }
                     counter.count(columns);
                     double& out = sums[static_cast<std::size_t>(set)];
                     if (form == CellSum::xlogx) {
                       out = sum_over(counter.cells(), [&](N n) { return xlogx_of(n, xlogx); });
                     } else {
                       const double a = std::max(form == CellSum::gamma ? pseudo : pseudo / cells, least_pseudo);
                       const double zero = log_gamma(a);
                       out = sum_over(counter.cells(), [&](N n) { return log_gamma(a + n) - zero; });
                     }
                   });
  return sums;
}

}  // namespace

std::unique_ptr<FamilyScorer> family_scorer(const CodeColumns& codes, const Criterion& criterion) {
  if (codes.weights.empty()) return std::make_unique<CountedFamilies<std::uint32_t>>(codes, criterion);
  return std::make_unique<CountedFamilies<double>>(codes, criterion);
}

std::vector<double> subset_sums(const CodeColumns& codes, CellSum form, double pseudo, std::span<const double> xlogx,
                                std::int64_t most, Interrupt& interrupt) {
  return codes.weights.empty() ? sums_of<std::uint32_t>(codes, form, pseudo, xlogx, most, interrupt)
                               : sums_of<double>(codes, form, pseudo, xlogx, most, interrupt);
}

}  // namespace deciban
