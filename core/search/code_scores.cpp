#include "search/code_scores.hpp"

#include <vector>

#include "run/workers.hpp"

namespace deciban {
namespace {

class CodeScores final : public LocalScores {
 public:
  CodeScores(const CodeColumns& codes, const Criterion& criterion)
      : variables_(codes.cols), scorers_([codes, criterion] { return family_scorer(codes, criterion); }) {}

  std::int64_t variables() const override { return variables_; }

  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    std::vector<std::int32_t> family{static_cast<std::int32_t>(child)};
    family.reserve(parents.size() + 1);
    for (const std::int64_t parent : parents) family.push_back(static_cast<std::int32_t>(parent));
    const auto scorer = scorers_.take();
    return scorer->score(family);
  }

 private:
  std::int64_t variables_;
  mutable Workers<FamilyScorer> scorers_;
};

}  // namespace

std::unique_ptr<LocalScores> code_scores(const CodeColumns& codes, const Criterion& criterion) {
  return std::make_unique<CodeScores>(codes, criterion);
}

}  // namespace deciban
