#include "count/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace deciban {
namespace {

// A hash table with open addressing: from a value's bits to its index, in the order of first occurrence.
class ValueIndex {
 public:
  std::size_t of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // −0 is 0
    std::size_t slot = home(bits);
    while (slots_[slot] != 0) {
      const std::size_t index = slots_[slot] - 1;
      if (bits_[index] == bits) return index;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    bits_.push_back(bits);
    slots_[slot] = static_cast<std::uint32_t>(bits_.size());
    if (2 * bits_.size() > slots_.size()) grow();
    return bits_.size() - 1;
  }
  std::size_t size() const { return bits_.size(); }
  double value(std::size_t index) const { return std::bit_cast<double>(bits_[index]); }

 private:
  std::size_t home(std::uint64_t bits) const {
    return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15u) >> (64 - std::countr_zero(slots_.size())));
  }
  void grow() {
    slots_.assign(2 * slots_.size(), 0);
    for (std::size_t index = 0; index < bits_.size(); ++index) {
      std::size_t slot = home(bits_[index]);
      while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(index + 1);
    }
  }

  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256);
  std::vector<std::uint64_t> bits_;
};

template <class T, class Weight>
ValueCounts<T> count(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                     std::int64_t most, const Weight& weight) {
  const auto width = static_cast<std::size_t>(classes);
  ValueIndex index_of;
  std::vector<T> by_value;  // values × classes, in the order of first occurrence
  for (std::size_t r = 0; r < x.size(); ++r) {
    const T w = weight(r);
    if (std::isnan(x[r]) || w == T{0}) continue;
    const std::size_t index = index_of.of(x[r]);
    if (index * width == by_value.size()) {
      if (static_cast<std::int64_t>(index_of.size()) > most) return {{}, {}, false};
      by_value.resize(by_value.size() + width);
    }
    by_value[index * width + static_cast<std::size_t>(y[r])] += w;
  }
  std::vector<std::size_t> order(index_of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return index_of.value(a) < index_of.value(b); });
  ValueCounts<T> out{std::vector<double>(order.size()), std::vector<T>(by_value.size()), true};
  for (std::size_t v = 0; v < order.size(); ++v) {
    out.values[v] = index_of.value(order[v]);
    for (std::size_t j = 0; j < width; ++j) out.table[j * order.size() + v] = by_value[order[v] * width + j];
  }
  return out;
}

}  // namespace

ValueCounts<std::int64_t> count_values(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                                       std::int64_t most) {
  return count<std::int64_t>(x, y, classes, most, [](std::size_t) { return std::int64_t{1}; });
}

ValueCounts<double> count_values(std::span<const double> x, std::span<const std::int32_t> y, std::int64_t classes,
                                 std::span<const double> weights, std::int64_t most) {
  return count<double>(x, y, classes, most, [&](std::size_t r) { return weights[r]; });
}

}  // namespace deciban
