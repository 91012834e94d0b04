// BIC, BDeu or K2 of families of categories, counted from their codes.
#pragma once

#include <memory>

#include "count/families/scores.hpp"
#include "search/local_scores.hpp"

namespace deciban {

// The codes, their weights and the table of n·log n are not copied: they must outlive the result.
std::unique_ptr<LocalScores> code_scores(const CodeColumns& codes, const Criterion& criterion);

}  // namespace deciban
