#include "search/cached_scores.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "run/at.hpp"
#include "search/score_cache.hpp"

namespace deciban {
namespace {

class CachedScores final : public LocalScores {
 public:
  explicit CachedScores(std::shared_ptr<const LocalScores> scores) : scores_(std::move(scores)) {}

  std::int64_t variables() const override { return scores_->variables(); }

  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    Key key = key_of(child, parents);
    if (const auto known = cache_.find(key)) return *known;
    const double score = scores_->score(child, parents);
    cache_.keep(std::move(key), score);
    return score;
  }

  void score_growth(const Growth& growth, std::span<double> out) const override {
    Missing missing(*this, growth, out);
    if (!missing.any) return;
    std::vector<double> found(missing.added.size() + 1);
    scores_->score_growth({growth.child, growth.parents, missing.added}, found);
    missing.keep(*this, growth, found, out);
  }

 private:
  using Key = ScoreCache::Key;  // the child, then its parents

  // What of a growth is not known yet; what is known is written.
  struct Missing {
    Missing(const CachedScores& cache, const Growth& growth, std::span<double> out) {
      const auto base = cache.cache_.find(key_of(growth.child, growth.parents));
      if (base) out[0] = *base;
      for (std::size_t i = 0; i < growth.added.size(); ++i) {
        if (const auto known = cache.cache_.find(grown_key(growth, growth.added[i]))) {
          out[i + 1] = *known;
        } else {
          added.push_back(growth.added[i]);
          places.push_back(i + 1);
        }
      }
      any = !base || !added.empty();
    }

    void keep(const CachedScores& cache, const Growth& growth, std::span<const double> found,
              std::span<double> out) const {
      out[0] = found[0];
      cache.cache_.keep(key_of(growth.child, growth.parents), found[0]);
      for (std::size_t i = 0; i < added.size(); ++i) {
        out[places[i]] = found[i + 1];
        cache.cache_.keep(grown_key(growth, added[i]), found[i + 1]);
      }
    }

    std::vector<std::int64_t> added;
    std::vector<std::size_t> places;
    bool any = false;
  };

  static Key key_of(std::int64_t child, std::span<const std::int64_t> parents) {
    Key key{static_cast<std::int32_t>(child)};
    key.reserve(parents.size() + 1);
    for (const std::int64_t parent : parents) key.push_back(static_cast<std::int32_t>(parent));
    return key;
  }
  static Key grown_key(const Growth& growth, std::int64_t added) {
    Key key = key_of(growth.child, growth.parents);
    const auto one = static_cast<std::int32_t>(added);
    key.insert(std::lower_bound(key.begin() + 1, key.end(), one), one);
    return key;
  }

  std::shared_ptr<const LocalScores> scores_;
  mutable ScoreCache cache_;
};

class ReorderedScores final : public LocalScores {
 public:
  ReorderedScores(std::shared_ptr<const LocalScores> scores, std::span<const std::int64_t> order)
      : scores_(std::move(scores)), order_(order.begin(), order.end()) {}

  std::int64_t variables() const override { return scores_->variables(); }

  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    return scores_->score(order_[at(child)], parents_of(parents));
  }

  void score_growth(const Growth& growth, std::span<double> out) const override {
    const std::vector<std::int64_t> parents = parents_of(growth.parents), added = mapped(growth.added);
    scores_->score_growth({order_[at(growth.child)], parents, added}, out);
  }

 private:
  std::vector<std::int64_t> mapped(std::span<const std::int64_t> variables) const {
    std::vector<std::int64_t> out;
    out.reserve(variables.size());
    for (const std::int64_t variable : variables) out.push_back(order_[at(variable)]);
    return out;
  }
  std::vector<std::int64_t> parents_of(std::span<const std::int64_t> parents) const {
    std::vector<std::int64_t> out = mapped(parents);
    std::ranges::sort(out);
    return out;
  }

  std::shared_ptr<const LocalScores> scores_;
  std::vector<std::int64_t> order_;
};

}  // namespace

std::unique_ptr<LocalScores> cached(std::shared_ptr<const LocalScores> scores) {
  return std::make_unique<CachedScores>(std::move(scores));
}

std::unique_ptr<LocalScores> reordered(std::shared_ptr<const LocalScores> scores, std::span<const std::int64_t> order) {
  return std::make_unique<ReorderedScores>(std::move(scores), order);
}

}  // namespace deciban
