#include "count/bins.hpp"

#include <algorithm>
#include <cmath>

#include "run/pool.hpp"

namespace deciban {

void add_bins(std::span<const double> x, std::span<const double> cuts, std::span<const double> table,
              std::span<double> out, std::int64_t classes) {
  const Stripes cut = stripes(static_cast<std::int64_t>(x.size()), 8, 0);
  const auto width = static_cast<std::size_t>(classes);
  parallel_for(cut.count, [&](std::int64_t s) {
    const auto last = static_cast<std::size_t>(cut.end(s));
    for (auto r = static_cast<std::size_t>(cut.begin(s)); r < last; ++r) {
      if (std::isnan(x[r])) continue;
      const auto bin = static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), x[r]) - cuts.begin());
      for (std::size_t j = 0; j < width; ++j) out[r * width + j] += table[bin * width + j];
    }
  });
}

}  // namespace deciban
