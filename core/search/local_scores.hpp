// The local scores that a search adds up: one for each variable and its parents.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

class LocalScores {
 public:
  LocalScores() = default;
  LocalScores(const LocalScores&) = delete;
  LocalScores& operator=(const LocalScores&) = delete;
  virtual ~LocalScores() = default;

  virtual std::int64_t variables() const = 0;

  // In nats; higher is better, and −∞ where the parents determine one another. The parents ascend. Called from several
  // threads at a time.
  virtual double score(std::int64_t child, std::span<const std::int64_t> parents) const = 0;
};

}  // namespace deciban
