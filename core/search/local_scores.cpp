#include "search/local_scores.hpp"

#include <algorithm>
#include <vector>

#include "run/at.hpp"
#include "run/interrupt.hpp"
#include "run/pool.hpp"

namespace deciban {

void LocalScores::score_growth(const Growth& growth, std::span<double> out) const {
  out[0] = score(growth.child, growth.parents);
  std::vector<std::int64_t> parents(growth.parents.size() + 1);
  for (std::size_t i = 0; i < growth.added.size(); ++i) {
    const auto after = std::ranges::lower_bound(growth.parents, growth.added[i]);
    const auto place = std::copy(growth.parents.begin(), after, parents.begin());
    *place = growth.added[i];
    std::copy(after, growth.parents.end(), place + 1);
    out[i + 1] = score(growth.child, parents);
  }
}

void LocalScores::score_all(std::span<const Growth> growths, std::span<double> out) const {
  // Parts of growths, so that the threads share large ones: of the family alone, or of some added parents.
  struct Part {
    std::size_t growth, begin, count, to;
  };
  constexpr std::size_t most = 32;
  std::vector<Part> parts;
  std::size_t start = 0;
  for (std::size_t i = 0; i < growths.size(); ++i) {
    const std::size_t added = growths[i].added.size();
    for (std::size_t begin = 0; begin == 0 || begin < added; begin += most) {
      parts.push_back({i, begin, std::min(most, added - begin), start + begin});
    }
    start += added + 1;
  }
  const std::size_t chunks = std::min<std::size_t>(parts.size(), 32 * at(thread_count()));
  parallel_for(static_cast<std::int64_t>(chunks), [&](std::int64_t chunk) {
    std::vector<double> scores;
    for (std::size_t i = parts.size() * at(chunk) / chunks; i < parts.size() * at(chunk + 1) / chunks; ++i) {
      check_interrupt();
      const auto [of, begin, count, to] = parts[i];
      const Growth& growth = growths[of];
      scores.resize(count + 1);
      score_growth({growth.child, growth.parents, growth.added.subspan(begin, count)}, scores);
      if (begin == 0) out[to] = scores[0];
      std::copy(scores.begin() + 1, scores.end(), out.begin() + static_cast<std::ptrdiff_t>(to + 1));
    }
  });
}

std::size_t scores_in(std::span<const Growth> growths) {
  std::size_t count = growths.size();
  for (const Growth& growth : growths) count += growth.added.size();
  return count;
}

}  // namespace deciban
