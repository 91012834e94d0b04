#include "score/pack_logs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "run/pool.hpp"

namespace deciban {
namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// log(n + a_k), from a table where n is a small whole number and all columns have the same pseudo-count.
class Logs {
 public:
  explicit Logs(const SmoothedCounts& of) : pseudo_(of.pseudo), table_(of.pseudo.size() == 1 ? table_size(of) : 0) {
    for (std::size_t n = 0; n < table_.size(); ++n) table_[n] = std::log(static_cast<double>(n) + pseudo_[0]);
  }

  double operator()(double count, std::int64_t k) const {
    if (count < static_cast<double>(table_.size())) {
      const auto whole = static_cast<std::size_t>(count);
      if (static_cast<double>(whole) == count) return table_[whole];
    }
    return std::log(count + pseudo_of(k));
  }
  double pseudo_of(std::int64_t k) const { return pseudo_.size() == 1 ? pseudo_[0] : pseudo_[at(k)]; }

 private:
  // A table that is cheap beside the logarithms it saves, and stays in the second-level cache.
  static std::size_t table_size(const SmoothedCounts& of) {
    return std::clamp<std::size_t>(of.counts.size() / 16, 16, 16384);
  }

  std::span<const double> pseudo_;
  std::vector<double> table_;
};

constexpr std::int64_t block = 64;  // columns: each cache line that is read or written is used completely

// For blocks of columns, on all threads: task(stripe, first, last).
template <class F>
void for_blocks(const Stripes& cut, F&& task) {
  parallel_for(cut.count, [&](std::int64_t s) {
    for (std::int64_t first = cut.begin(s); first < cut.end(s); first += block) {
      task(s, first, std::min(first + block, cut.end(s)));
    }
  });
}

Stripes stripes_of(const SmoothedCounts& of) {
  return stripes(of.cols, of.classes * 4, 0);
}

}  // namespace

void pack_logs(const SmoothedCounts& of, std::span<const double> log_whole, double* out, std::int64_t width) {
  const Logs logs(of);
  for_blocks(stripes_of(of), [&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = 0; j < of.classes; ++j) {
      const double* row = of.counts.data() + j * of.cols;
      for (std::int64_t k = first; k < last; ++k) out[k * width + j] = logs(row[k], k) - log_whole[at(j)];
    }
  });
}

void pack_complement(const SmoothedCounts& of, std::span<const double> log_whole, double* out, std::int64_t width) {
  const Logs logs(of);
  for_blocks(stripes_of(of), [&](std::int64_t, std::int64_t first, std::int64_t last) {
    double whole[block] = {};
    for (std::int64_t j = 0; j < of.classes; ++j) {
      const double* row = of.counts.data() + j * of.cols;
      for (std::int64_t k = first; k < last; ++k) whole[k - first] += row[k];
    }
    for (std::int64_t j = 0; j < of.classes; ++j) {
      const double* row = of.counts.data() + j * of.cols;
      for (std::int64_t k = first; k < last; ++k) {
        const double others = std::max(whole[k - first] - row[k], 0.0);  // rounding of weighted sums
        out[k * width + j] = log_whole[at(j)] - logs(others, k);
      }
    }
  });
}

std::vector<double> pack_presence(const SmoothedCounts& of, std::span<const double> rows, double* out,
                                  std::int64_t width) {
  const Logs logs(of);
  const Stripes cut = stripes_of(of);
  std::vector<double> parts(at(cut.count * of.classes));
  for_blocks(cut, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = 0; j < of.classes; ++j) {
      const double* row = of.counts.data() + j * of.cols;
      const double all = rows[at(j)];
      double sum = 0.0;
      for (std::int64_t k = first; k < last; ++k) {
        const double absent = logs(std::max(all - row[k], 0.0), k);  // rounding of weighted sums
        out[k * width + j] = logs(row[k], k) - absent;
        sum += absent - (of.pseudo.size() == 1 ? 0.0 : std::log(all + 2.0 * logs.pseudo_of(k)));
      }
      if (of.pseudo.size() == 1) sum -= static_cast<double>(last - first) * std::log(all + 2.0 * of.pseudo[0]);
      parts[at(s * of.classes + j)] += sum;
    }
  });
  std::vector<double> base(at(of.classes));
  for (std::size_t i = 0; i < parts.size(); ++i) base[i % base.size()] += parts[i];  // in the order of the stripes
  return base;
}

}  // namespace deciban
