// Lists of different lengths in two flat arrays.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace deciban {

// List i is values[starts[i]] … values[starts[i + 1] − 1].
template <class T>
struct RaggedList {
  std::span<const std::int64_t> starts;  // one more than there are lists
  std::span<const T> values;

  std::size_t size() const { return starts.size() - 1; }
  std::size_t begin_of(std::size_t i) const { return static_cast<std::size_t>(starts[i]); }
  std::size_t length(std::size_t i) const { return static_cast<std::size_t>(starts[i + 1] - starts[i]); }
  std::span<const T> operator[](std::size_t i) const { return values.subspan(begin_of(i), length(i)); }

  // Whether the starts rise from 0 to the number of values.
  bool is_well_formed() const {
    return !starts.empty() && starts.front() == 0 && std::ranges::is_sorted(starts) &&
           starts.back() == static_cast<std::int64_t>(values.size());
  }
};

}  // namespace deciban
