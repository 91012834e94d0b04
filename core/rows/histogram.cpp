#include "rows/histogram.hpp"

#include <algorithm>
#include <bit>

namespace deciban {
namespace {

constexpr std::size_t most_distinct = 4096, most_in_octave = 256, octave_count = 4096;
constexpr int mantissa_bits = 52;

std::size_t octave_of(std::uint64_t key) {
  return static_cast<std::size_t>(key >> mantissa_bits);
}

}  // namespace

LiveHistogram::LiveHistogram(std::span<const double> values, std::span<const double> counts, std::size_t classes,
                             std::span<const std::int64_t> dropped)
    : classes_(classes),
      values_(values.begin(), values.end()),
      counts_(counts.begin(), counts.end()),
      is_exact_(dropped.empty()) {
  if (is_exact_) return;
  octaves_.resize(octave_count);
  for (std::size_t v = 0; v < values_.size(); ++v) {
    Octave& octave = octaves_[octave_of(key_of(values_[v]))];
    ++octave.buckets;
    octave.dropped = static_cast<std::uint8_t>(dropped[v]);
  }
}

std::uint64_t LiveHistogram::key_of(double x) {
  return std::bit_cast<std::uint64_t>(x + 0.0);  // −0 is 0
}

// The middle of a value's bucket: the first bit that it leaves open is 1, the others 0.
double LiveHistogram::bucket_of(double x) const {
  if (is_exact_) return x + 0.0;
  const std::uint64_t key = key_of(x);
  const std::uint64_t width = std::uint64_t{1} << octaves_[octave_of(key)].dropped;
  return std::bit_cast<double>((key & ~(width - 1)) | (width >> 1));
}

std::vector<std::int64_t> LiveHistogram::dropped() const {
  std::vector<std::int64_t> out;
  if (is_exact_) return out;
  for (const double value : values_) out.push_back(octaves_[octave_of(key_of(value))].dropped);
  return out;
}

LiveHistogram::Added LiveHistogram::add(double x, std::size_t j) {
  const double bucket = bucket_of(x);
  const auto found = std::ranges::lower_bound(values_, bucket);
  const auto index = static_cast<std::size_t>(found - values_.begin());
  const bool is_new = found == values_.end() || *found != bucket;
  if (is_new) {
    const std::size_t in_use = is_exact_ ? values_.size() : octaves_[octave_of(key_of(bucket))].buckets;
    if (in_use >= (is_exact_ ? most_distinct : most_in_octave)) return {no_room, true};
    values_.insert(found, bucket);
    counts_.insert(counts_.begin() + static_cast<std::ptrdiff_t>(index * classes_), classes_, 0.0);
    if (!is_exact_) ++octaves_[octave_of(key_of(bucket))].buckets;
  }
  counts_[index * classes_ + j] += 1.0;
  return {index, is_new};
}

}  // namespace deciban
