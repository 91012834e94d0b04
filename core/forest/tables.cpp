// From the counts of rows that end at nodes to those of rows that pass them, and to probabilities.
#include <algorithm>

#include "forest/forest.hpp"
#include "run/pool.hpp"

namespace deciban {

void add_to_ancestors(const Forest& forest, std::int64_t classes, std::span<double> counts) {
  parallel_for(forest.trees(), [&](std::int64_t t) {
    // Children lie behind their parents.
    for (std::int64_t i = forest.starts[at(t + 1)] - 1; i >= forest.starts[at(t)]; --i) {
      if (forest.columns[at(i)] < 0) continue;
      double* to = counts.data() + i * classes;
      const double* left = counts.data() + forest.left[at(i)] * classes;
      for (std::int64_t c = 0; c < classes; ++c) to[c] += left[c] + left[classes + c];
    }
  });
}

void node_chances(const Forest& forest, std::int64_t classes, std::span<const double> strengths,
                  std::span<double> counts) {
  const std::size_t deepest = strengths.size() - 1;
  parallel_for(forest.trees(), [&](std::int64_t t) {
    const std::int64_t first = forest.starts[at(t)], last = forest.starts[at(t + 1)];
    std::vector<std::uint32_t> depth(at(last - first));
    const auto smooth = [&](double* of, auto&& parent, double s) {
      double whole = s;
      for (std::int64_t c = 0; c < classes; ++c) whole += of[c];
      for (std::int64_t c = 0; c < classes; ++c) of[c] = (of[c] + s * parent(c)) / whole;
    };
    smooth(counts.data() + first * classes, [&](std::int64_t) { return 1.0 / static_cast<double>(classes); }, 1.0);
    for (std::int64_t i = first; i < last; ++i) {
      double* of = counts.data() + i * classes;
      if (forest.columns[at(i)] >= 0) {
        const std::uint32_t below = depth[at(i - first)];
        const double s = strengths[std::min(std::size_t{below}, deepest)];
        for (std::int64_t child = forest.left[at(i)]; child <= forest.left[at(i)] + 1; ++child) {
          smooth(counts.data() + child * classes, [&](std::int64_t c) { return of[c]; }, s);
          depth[at(child - first)] = below + 1;
        }
      }
    }
  });
}

}  // namespace deciban
