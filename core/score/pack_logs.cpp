#include "score/pack_logs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "run/pool.hpp"

namespace deciban {
namespace {

constexpr std::int64_t table_size = 1024;

class Logs {
 public:
  explicit Logs(double pseudo) : pseudo_(pseudo), table_(table_size) {
    for (std::int64_t n = 0; n < table_size; ++n) {
      table_[static_cast<std::size_t>(n)] = std::log(static_cast<double>(n) + pseudo);
    }
  }

  double operator()(double count) const {
    if (count < static_cast<double>(table_size)) {
      const auto whole = static_cast<std::int64_t>(count);
      if (static_cast<double>(whole) == count) return table_[static_cast<std::size_t>(whole)];
    }
    return std::log(count + pseudo_);
  }

 private:
  double pseudo_;
  std::vector<double> table_;
};

}  // namespace

void pack_logs(std::span<const double> counts, std::span<const double> pseudo, std::span<const double> log_whole,
               std::int64_t cols, double* out, std::int64_t width) {
  const auto classes = static_cast<std::int64_t>(log_whole.size());
  const Logs logs(pseudo[0]);
  const bool shared = pseudo.size() == 1;
  const Stripes cut = stripes(cols, classes * 4, 0);
  constexpr std::int64_t block = 64;  // columns: each cache line that is read or written is used completely
  parallel_for(cut.count, [&](std::int64_t s) {
    for (std::int64_t first = cut.begin(s); first < cut.end(s); first += block) {
      const std::int64_t last = std::min(first + block, cut.end(s));
      for (std::int64_t j = 0; j < classes; ++j) {
        const double* row = counts.data() + j * cols;
        const double less = log_whole[static_cast<std::size_t>(j)];
        for (std::int64_t k = first; k < last; ++k) {
          const double log = shared ? logs(row[k]) : std::log(row[k] + pseudo[static_cast<std::size_t>(k)]);
          out[k * width + j] = log - less;
        }
      }
    }
  });
}

}  // namespace deciban
