// The local scores that a search adds up: one for each variable and its parents.
#pragma once

#include <cstdint>
#include <span>

namespace deciban {

// A family, and those with one parent more: each of `added`, none of which is the child or among the parents.
struct Growth {
  std::int64_t child;
  std::span<const std::int64_t> parents;  // ascending
  std::span<const std::int64_t> added;
};

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

  // out[0]: the score of the family; out[1 + i]: that with added[i] as one more parent. The numbers are those of
  // `score`, but for rounding, whatever else is asked for. Called from several threads at a time.
  virtual void score_growth(const Growth& growth, std::span<double> out) const;

  // All growths, one after the other, on the pool.
  virtual void score_all(std::span<const Growth> growths, std::span<double> out) const;
};

// How many numbers `score_all` writes.
std::size_t scores_in(std::span<const Growth> growths);

}  // namespace deciban
