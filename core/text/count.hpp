// Documents → class × token counts, with no matrix between; and the sum of two such counts.
#pragma once

#include <cstdint>
#include <span>

#include "text/read.hpp"
#include "text/token_sums.hpp"

namespace deciban {

// T: std::int64_t without weights, double with them. Sums are added in the documents' order.
template <class T>
TokenSums<T> sum_tokens(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                        std::size_t classes, std::span<const double> weights);

// Counts that were made before, as TokenSums stores them.
template <class T>
struct TokenSumsView {
  std::span<const std::int64_t> starts;
  std::span<const std::uint32_t> indices;
  std::span<const T> occurrences;
  std::span<const T> documents;

  std::size_t classes() const { return starts.size() - 1; }
  std::size_t begin(std::size_t j) const { return static_cast<std::size_t>(starts[j]); }
  std::size_t end(std::size_t j) const { return static_cast<std::size_t>(starts[j + 1]); }
};

// ours + sign · theirs, of the same classes. Token t of theirs is numbers[t] of ours, or t where there are no numbers.
template <class T>
TokenSums<T> add_sums(const TokenSumsView<T>& ours, const TokenSumsView<T>& theirs, std::size_t tokens,
                      std::span<const std::int64_t> numbers, T sign);

extern template TokenSums<std::int64_t> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>,
                                                   std::size_t, std::span<const double>);
extern template TokenSums<double> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                             std::span<const double>);
extern template TokenSums<std::int64_t> add_sums(const TokenSumsView<std::int64_t>&, const TokenSumsView<std::int64_t>&,
                                                 std::size_t, std::span<const std::int64_t>, std::int64_t);
extern template TokenSums<double> add_sums(const TokenSumsView<double>&, const TokenSumsView<double>&, std::size_t,
                                           std::span<const std::int64_t>, double);

}  // namespace deciban
