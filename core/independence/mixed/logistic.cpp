#include "independence/mixed/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "independence/mixed/products.hpp"
#include "run/instruction_set.hpp"
#include "run/lanes.hpp"
#include "run/lanes_math.hpp"

namespace deciban {
namespace {

constexpr std::int64_t block = 256;
constexpr double rows_per_term = 10.0;  // as many rows, or the products are left out; then the stratum
constexpr double least_rows = 10.0;     // of a state, and of the rest of its stratum
constexpr double ridge = 1e-4;          // of a row: keeps the slopes finite where the numbers tell the states apart
constexpr int most_steps = 20;
constexpr double precise = 1e-6;  // of the largest step of a coefficient, in standard deviations

// P = 1 / (1 + e^−s), and its parts: no exponential overflows.
template <class V>
struct Chance {
  V small, whole;  // e^−|s|, and 1 more
  V p;
};
template <class Set>
DECIBAN_INLINE Chance<Lanes<Set>> chance_of(const Lanes<Set>& s) {
  using V = Lanes<Set>;
  const V small = exp_lanes<Set>(smaller(s, -s)), whole = small + 1.0;
  // P is 1 / whole where s ≥ 0, and small / whole where not. The first numerator is 1 where s ≥ 0, and below e^s else.
  const V is_above = smaller(s * 1e300 + 1.0, all_lanes<Set>(1.0));
  return {small, whole, larger(small, is_above) / whole};
}

// One step of Newton's method over the rows of a stratum: the gradient and the lower half of the information.
template <class Set>
DECIBAN_INLINE void add_rows(const double* terms, std::int64_t stride, std::int64_t count, std::int64_t size,
                             const double* is_state, const double* weights, const double* slopes, double* scratch,
                             double* gradient, double* information) {
  using V = Lanes<Set>;
  double* const share = scratch;  // weight · p · (1 − p)
  double* const term = scratch + block;
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t some = std::min(block, count - first);
    double* const rest = scratch + 2 * block;  // weight · (y − p)
    for (std::int64_t r = 0; r < some; r += lanes) {
      V sum{};
      for (std::int64_t j = 0; j < size; ++j) sum += slopes[j] * lanes_at<Set>(terms + j * stride + first + r);
      const auto [small, whole, p] = chance_of<Set>(sum);
      const V weight = lanes_at<Set>(weights + first + r);
      put_vector(rest + r, weight * (lanes_at<Set>(is_state + first + r) - p));
      put_vector(share + r, weight * (small / (whole * whole)));
    }
    for (std::int64_t j = 0; j < size; ++j) {
      const double* const own = terms + j * stride + first;
      V sum{};
      for (std::int64_t r = 0; r < some; r += lanes) {
        sum += lanes_at<Set>(own + r) * lanes_at<Set>(rest + r);
        put_vector(term + r, lanes_at<Set>(own + r) * lanes_at<Set>(share + r));
      }
      gradient[j] += sum_lanes(sum);
      add_products<Set>(term, terms + first, stride, j + 1, some, information + j * size);
    }
  }
}

// is_state less its probability, times 1 where the row counts.
template <class Set>
DECIBAN_INLINE void take_residuals(const double* terms, std::int64_t stride, std::int64_t count, std::int64_t size,
                                   const double* is_state, const double* counts, const double* slopes, double* out) {
  using V = Lanes<Set>;
  for (std::int64_t r = 0; r < count; r += lanes) {
    V sum{};
    for (std::int64_t j = 0; j < size; ++j) sum += slopes[j] * lanes_at<Set>(terms + j * stride + r);
    const V p = chance_of<Set>(sum).p;
    put_vector(out + r, lanes_at<Set>(counts + r) * (lanes_at<Set>(is_state + r) - p));
  }
}

// Σ weight·log P(y), with log P = y·s − max(s, 0) − log(1 + e^−|s|).
template <class Set>
DECIBAN_INLINE double sum_logs(const double* terms, std::int64_t stride, std::int64_t count, std::int64_t size,
                               const double* is_state, const double* weights, const double* slopes) {
  using V = Lanes<Set>;
  V out{};
  for (std::int64_t r = 0; r < count; r += lanes) {
    V sum{};
    for (std::int64_t j = 0; j < size; ++j) sum += slopes[j] * lanes_at<Set>(terms + j * stride + r);
    const V rest = log_lanes<Set>(exp_lanes<Set>(smaller(sum, -sum)) + 1.0);
    out += lanes_at<Set>(weights + r) * (lanes_at<Set>(is_state + r) * sum - larger(sum, V{}) - rest);
  }
  return sum_lanes(out);
}

// Solves a · x = b in place, a symmetric and positive definite, of which the lower half is read.
void solve(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
    const double root = std::sqrt(std::max(a[j * n + j], 1e-300));
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

std::vector<double> fit(const Design& design, const Design::Stratum& stratum, const std::vector<double>& is_state,
                        const std::vector<double>& weights, double share) {
  const std::size_t size = stratum.terms;
  const auto count = padded(static_cast<std::int64_t>(stratum.count));
  std::vector<double> slopes(size, 0.0);
  slopes[0] = std::log(share / (1.0 - share));
  std::vector<double> scratch(static_cast<std::size_t>(3 * block));
  for (int step = 0; step < most_steps; ++step) {
    std::vector<double> gradient(size, 0.0);
    std::vector<double> information(size * size, 0.0);
    on_instruction_set([&, terms = design.terms.data() + stratum.columns, y = is_state.data(), w = weights.data(),
                        b = slopes.data(), s = scratch.data(), g = gradient.data(),
                        h = information.data()](auto set) DECIBAN_INLINE_LAMBDA {
      add_rows<decltype(set)>(terms, count, count, static_cast<std::int64_t>(size), y, w, b, s, g, h);
    });
    const double least = ridge * stratum.weight;
    for (std::size_t j = 1; j < size; ++j) {
      gradient[j] -= least * slopes[j];
      information[j * size + j] += least;
    }
    information[0] += 1e-12 * stratum.weight;
    solve(information, gradient);
    double largest = 0.0;
    for (const double change : gradient) largest = std::max(largest, std::abs(change));
    // Far from the solution a whole step may overshoot, and then again the other way: no step is longer than 4.
    const double length = largest > 4.0 ? 4.0 / largest : 1.0;
    for (std::size_t j = 0; j < size; ++j) slopes[j] += length * gradient[j];
    if (largest < precise) break;
  }
  return slopes;
}

}  // namespace

Design design_of(const MixedColumns& data, const CellRows& strata, std::span<const std::int64_t> numbers,
                 bool has_products) {
  Design out;
  const std::size_t linear = 1 + numbers.size();
  const std::size_t all = linear + numbers.size() * (numbers.size() + 1) / 2;
  for (std::size_t cell = 0; cell < strata.count(); ++cell) {
    const std::span<const std::uint32_t> own = strata.of(cell);
    double weight = 0.0;
    for (const std::uint32_t row : own) weight += data.weight(row);
    if (weight < rows_per_term * static_cast<double>(linear)) continue;
    const bool is_large = weight >= 2 * rows_per_term * static_cast<double>(all);
    const std::size_t terms = has_products && is_large ? all : linear;
    const auto count = static_cast<std::size_t>(padded(static_cast<std::int64_t>(own.size())));
    const Design::Stratum stratum{out.rows.size(), own.size(), weight, terms, out.terms.size()};
    out.strata.push_back(stratum);
    out.rows.insert(out.rows.end(), own.begin(), own.end());
    out.rows.resize(stratum.begin + count, 0);
    for (const std::uint32_t row : own) out.weights.push_back(data.weight(row));
    out.weights.resize(stratum.begin + count, 0.0);
    out.terms.resize(stratum.columns + terms * count, 0.0);
    double* const columns = out.terms.data() + stratum.columns;
    std::fill_n(columns, own.size(), 1.0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::span<const double> column = data.column(numbers[i]);
      double* const to = columns + (1 + i) * count;
      double mean = 0.0;
      for (const std::uint32_t row : own) mean += data.weight(row) * column[row];
      mean /= weight;
      double squares = 0.0;
      for (const std::uint32_t row : own) squares += data.weight(row) * (column[row] - mean) * (column[row] - mean);
      const double spread = std::sqrt(squares / weight);
      const double unit = spread > 1e-10 ? 1.0 / spread : 0.0;
      for (std::size_t r = 0; r < own.size(); ++r) to[r] = (column[own[r]] - mean) * unit;
    }
    if (terms == linear) continue;
    double* to = columns + linear * count;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j, to += count) {
        const double* const a = columns + (1 + i) * count;
        const double* const b = columns + (1 + j) * count;
        for (std::size_t r = 0; r < own.size(); ++r) to[r] = a[r] * b[r];
      }
    }
  }
  return out;
}

Residuals residuals_of(const MixedColumns& data, const Design& design, std::int64_t category) {
  const auto size = static_cast<std::size_t>(data.sizes[static_cast<std::size_t>(category)]);
  const std::size_t rows = design.rows.size();
  std::vector<std::uint32_t> codes(rows);
  std::vector<double> counts(size, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    codes[r] = data.code(category, design.rows[r]);
    counts[codes[r]] += design.weights[r];
  }
  // One state follows from the others: the most frequent, so that the rest depend on it least.
  const auto base = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  Residuals out;
  out.states = size - 1;
  out.values.assign(out.states * rows, 0.0);
  std::vector<double> is_state;
  std::vector<double> weights;
  std::vector<double> is_row;  // 0 of padding
  std::size_t column = 0;
  for (std::size_t state = 0; state < size; ++state) {
    if (state == base) continue;
    double* const to = out.values.data() + column++ * rows;
    for (const Design::Stratum& stratum : design.strata) {
      const auto padded_count = static_cast<std::size_t>(padded(static_cast<std::int64_t>(stratum.count)));
      is_state.assign(padded_count, 0.0);
      weights.assign(padded_count, 0.0);
      is_row.assign(padded_count, 0.0);
      std::fill_n(is_row.begin(), stratum.count, 1.0);
      double whole = 0.0;
      double own = 0.0;
      for (std::size_t r = 0; r < stratum.count; ++r) {
        weights[r] = design.weights[stratum.begin + r];
        whole += weights[r];
        if (codes[stratum.begin + r] == state) {
          is_state[r] = 1.0;
          own += weights[r];
        }
      }
      if (own < least_rows || whole - own < least_rows) continue;
      const std::vector<double> slopes = fit(design, stratum, is_state, weights, own / whole);
      on_instruction_set([&, terms = design.terms.data() + stratum.columns, y = is_state.data(), k = is_row.data(),
                          b = slopes.data()](auto set) DECIBAN_INLINE_LAMBDA {
        take_residuals<decltype(set)>(terms, static_cast<std::int64_t>(padded_count),
                                      static_cast<std::int64_t>(padded_count), static_cast<std::int64_t>(stratum.terms),
                                      y, k, b, to + stratum.begin);
      });
    }
  }
  return out;
}

LogisticLikelihood logistic_likelihood(const MixedColumns& data, const CellRows& strata,
                                       std::span<const std::int64_t> numbers, std::int64_t category) {
  const auto size = static_cast<std::size_t>(data.sizes[static_cast<std::size_t>(category)]);
  std::vector<std::uint32_t> codes(strata.order.size());  // in the order of the strata
  data.codes.with_column(static_cast<std::int32_t>(category), [&](const auto* of_row) {
    std::ranges::transform(strata.order, codes.begin(), [&](std::uint32_t row) { return of_row[row]; });
  });
  std::vector<double> counts(size, 0.0);
  for (std::size_t r = 0; r < codes.size(); ++r) counts[codes[r]] += data.weight(strata.order[r]);
  std::vector<std::size_t> states(size);
  std::iota(states.begin(), states.end(), std::size_t{0});
  std::ranges::stable_sort(states, [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  const Design design = design_of(data, strata, numbers, false);
  LogisticLikelihood out;
  std::size_t fitted = 0;
  std::vector<double> is_state;
  std::vector<double> weights;
  for (std::size_t cell = 0; cell < strata.count(); ++cell) {
    const std::span<const std::uint32_t> own = strata.of(cell);
    const std::uint32_t* const code = codes.data() + strata.starts[cell];
    // The strata of the design are those with rows enough, in the same order.
    if (fitted == design.strata.size() || design.rows[design.strata[fitted].begin] != own[0] ||
        design.strata[fitted].count != own.size()) {
      std::ranges::fill(counts, 0.0);
      double whole = 0.0;
      for (std::size_t r = 0; r < own.size(); ++r) {
        counts[code[r]] += data.weight(own[r]);
        whole += data.weight(own[r]);
      }
      for (const double n : counts) out.value += n > 0.0 ? n * std::log(n / whole) : 0.0;
      continue;
    }
    const Design::Stratum& stratum = design.strata[fitted++];
    out.slopes += static_cast<double>((size - 1) * numbers.size());
    const auto padded_count = static_cast<std::size_t>(padded(static_cast<std::int64_t>(stratum.count)));
    weights.assign(padded_count, 0.0);
    for (std::size_t r = 0; r < stratum.count; ++r) weights[r] = design.weights[stratum.begin + r];
    for (std::size_t s = 0; s + 1 < size; ++s) {
      is_state.assign(padded_count, 0.0);
      double whole = 0.0;
      double taken = 0.0;
      for (std::size_t r = 0; r < stratum.count; ++r) {
        whole += weights[r];
        is_state[r] = weights[r] > 0.0 && code[r] == states[s] ? 1.0 : 0.0;
        taken += weights[r] * is_state[r];
      }
      if (taken > 0.0 && taken < whole) {
        const std::vector<double> slopes = fit(design, stratum, is_state, weights, taken / whole);
        out.value += on_instruction_set([&, terms = design.terms.data() + stratum.columns, y = is_state.data(),
                                         w = weights.data(), b = slopes.data()](auto set) DECIBAN_INLINE_LAMBDA {
          return sum_logs<decltype(set)>(terms, static_cast<std::int64_t>(padded_count),
                                         static_cast<std::int64_t>(padded_count),
                                         static_cast<std::int64_t>(stratum.terms), y, w, b);
        });
      }
      for (std::size_t r = 0; r < stratum.count; ++r) weights[r] = is_state[r] > 0.0 ? 0.0 : weights[r];
    }
  }
  return out;
}

}  // namespace deciban
