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
  std::vector<std::size_t> starts{0};
  for (const Growth& growth : growths) starts.push_back(starts.back() + growth.added.size() + 1);
  // Chunks of about as many scores each, so that one large growth among many small ones delays no thread.
  const auto chunks = std::min<std::size_t>(growths.size(), 32 * at(thread_count()));
  parallel_for(static_cast<std::int64_t>(chunks), [&](std::int64_t chunk) {
    const auto first_at = [&](std::size_t of) {
      return static_cast<std::size_t>(std::ranges::lower_bound(starts, starts.back() * of / chunks) - starts.begin());
    };
    for (std::size_t i = first_at(at(chunk)); i < first_at(at(chunk) + 1); ++i) {
      check_interrupt();
      score_growth(growths[i], out.subspan(starts[i], starts[i + 1] - starts[i]));
    }
  });
}

std::size_t scores_in(std::span<const Growth> growths) {
  std::size_t count = growths.size();
  for (const Growth& growth : growths) count += growth.added.size();
  return count;
}

}  // namespace deciban
