// The distinct values of a numeric column and their counts, as a `Sketch` keeps them, updated one value at a time.
//
// A sketch with more than 4096 values has buckets: the low bits of a value's mantissa are dropped, so many in each
// octave (sign and power of 2) that at most 256 buckets are in use there. A value that fits into neither is refused:
// the caller joins it to the sketch, which drops more bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace deciban {

class LiveHistogram {
 public:
  static constexpr std::size_t no_room = std::numeric_limits<std::size_t>::max();

  // counts: values × classes, the values ascending. dropped: of each value, how many bits; empty where it is exact.
  LiveHistogram(std::span<const double> values, std::span<const double> counts, std::size_t classes,
                std::span<const std::int64_t> dropped);

  struct Added {
    std::size_t index;  // of the value, or no_room
    bool is_new;
  };

  std::size_t size() const { return values_.size(); }
  std::size_t classes() const { return classes_; }
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& counts() const { return counts_; }
  bool is_exact() const { return is_exact_; }
  // How many bits each value leaves open.
  std::vector<std::int64_t> dropped() const;

  Added add(double x, std::size_t j);

 private:
  struct Octave {
    std::uint16_t buckets = 0;
    std::uint8_t dropped = 0;
  };

  static std::uint64_t key_of(double x);
  double bucket_of(double x) const;

  std::size_t classes_;
  std::vector<double> values_, counts_;
  std::vector<Octave> octaves_;  // empty where values are exact
  bool is_exact_;
};

}  // namespace deciban
