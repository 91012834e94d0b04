// Documents → joint log-probabilities, from token-major sparse scores.
#pragma once

#include <cstdint>
#include <span>

#include "text/read.hpp"

namespace deciban {

// The weight of a token in a document: the number of its occurrences, 1, or 1 + log of the number.
enum class Amount { occurrences, distinct, logarithm };

struct TextModel {
  std::span<const double> prior;
  std::span<const double> class_base;
  std::span<const std::int64_t> starts;  // of each token's row
  std::span<const std::uint16_t> classes;
  std::span<const double> deltas;
  std::span<const double> token_base;  // may be empty
  Amount amount;
  bool unit_length;  // amounts are divided by the root of the sum of their squares
};

// joint: documents × classes; known: the number of each document's known tokens.
void score_text(Documents& documents, const TextRules& rules, const Index& index, const TextModel& model, double* joint,
                std::uint32_t* known);

}  // namespace deciban
