#include "count_text.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <numeric>

#include "pool.hpp"

namespace deciban {
namespace {

// One class's sums over all tokens, and which of them are not 0.
template <class T>
class DenseSums {
 public:
  explicit DenseSums(std::size_t tokens) : cells_(tokens), seen_((tokens + 63) / 64) {}

  void add(const ReadPart& part, std::span<const std::uint32_t> tokens, std::uint32_t stamp, T weight) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
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

  // Writes what was summed, in ascending order, and forgets it.
  void drain(std::uint32_t* indices, T* occurrences, T* documents) {
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
    T occurrences{};
    T documents{};
    std::uint32_t stamp = 0;
  };
  Pages<Cell> cells_;
  std::vector<std::uint64_t> seen_;
};

template <class T>
struct ClassSums {
  Pages<std::uint32_t> indices;
  Pages<T> occurrences;
  Pages<T> documents;
};

// As many as there are threads at work, each used by one class after the other.
template <class T>
class Spares {
 public:
  explicit Spares(std::size_t tokens) : tokens_(tokens) {}

  std::unique_ptr<DenseSums<T>> take() {
    const std::scoped_lock hold(lock_);
    if (idle_.empty()) return std::make_unique<DenseSums<T>>(tokens_);
    std::unique_ptr<DenseSums<T>> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
  }
  void give(std::unique_ptr<DenseSums<T>> scratch) {
    const std::scoped_lock hold(lock_);
    idle_.push_back(std::move(scratch));
  }

 private:
  std::size_t tokens_;
  std::mutex lock_;
  std::vector<std::unique_ptr<DenseSums<T>>> idle_;
};

std::vector<std::vector<std::uint32_t>> documents_by_class(std::span<const std::int32_t> codes, std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> documents(classes);
  for (std::size_t d = 0; d < codes.size(); ++d) {
    documents[static_cast<std::size_t>(codes[d])].push_back(static_cast<std::uint32_t>(d));
  }
  return documents;
}

template <class T>
ClassSums<T> sum_class(const ReadText& text, std::span<const std::uint32_t> documents, std::span<const double> weights,
                       DenseSums<T>& scratch) {
  std::uint32_t stamp = 0;
  for (const std::uint32_t d : documents) {
    const ReadPart& part = text.part_of(d);
    scratch.add(part, part.tokens(d), ++stamp, weights.empty() ? T{1} : static_cast<T>(weights[d]));
  }
  const std::size_t count = scratch.count();
  ClassSums<T> sums{Pages<std::uint32_t>(count), Pages<T>(count), Pages<T>(count)};
  scratch.drain(sums.indices.data(), sums.occurrences.data(), sums.documents.data());
  return sums;
}

template <class T>
void append(Pages<T>& all, Pages<T>& part) {
  all.insert(all.end(), part.begin(), part.end());
  Pages<T>().swap(part);
}

}  // namespace

template <class T>
TokenSums<T> sum_tokens(const ReadText& text, std::size_t tokens, std::span<const std::int32_t> codes,
                        std::size_t classes, std::span<const double> weights) {
  const std::vector<std::vector<std::uint32_t>> documents = documents_by_class(codes, classes);
  std::vector<ClassSums<T>> parts(classes);
  {
    Spares<T> scratches(tokens);
    parallel_for(static_cast<std::int64_t>(classes), [&](std::int64_t c) {
      const auto j = static_cast<std::size_t>(c);
      std::unique_ptr<DenseSums<T>> scratch = scratches.take();
      parts[j] = sum_class(text, documents[j], weights, *scratch);
      scratches.give(std::move(scratch));
    });
  }
  TokenSums<T> sums;
  for (const ClassSums<T>& part : parts) {
    sums.starts.push_back(sums.starts.back() + static_cast<std::int64_t>(part.indices.size()));
  }
  const auto count = static_cast<std::size_t>(sums.starts.back());
  sums.indices.reserve(count);
  sums.occurrences.reserve(count);
  sums.documents.reserve(count);
  for (ClassSums<T>& part : parts) append(sums.indices, part.indices);
  for (ClassSums<T>& part : parts) append(sums.occurrences, part.occurrences);
  for (ClassSums<T>& part : parts) append(sums.documents, part.documents);
  return sums;
}

template TokenSums<std::int64_t> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                            std::span<const double>);
template TokenSums<double> sum_tokens(const ReadText&, std::size_t, std::span<const std::int32_t>, std::size_t,
                                      std::span<const double>);

}  // namespace deciban
