// BIC of families of categories and numbers: `deciban.nets.scores.mixed` has the formulas.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "independence/mixed/cells.hpp"
#include "search/local_scores.hpp"

namespace deciban {

// "cg_bic", from the moments of the numbers in each cell of the categories, none of which may be missing. `cost` is
// what a parameter costs, in nats.
std::unique_ptr<LocalScores> cell_scores(MixedColumns&& data, double cost);

// "dg_bic", from the correlations of indicators and numbers, columns × columns: those of variable v are starts[v] …
// starts[v + 1] − 1. `log_spread` are the logarithms of their standard deviations.
std::unique_ptr<LocalScores> block_scores(std::span<const double> correlation, std::span<const std::int64_t> starts,
                                          std::span<const double> log_spread, double rows, double cost);

}  // namespace deciban
