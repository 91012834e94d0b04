// Class × token sums: made class by class over all tokens, and stored without those that are 0.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "run/pages.hpp"
#include "run/pool.hpp"

namespace deciban {

// Stored by class: class j's tokens are indices[starts[j]] … in ascending order, and their counts stand beside them.
template <class T>
struct TokenSums {
  std::vector<std::int64_t> starts{0};
  RawPages<std::uint32_t> indices;
  RawPages<T> occurrences;
  RawPages<T> documents;
};

template <class Sum>
struct ClassSums {
  RawPages<std::uint32_t> indices;
  RawPages<Sum> occurrences;
  RawPages<Sum> documents;
};

// One class's sums over all tokens, and which of them were added to. `Sum` is the type of a sum: the smaller it is, the
// more of them fit into the cache.
template <class Sum>
class DenseSums {
 public:
  explicit DenseSums(std::size_t tokens) : cells_(tokens), seen_((tokens + 63) / 64) {}

  void fetch(std::uint32_t token) const { prefetch_to_write(&cells_[token]); }

  // An occurrence in a document; documents have different stamps from 1 on.
  void add_occurrence(std::uint32_t token, std::uint32_t stamp, Sum weight) {
    Cell& cell = cells_[token];
    cell.occurrences += weight;
    if (cell.stamp == stamp) return;
    mark(cell, token);
    cell.stamp = stamp;
    cell.documents += weight;
  }

  void add_sums(std::uint32_t token, Sum occurrences, Sum documents) {
    Cell& cell = cells_[token];
    mark(cell, token);
    cell.stamp = 1;
    cell.occurrences += occurrences;
    cell.documents += documents;
  }

  // The sums in ascending order of tokens; then all are 0 again.
  ClassSums<Sum> drain() {
    const std::size_t count = this->count();
    ClassSums<Sum> sums{RawPages<std::uint32_t>(count), RawPages<Sum>(count), RawPages<Sum>(count)};
    std::size_t at = 0;
    for (std::size_t w = 0; w < seen_.size(); ++w) {
      for (std::uint64_t word = seen_[w]; word != 0; word &= word - 1, ++at) {
        const std::size_t token = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        sums.indices[at] = static_cast<std::uint32_t>(token);
        sums.occurrences[at] = cells_[token].occurrences;
        sums.documents[at] = cells_[token].documents;
        cells_[token] = {};
      }
      seen_[w] = 0;
    }
    return sums;
  }

 private:
  struct Cell {
    Sum occurrences{};
    Sum documents{};
    std::uint32_t stamp = 0;
  };

  void mark(const Cell& cell, std::uint32_t token) {
    if (cell.stamp == 0) seen_[token / 64] |= std::uint64_t{1} << (token % 64);
  }

  std::size_t count() const {
    return std::accumulate(seen_.begin(), seen_.end(), std::size_t{0}, [](std::size_t sum, std::uint64_t word) {
      return sum + static_cast<std::size_t>(std::popcount(word));
    });
  }

  Pages<Cell> cells_;
  std::vector<std::uint64_t> seen_;
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

// Runs fill(class, sums) for all classes, on all threads.
template <class T, class Sum, class Fill>
TokenSums<T> sum_by_class(std::size_t classes, std::size_t tokens, Fill&& fill) {
  std::vector<ClassSums<Sum>> parts(classes);
  Spares<Sum> scratches(tokens);
  parallel_for(static_cast<std::int64_t>(classes), [&](std::int64_t c) {
    const auto j = static_cast<std::size_t>(c);
    std::unique_ptr<DenseSums<Sum>> scratch = scratches.take();
    fill(j, *scratch);
    parts[j] = scratch->drain();
    scratches.give(std::move(scratch));
  });
  return join<T>(std::move(parts));
}

}  // namespace deciban
