// Local scores that are computed once: by the variable and its parents, in parts with a lock each, so that threads
// seldom wait for one another.
#pragma once

#include <memory>

#include "search/local_scores.hpp"

namespace deciban {

std::unique_ptr<LocalScores> cached(std::shared_ptr<const LocalScores> scores);

// The same scores with the variables in another order: variable i is order[i] of `scores`.
std::unique_ptr<LocalScores> reordered(std::shared_ptr<const LocalScores> scores, std::span<const std::int64_t> order);

}  // namespace deciban
