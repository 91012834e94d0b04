// Scores of families, a variable and its parents, from counts; and sums over the cells of every set of variables.
//
//   log-likelihood  Σ_jk n_jk·log n_jk − Σ_j n_j·log n_j  −  penalty·(r − 1)·q
//   BDeu            Σ_j [log Γ(a/q) − log Γ(a/q + n_j)] + Σ_jk [log Γ(a/qr + n_jk) − log Γ(a/qr)]
//   K2              Σ_j [log Γ(r) − log Γ(r + n_j)] + Σ_jk log Γ(1 + n_jk)
//
// for r states, q parent configurations, of which only those that occur are visited. Each is a sum over cells less a
// sum over configurations, so tables may be dense or sparse, and the sums are made in an order that rows do not change.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "read/code_columns.hpp"
#include "run/interrupt.hpp"

namespace deciban {

enum class Form : std::uint8_t { likelihood, bdeu, k2 };

// `penalty` belongs to the likelihood, `ess` (a, above) to BDeu; `xlogx` holds n·log n for small n, for rows
// without weights.
struct Criterion {
  Form form;
  double penalty, ess;
  std::span<const double> xlogx;
};

// Scores one family at a time, with the memory of the last one: one a thread.
class FamilyScorer {
 public:
  FamilyScorer() = default;
  FamilyScorer(const FamilyScorer&) = delete;
  FamilyScorer& operator=(const FamilyScorer&) = delete;
  virtual ~FamilyScorer() = default;
  // A variable, then its parents.
  virtual double score(std::span<const std::int32_t> family) = 0;
  // The same from its table, in which the first column changes fastest; for rows that count once.
  virtual double score_of(std::span<const std::int32_t> family, std::span<const std::uint32_t> table) = 0;
};

std::unique_ptr<FamilyScorer> family_scorer(const CodeColumns& codes, const Criterion& criterion);

// What is summed over the cells of a set: n·log n; log Γ(n + pseudo) − log Γ(pseudo); or that with the pseudo-count
// divided by the number of the set's cells.
enum class CellSum : std::uint8_t { xlogx, gamma, gamma_shared };

// For each set of columns, a number whose bit c says that column c is in it, the sum; 0 where it has more than `most`.
std::vector<double> subset_sums(const CodeColumns& codes, CellSum form, double pseudo, std::span<const double> xlogx,
                                std::int64_t most, Interrupt& interrupt);

}  // namespace deciban
