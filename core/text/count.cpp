#include "text/count.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <type_traits>

#include "run/pool.hpp"

namespace deciban {
namespace {

// One class's sums over all tokens, and which of them are not 0. `Sum` is the type of a sum: the smaller it is, the
// more of them fit into the cache.
template <class Sum>
class DenseSums {
 public:
  explicit DenseSums(std::size_t tokens) : cells_(tokens), seen_((tokens + 63) / 64) {}

  void add(const ReadPart& part, std::span<const std::uint32_t> tokens, std::uint32_t stamp, Sum weight) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i + 2 * ahead < tokens.size()) part.fetch(tokens[i + 2 * ahead]);
      if (i + ahead < tokens.size()) __builtin_prefetch(&cells_[part.number(tokens[i + ahead])], 1);
      const std::uint32_t token = part.number(tokens[i]);
      Cell& cell = cells_[token];
      cell.occurrences += weight;
      if (cell.stamp == stamp) continue;
      if (cell.stamp == 0) seen_[token / 64] |= std::uint64_t{1} << (token % 64);
      cell.stamp = stamp;
      cell.documents += weight;
    }
  }

  std::size_t count() const {
    return std::accumulate(seen_.begin(), seen_.end(), std::size_t{0}, [](std::size_t sum, std::uint64_t word) {
      return sum + static_cast<std::size_t>(std::popcount(word));
    });
  }

  // Writes the sums in ascending order of tokens, and resets them.
  void drain(std::uint32_t* indices, Sum* occurrences, Sum* documents) {
    for (std::size_t w = 0; w < seen_.size(); ++w) {
      for (std::uint64_t word = seen_[w]; word != 0; word &= word - 1) {
        const std::size_t token = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        *indices++ = static_cast<std::uint32_t>(token);
        *occurrences++ = cells_[token].occurrences;
        *documents++ = cells_[token].documents;
        cells_[token] = {};
      }
      seen_[w] = 0;
    }
  }

 private:
  struct Cell {
    Sum occurrences{};
    Sum documents{};
    std::uint32_t stamp = 0;
  };
  Pages<Cell> cells_;
  std::vector<std::uint64_t> seen_;
};

template <class Sum>
struct ClassSums {
  RawPages<std::uint32_t> indices;
  RawPages<Sum> occurrences;
  RawPages<Sum> documents;
};

// As many as there are threads at work, each used by one class after the other.
template <class Sum>
class Spares {
 public:
  explicit Spares(std::size_t tokens) : tokens_(tokens) {}

  std::unique_ptr<DenseSums<Sum>> take() {
    const std::scoped_lock hold(lock_);
    if (idle_.empty()) return std::make_unique<DenseSums<Sum>>(tokens_);
    std::unique_ptr<DenseSums<Sum>> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
  }
  void give(std::unique_ptr<DenseSums<Sum>> scratch) {
    const std::scoped_lock hold(lock_);
    idle_.push_back(std::move(scratch));
  }

 private:
  std::size_t tokens_;
  std::mutex lock_;
  std::vector<std::unique_ptr<DenseSums<Sum>>> idle_;
};

std::vector<std::vector<std::uint32_t>> documents_by_class(std::span<const std::int32_t> codes, std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> documents(classes);
  for (std::size_t d = 0; d < codes.size(); ++d) {
    documents[static_cast<std::size_t>(codes[d])].push_back(static_cast<std::uint32_t>(d));
  }
  return documents;
}

template <class Sum>
ClassSums<Sum> sum_class(const ReadText& text, std::span<const std::uint32_t> documents,
                         std::span<const double> weights, DenseSums<Sum>& scratch) {
  std::uint32_t stamp = 0;
  for (const std::uint32_t d : documents) {
    const ReadPart& part = text.part_of(d);
    scratch.add(part, part.tokens(d), ++stamp, weights.empty() ? Sum{1} : static_cast<Sum>(weights[d]));
  }
  const std::size_t count = scratch.count();
  ClassSums<Sum> sums{RawPages<std::uint32_t>(count), RawPages<Sum>(count), RawPages<Sum>(count)};
  scratch.drain(sums.indices.data(), sums.occurrences.data(), sums.documents.data());
  return sums;
}

template <class Sum>
std::vector<ClassSums<Sum>> sum_classes(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                                        std::size_t classes, std::span<const double> weights) {
  const std::vector<std::vector<std::uint32_t>> documents = documents_by_class(codes, classes);
  std::vector<ClassSums<Sum>> parts(classes);
  Spares<Sum> scratches(tokens);
  parallel_for(static_cast<std::int64_t>(classes), [&](std::int64_t c) {
    const auto j = static_cast<std::size_t>(c);
    std::unique_ptr<DenseSums<Sum>> scratch = scratches.take();
    parts[j] = sum_class(text, documents[j], weights, *scratch);
    scratches.give(std::move(scratch));
  });
  return parts;
}

template <class T, class Sum>
TokenSums<T> join(std::vector<ClassSums<Sum>>&& parts) {
  TokenSums<T> sums;
  for (const ClassSums<Sum>& part : parts) {
    sums.starts.push_back(sums.starts.back() + static_cast<std::int64_t>(part.indices.size()));
  }
  const auto count = static_cast<std::size_t>(sums.starts.back());
  sums.indices.resize(count);
  sums.occurrences.resize(count);
  sums.documents.resize(count);
  parallel_for(static_cast<std::int64_t>(parts.size()), [&](std::int64_t c) {
    const auto j = static_cast<std::size_t>(c);
    ClassSums<Sum> part = std::move(parts[j]);  // freed as soon as it is copied
    const std::int64_t at = sums.starts[j];
    std::copy(part.indices.begin(), part.indices.end(), sums.indices.begin() + at);
    std::copy(part.occurrences.begin(), part.occurrences.end(), sums.occurrences.begin() + at);
    std::copy(part.documents.begin(), part.documents.end(), sums.documents.begin() + at);
  });
  return sums;
}

}  // namespace

template <class T>
TokenSums<T> sum_tokens(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                        std::size_t classes, std::span<const double> weights) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const std::vector<std::uint32_t> lengths = text.lengths();
    const std::uint64_t most = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
    if (most <= std::numeric_limits<std::uint32_t>::max()) {
      return join<T>(sum_classes<std::uint32_t>(text, tokens, codes, classes, weights));
    }
  }
  return join<T>(sum_classes<T>(text, tokens, codes, classes, weights));
}

template TokenSums<std::int64_t> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                            std::span<const double>);
template TokenSums<double> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                      std::span<const double>);

}  // namespace deciban
