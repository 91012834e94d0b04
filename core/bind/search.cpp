// Local scores, as the searches of the core read them.

#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "search/cached_scores.hpp"
#include "search/local_scores.hpp"

namespace deciban::bind {
namespace {

bool are_variables(std::span<const std::int64_t> values, std::int64_t variables) {
  return std::ranges::all_of(values, [variables](std::int64_t v) { return v >= 0 && v < variables; });
}

// A function of Python says the scores of families. Threads call it one after the other.
class CalledScores final : public LocalScores {
 public:
  CalledScores(std::int64_t variables, nb::callable call) : variables_(variables), call_(std::move(call)) {}

  std::int64_t variables() const override { return variables_; }

  double score(std::int64_t child, std::span<const std::int64_t> parents) const override {
    double out = 0;
    const Growth alone{child, parents, {}};
    score_all({&alone, 1}, {&out, 1});
    return out;
  }
  void score_growth(const Growth& growth, std::span<double> out) const override { score_all({&growth, 1}, out); }

  // In one call.
  void score_all(std::span<const Growth> growths, std::span<double> out) const override {
    std::vector<std::int64_t> children, starts{0}, parents;
    for (const Growth& growth : growths) {
      for (std::size_t i = 0; i <= growth.added.size(); ++i) {
        children.push_back(growth.child);
        parents.insert(parents.end(), growth.parents.begin(), growth.parents.end());
        if (i > 0) {
          parents.push_back(growth.added[i - 1]);
          std::sort(parents.begin() + starts.back(), parents.end());
        }
        starts.push_back(static_cast<std::int64_t>(parents.size()));
      }
    }
    const std::size_t families = children.size(), lists = starts.size(), members = parents.size();
    const nb::gil_scoped_acquire hold;
    const auto scores =
        nb::cast<Doubles>(call_(to_numpy(std::move(children), {families}), to_numpy(std::move(starts), {lists}),
                                to_numpy(std::move(parents), {members})));
    require(scores.size() == out.size(), "there must be one score a family");
    std::ranges::copy(span_of(scores), out.begin());
  }

 private:
  std::int64_t variables_;
  nb::callable call_;
};

std::shared_ptr<LocalScores> called_scores_of(std::int64_t variables, nb::callable call) {
  return std::make_shared<CalledScores>(variables, std::move(call));
}

std::shared_ptr<LocalScores> reordered_of(std::shared_ptr<const LocalScores> scores, const Sizes& order) {
  require(std::cmp_equal(order.size(), scores->variables()) && are_variables(span_of(order), scores->variables()),
          "the order must have each variable");
  return reordered(std::move(scores), span_of(order));
}

nb::object local_of(const LocalScores& scores, const Sizes& children, const Sizes& starts, const Sizes& members) {
  const RaggedList<std::int64_t> parents{span_of(starts), span_of(members)};
  require(are_variables(span_of(children), scores.variables()), "a child is no variable");
  check_ragged(parents, size(scores.variables()), "a parent is no variable");
  require(parents.size() == children.size(), "there must be one list of parents a child");
  std::vector<Growth> families;
  families.reserve(parents.size());
  for (std::size_t i = 0; i < parents.size(); ++i) families.push_back({span_of(children)[i], parents[i], {}});
  std::vector<double> out(families.size());
  without_gil([&] { scores.score_all(families, out); });
  return to_numpy(std::move(out), {families.size()});
}

}  // namespace

void bind_search(nb::module_& m) {
  using nb::arg;
  nb::class_<LocalScores>(m, "LocalScores")
      .def_prop_ro("variables", &LocalScores::variables)
      .def("local", &local_of, arg("children"), arg("starts"), arg("parents"))
      .def("reordered", &reordered_of, arg("order"));
  m.def("called_scores", &called_scores_of, arg("variables"), arg("call"));
}

}  // namespace deciban::bind
