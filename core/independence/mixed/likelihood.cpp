#include "independence/mixed/likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "independence/mixed/logistic.hpp"

namespace deciban {
namespace {

// Below it lies the rounding error of a correlation of 1: without a bound, a copy of a number would gain without limit.
constexpr double least_variance = 1e-10;
// A cell has a covariance of its own if it has so many rows for each number, and one more; and, where its numbers are
// all alike, so many rows that this is hardly by chance, as where a number is 0 in most rows.
constexpr double rows_per_number = 3.0;
constexpr double least_share = 1e-6;
constexpr double least_alike = 50.0;

// The log-determinant of cross-products divided by the number of rows, and the least of its pivots.
struct Determinant {
  double log = 0.0;
  double least = 1.0;
};

Determinant determinant_of(std::vector<double> a, std::size_t n, double rows) {
  Determinant out;
  for (std::size_t j = 0; j < n; ++j) {
    const double pivot = a[j * n + j] / rows;
    out.least = std::min(out.least, pivot);
    out.log += std::log(std::max(pivot, least_variance));
    if (pivot < least_variance) continue;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double share = a[i * n + j] / a[j * n + j];
      for (std::size_t k = j + 1; k <= i; ++k) a[i * n + k] -= share * a[k * n + j];
    }
  }
  return out;
}

// The categories and the numbers among some columns, in their own order, not that of the columns: then sums are the
// same for every order. `cells` are those of a full table of the categories.
struct Members {
  std::vector<std::int64_t> categories{}, numbers{};
  double cells = 1.0;

  Members(const MixedColumns& data, std::span<const std::int64_t> columns) {
    for (const std::int64_t column : columns) {
      if (data.is_category(column)) {
        categories.push_back(data.category(column));
        cells *= static_cast<double>(data.sizes[static_cast<std::size_t>(categories.back())]);
      } else {
        numbers.push_back(data.number(column));
      }
    }
    std::ranges::sort(categories);
    std::ranges::sort(numbers);
  }
};

}  // namespace

SetLikelihood set_likelihood(const MixedColumns& data, CellCounter& counter, std::span<const std::int64_t> set) {
  const auto& [categories, numbers, table] = Members(data, set);
  const Cells& cells = counter.count(categories, numbers);
  SetLikelihood out{0.0, table - 1.0};
  const double whole = std::accumulate(cells.rows.begin(), cells.rows.end(), 0.0);
  for (const double rows : cells.rows) out.value += rows * std::log(rows / whole);
  const std::size_t k = numbers.size();
  if (k == 0) return out;
  const auto count = static_cast<double>(k);
  std::vector<std::size_t> slots;
  slots.reserve(k);
  for (const std::int64_t z : numbers) slots.push_back(cells.slot(z));
  std::vector<double> own(k * k);
  std::vector<double> pooled(k * k, 0.0);
  std::vector<double> all(k * k, 0.0);
  double pooled_rows = 0.0;
  double pooled_cells = 0.0;
  double covariances = 0.0;
  for (std::size_t cell = 0; cell < cells.count(); ++cell) {
    const double rows = cells.rows[cell];
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j < k; ++j) own[i * k + j] = cells.product(cell, slots[i], slots[j]);
    }
    for (std::size_t i = 0; i < k * k; ++i) all[i] += own[i];
    const Determinant found = determinant_of(own, k, rows);
    const bool is_small = rows < rows_per_number * (count + 1.0) || (found.least < least_share && rows < least_alike);
    if (is_small) {
      for (std::size_t i = 0; i < k * k; ++i) pooled[i] += own[i];
      pooled_rows += rows;
      pooled_cells += 1.0;
    } else {
      out.value -= rows / 2 * found.log;
      covariances += 1.0;
    }
  }
  if (pooled_rows > 0.0) {
    const Determinant shared = determinant_of(pooled, k, pooled_rows);
    // Too few even together, they take the covariance within all cells.
    const bool is_full = pooled_rows - pooled_cells >= rows_per_number * (count + 1.0) && shared.least >= least_share;
    out.value -= pooled_rows / 2 * (is_full ? shared.log : determinant_of(all, k, whole).log);
    covariances += 1.0;
  }
  out.parameters += static_cast<double>(cells.count()) * count + covariances * count * (count + 1.0) / 2;
  double units = 0.0;
  for (const std::int64_t z : numbers) units += data.log_spread[static_cast<std::size_t>(z)];
  out.value -= whole * (units + count / 2 * (std::log(2 * std::numbers::pi) + 1.0));
  return out;
}

SetLikelihood category_likelihood(const MixedColumns& data, CellCounter& counter, std::int64_t child,
                                  std::span<const std::int64_t> parents) {
  const auto& [categories, numbers, table] = Members(data, parents);
  const std::int64_t category = data.category(child);
  const CellRows strata = counter.rows_of(categories, numbers);
  const LogisticLikelihood found = logistic_likelihood(data, strata, numbers, category);
  const auto states = static_cast<double>(data.sizes[static_cast<std::size_t>(category)]);
  return {found.value, (states - 1.0) * table + found.slopes};
}

}  // namespace deciban
