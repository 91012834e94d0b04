#include <cmath>

#include "chains/chains.hpp"
#include "count/cells.hpp"
#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::size_t small_table = 2048;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// n·log n, 0 at 0.
double entropy_term(double n) {
  return n > 0.0 ? n * std::log(n) : 0.0;
}

// I(U; V | C)·n = Σ n_uvc log n_uvc − Σ n_uc log n_uc − Σ n_vc log n_vc + Σ n_c log n_c, over known states.
template <class N>
double information_of(const std::vector<N>& table, std::size_t wide_v, std::size_t us, std::size_t vs,
                      std::size_t classes) {
  std::vector<double> of_u(us * classes), of_v(vs * classes), of_c(classes);
  double sum = 0.0, total = 0.0;
  for (std::size_t u = 0; u < us; ++u) {
    for (std::size_t v = 0; v < vs; ++v) {
      for (std::size_t c = 0; c < classes; ++c) {
        const auto n = static_cast<double>(table[(u * wide_v + v) * classes + c]);
        sum += entropy_term(n);
        of_u[u * classes + c] += n;
        of_v[v * classes + c] += n;
        of_c[c] += n;
        total += n;
      }
    }
  }
  for (const double n : of_u) sum -= entropy_term(n);
  for (const double n : of_v) sum -= entropy_term(n);
  for (const double n : of_c) sum += entropy_term(n);
  return total > 0.0 ? std::max(0.0, sum / total) : 0.0;
}

template <class N>
double own_information(const std::vector<N>& table, std::size_t states, std::size_t classes) {
  std::vector<double> of_v(states), of_c(classes);
  double sum = 0.0, total = 0.0;
  for (std::size_t v = 0; v < states; ++v) {
    for (std::size_t c = 0; c < classes; ++c) {
      const auto n = static_cast<double>(table[v * classes + c]);
      sum += entropy_term(n);
      of_v[v] += n;
      of_c[c] += n;
      total += n;
    }
  }
  for (const double n : of_v) sum -= entropy_term(n);
  for (const double n : of_c) sum -= entropy_term(n);
  return total > 0.0 ? std::max(0.0, (sum + entropy_term(total)) / total) : 0.0;
}

template <class N>
std::vector<double> all_information(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes) {
  const std::int64_t d = codes.cols;
  std::vector<double> out(at(d * d));
  parallel_for(d, [&](std::int64_t i) {
    std::vector<N> table;
    const auto wide = [&](std::int64_t c) { return codes.sizes[at(c)] + 1; };
    for (std::int64_t j = 0; j <= i; ++j) {
      const std::int64_t cells = classes * wide(i) * (i == j ? 1 : wide(j));
      count_cells(codes.rows, codes.weights, at(cells), small_table, table,
                  [&](std::int64_t begin, std::int64_t rows, std::uint32_t* index) {
                    for (std::int64_t r = 0; r < rows; ++r) index[r] = static_cast<std::uint32_t>(y[at(begin + r)]);
                    add_to_index(codes, static_cast<std::int32_t>(i), begin, rows, static_cast<std::uint32_t>(classes),
                                 index);
                    if (i == j) return;
                    const auto stride = static_cast<std::uint32_t>(classes * wide(i));
                    add_to_index(codes, static_cast<std::int32_t>(j), begin, rows, stride, index);
                  });
      const std::size_t us = at(codes.sizes[at(j)]), vs = at(codes.sizes[at(i)]), k = at(classes);
      const double found = i == j ? own_information(table, vs, k) : information_of(table, at(wide(i)), us, vs, k);
      out[at(i * d + j)] = out[at(j * d + i)] = found;
    }
  });
  return out;
}

}  // namespace

std::vector<double> pair_information(const CodeColumns& codes, std::span<const std::int32_t> y, std::int64_t classes) {
  if (codes.weights.empty()) return all_information<std::uint32_t>(codes, y, classes);
  return all_information<double>(codes, y, classes);
}

}  // namespace deciban
