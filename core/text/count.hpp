// Documents → class × token counts, with no matrix between.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/read.hpp"

namespace deciban {

// Stored by class: class j's tokens are indices[starts[j]] … in ascending order, and their counts stand beside them.
template <class T>
struct TokenSums {
  std::vector<std::int64_t> starts{0};
  RawPages<std::uint32_t> indices;
  RawPages<T> occurrences;
  RawPages<T> documents;
};

// T: std::int64_t without weights, double with them. Sums are added in the documents' order.
template <class T>
TokenSums<T> sum_tokens(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                        std::size_t classes, std::span<const double> weights);

extern template TokenSums<std::int64_t> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>,
                                                   std::size_t, std::span<const double>);
extern template TokenSums<double> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                             std::span<const double>);

}  // namespace deciban
