#include "text/count.hpp"

#include <limits>
#include <numeric>
#include <type_traits>

namespace deciban {
namespace {

std::vector<std::vector<std::uint32_t>> documents_by_class(std::span<const std::int32_t> codes, std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> documents(classes);
  for (std::size_t d = 0; d < codes.size(); ++d) {
    documents[static_cast<std::size_t>(codes[d])].push_back(static_cast<std::uint32_t>(d));
  }
  return documents;
}

template <class Sum>
void add_document(const ReadPart& part, std::span<const std::uint32_t> tokens, std::uint32_t stamp, Sum weight,
                  DenseSums<Sum>& sums) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + 2 * ahead < tokens.size()) part.fetch(tokens[i + 2 * ahead]);
    if (i + ahead < tokens.size()) sums.fetch(part.number(tokens[i + ahead]));
    sums.add_occurrence(part.number(tokens[i]), stamp, weight);
  }
}

template <class T, class Sum>
TokenSums<T> sum_classes(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                         std::size_t classes, std::span<const double> weights) {
  const std::vector<std::vector<std::uint32_t>> documents = documents_by_class(codes, classes);
  return sum_by_class<T, Sum>(classes, tokens, [&](std::size_t j, DenseSums<Sum>& sums) {
    std::uint32_t stamp = 0;
    for (const std::uint32_t d : documents[j]) {
      const ReadPart& part = text.part_of(d);
      const Sum weight = weights.empty() ? Sum{1} : static_cast<Sum>(weights[d]);
      add_document(part, part.tokens(d), ++stamp, weight, sums);
    }
  });
}

}  // namespace

template <class T>
TokenSums<T> sum_tokens(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                        std::size_t classes, std::span<const double> weights) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const std::vector<std::uint32_t> lengths = text.lengths();
    const std::uint64_t most = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
    if (most <= std::numeric_limits<std::uint32_t>::max()) {
      return sum_classes<T, std::uint32_t>(text, tokens, codes, classes, weights);
    }
  }
  return sum_classes<T, T>(text, tokens, codes, classes, weights);
}

template <class T>
TokenSums<T> add_sums(const TokenSumsView<T>& ours, const TokenSumsView<T>& theirs, std::size_t tokens,
                      std::span<const std::int64_t> numbers, T sign) {
  return sum_by_class<T, T>(ours.classes(), tokens, [&](std::size_t j, DenseSums<T>& sums) {
    for (std::size_t i = ours.begin(j); i < ours.end(j); ++i) {
      sums.add_sums(ours.indices[i], ours.occurrences[i], ours.documents[i]);
    }
    const auto number = [&](std::size_t i) {
      const std::uint32_t token = theirs.indices[i];
      return numbers.empty() ? token : static_cast<std::uint32_t>(numbers[token]);
    };
    for (std::size_t i = theirs.begin(j); i < theirs.end(j); ++i) {
      if (i + ahead < theirs.end(j)) sums.fetch(number(i + ahead));
      sums.add_sums(number(i), sign * theirs.occurrences[i], sign * theirs.documents[i]);
    }
  });
}

template TokenSums<std::int64_t> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                            std::span<const double>);
template TokenSums<double> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                      std::span<const double>);
template TokenSums<std::int64_t> add_sums(const TokenSumsView<std::int64_t>&, const TokenSumsView<std::int64_t>&,
                                          std::size_t, std::span<const std::int64_t>, std::int64_t);
template TokenSums<double> add_sums(const TokenSumsView<double>&, const TokenSumsView<double>&, std::size_t,
                                    std::span<const std::int64_t>, double);

}  // namespace deciban
