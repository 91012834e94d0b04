// Local scores, as the searches of the core read them, and these searches.

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "search/boss.hpp"
#include "search/cached_scores.hpp"
#include "search/equivalence_search.hpp"
#include "search/gaussian_scores.hpp"
#include "search/hill_climb.hpp"
#include "search/local_scores.hpp"
#include "search/mixed_scores.hpp"

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

class ScoreGains final : public Gains {
 public:
  explicit ScoreGains(std::shared_ptr<const LocalScores> scores) : scores_(std::move(scores)) {}

  std::int64_t variables() const override { return scores_->variables(); }
  std::vector<double> gains(std::span<const Growth> growths) const override {
    std::vector<double> scores(scores_in(growths)), out;
    scores_->score_all(growths, scores);
    out.reserve(scores.size() - growths.size());
    auto score = scores.begin();
    for (const Growth& growth : growths) {
      const double before = *score++;
      for (std::size_t i = 0; i < growth.added.size(); ++i) out.push_back(*score++ - before);
    }
    return out;
  }

 private:
  std::shared_ptr<const LocalScores> scores_;
};

// A function of Python says what added parents gain, all in one call.
class CalledGains final : public Gains {
 public:
  CalledGains(std::int64_t variables, nb::callable call) : variables_(variables), call_(std::move(call)) {}

  std::int64_t variables() const override { return variables_; }
  std::vector<double> gains(std::span<const Growth> growths) const override {
    std::vector<std::int64_t> children, added, starts{0}, given;
    for (const Growth& growth : growths) {
      children.insert(children.end(), growth.added.size(), growth.child);
      added.insert(added.end(), growth.added.begin(), growth.added.end());
      for (std::size_t i = 0; i < growth.added.size(); ++i) {
        given.insert(given.end(), growth.parents.begin(), growth.parents.end());
        starts.push_back(static_cast<std::int64_t>(given.size()));
      }
    }
    const std::size_t count = children.size(), lists = starts.size(), members = given.size();
    if (count == 0) return {};
    const nb::gil_scoped_acquire hold;
    const auto out =
        nb::cast<Doubles>(call_(to_numpy(std::move(children), {count}), to_numpy(std::move(added), {count}),
                                to_numpy(std::move(starts), {lists}), to_numpy(std::move(given), {members})));
    require(out.size() == count, "there must be one gain a parent");
    return {out.data(), out.data() + out.size()};
  }

 private:
  std::int64_t variables_;
  nb::callable call_;
};

std::shared_ptr<Gains> score_gains_of(std::shared_ptr<const LocalScores> scores) {
  return std::make_shared<ScoreGains>(std::move(scores));
}
std::shared_ptr<Gains> called_gains_of(std::int64_t variables, nb::callable call) {
  return std::make_shared<CalledGains>(variables, std::move(call));
}

// Lists of variables, a list for each of them.
RaggedList<std::int64_t> lists_of(const Sizes& starts, const Sizes& members, std::int64_t variables) {
  const RaggedList<std::int64_t> lists{span_of(starts), span_of(members)};
  check_ragged(lists, size(variables), "no such variable");
  require(std::cmp_equal(lists.size(), variables), "there must be one list a variable");
  return lists;
}

nb::tuple arrays_of(const NodeSets& sets) {
  std::vector<std::int64_t> starts{0}, members;
  for (std::int64_t node = 0; node < sets.nodes(); ++node) {
    const auto of_node = members_of(sets[node]);
    members.insert(members.end(), of_node.begin(), of_node.end());
    starts.push_back(static_cast<std::int64_t>(members.size()));
  }
  const std::size_t lists = starts.size(), all = members.size();
  return nb::make_tuple(to_numpy(std::move(starts), {lists}), to_numpy(std::move(members), {all}));
}

// A search, together with the gains that it reads.
class HeldEquivalenceSearch {
 public:
  HeldEquivalenceSearch(std::shared_ptr<const Gains> gains, const Sizes& required_starts, const Sizes& required,
                        const Sizes& forbidden_starts, const Sizes& forbidden, std::int64_t most, double scale)
      : gains_(std::move(gains)),
        search_(*gains_,
                {lists_of(required_starts, required, gains_->variables()),
                 lists_of(forbidden_starts, forbidden, gains_->variables()), most},
                scale) {}

  void start(const Sizes& starts, const Sizes& parents) {
    search_.start(lists_of(starts, parents, gains_->variables()));
  }
  // (gain, y, x, T or H), or None.
  nb::object step(bool is_forward) {
    const auto made = without_gil([&] { return search_.step(is_forward ? Phase::forward : Phase::backward); });
    if (!made) return nb::none();
    nb::list part;
    for (const std::int32_t node : made->part) part.append(node);
    return nb::make_tuple(made->gain, made->y, made->x, part);
  }
  nb::tuple graph() const { return nb::make_tuple(arrays_of(search_.graph().up), arrays_of(search_.graph().free)); }
  nb::tuple dag() const { return arrays_of(search_.dag()); }

 private:
  std::shared_ptr<const Gains> gains_;
  EquivalenceSearch search_;
};

// A search, together with the scores that it reads.
class HeldOrderSearch {
 public:
  HeldOrderSearch(std::shared_ptr<const LocalScores> scores, const Sizes& required_starts, const Sizes& required,
                  const Sizes& forbidden_starts, const Sizes& forbidden, std::int64_t most, double scale)
      : scores_(std::move(scores)) {
    const std::int64_t count = scores_->variables();
    const ParentRules rules{lists_of(required_starts, required, count), lists_of(forbidden_starts, forbidden, count),
                            most};
    search_ = without_gil([&] { return std::make_unique<OrderSearch>(*scores_, rules, scale); });
  }

  void start(const Sizes& order) {
    std::vector<std::int64_t> sorted(order.data(), order.data() + order.size());
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < sorted.size(); ++i) require(std::cmp_equal(sorted[i], i), "no order of the variables");
    require(std::cmp_equal(sorted.size(), scores_->variables()), "the order must have each variable");
    without_gil([&] { search_->start(span_of(order)); });
  }

  // (variable, the one beside it, whether it is the last one, gain) of each move.
  nb::list sweep() {
    nb::list out;
    for (const OrderMove& move : without_gil([&] { return search_->sweep(); })) {
      out.append(nb::make_tuple(move.variable, move.beside, move.is_last, move.gain));
    }
    return out;
  }

  nb::tuple parents() const { return arrays_of(search_->parents()); }

 private:
  std::shared_ptr<const LocalScores> scores_;
  std::unique_ptr<OrderSearch> search_;
};

std::shared_ptr<LocalScores> gaussian_scores_of(const Table& correlation, const Doubles& log_spread, double rows,
                                                double cost) {
  require(correlation.shape(0) == log_spread.size() && correlation.shape(1) == log_spread.size(),
          "the correlations must be a square, with one deviation a variable");
  return std::make_shared<GaussianScores>(span_of(correlation), span_of(log_spread), rows, cost);
}

std::shared_ptr<LocalScores> block_scores_of(const Table& correlation, const Sizes& starts, const Doubles& log_spread,
                                             double rows, double cost) {
  const std::size_t columns = log_spread.size();
  require(correlation.shape(0) == columns && correlation.shape(1) == columns,
          "the correlations must be a square, with one deviation a column");
  const std::span<const std::int64_t> from = span_of(starts);
  require(!from.empty() && from.front() == 0 && std::ranges::is_sorted(from) && std::cmp_equal(from.back(), columns),
          "the starts must rise from 0 to the number of columns");
  return block_scores(span_of(correlation), from, span_of(log_spread), rows, cost);
}

constexpr std::array<const char*, 3> changes{"add", "delete", "reverse"};

nb::object step_of(const ClimbStep& step) {
  return nb::make_tuple(changes[size(static_cast<std::int64_t>(step.change))], step.parent, step.child, step.gain);
}

// A climb, together with the scores that it reads.
class HeldClimb {
 public:
  HeldClimb(std::shared_ptr<const LocalScores> scores, const Sizes& required_starts, const Sizes& required,
            const Sizes& forbidden_starts, const Sizes& forbidden, std::int64_t most, double scale,
            const Sizes& parent_starts, const Sizes& parents)
      : scores_(std::move(scores)) {
    const std::int64_t variables = scores_->variables();
    const ParentRules rules{lists_of(required_starts, required, variables),
                            lists_of(forbidden_starts, forbidden, variables), most};
    const RaggedList<std::int64_t> start = lists_of(parent_starts, parents, variables);
    climb_ = without_gil([&] { return std::make_unique<HillClimb>(*scores_, rules, scale, start); });
  }

  // (change, parent, child, gain), or None.
  nb::object best() const {
    const auto found = without_gil([&] { return climb_->best(); });
    return found ? step_of(*found) : nb::none();
  }
  nb::object allowed(std::int64_t number) const {
    require(number >= 0 && number < climb_->count_allowed(), "there is no such step");
    return step_of(climb_->allowed(number));
  }
  std::int64_t count_allowed() const { return climb_->count_allowed(); }
  // One of the steps that `best` and `allowed` give.
  void make(const std::string& change, std::int64_t parent, std::int64_t child, double gain) {
    const auto found = std::ranges::find(changes, change);
    require(found != changes.end() && are_variables(std::array{parent, child}, scores_->variables()), "no such step");
    const auto kind = static_cast<ArrowChange>(found - changes.begin());
    without_gil([&] { climb_->make({kind, parent, child, gain}); });
  }
  void remember(std::int64_t most) { climb_->remember(size(most)); }
  double score() const { return climb_->score(); }
  nb::tuple parents() const { return arrays_of(climb_->parents()); }

 private:
  std::shared_ptr<const LocalScores> scores_;
  std::unique_ptr<HillClimb> climb_;
};

// The scores with one parent: children × parents, 0 where they are the same variable.
nb::object pairs_of(const LocalScores& scores) {
  const std::int64_t variables = scores.variables();
  std::vector<std::vector<std::int64_t>> others(size(variables));
  std::vector<Growth> growths;
  for (std::int64_t child = 0; child < variables; ++child) {
    for (std::int64_t parent = 0; parent < variables; ++parent) {
      if (parent != child) others[size(child)].push_back(parent);
    }
    growths.push_back({child, {}, others[size(child)]});
  }
  // Of each child first the score without parents, which there is no place for: it is written where the child's own is.
  std::vector<double> out(size(variables * variables));
  without_gil([&] { scores.score_all(growths, out); });
  for (std::int64_t child = 0; child < variables; ++child) {
    const auto row = out.begin() + child * variables;
    std::rotate(row, row + 1, row + child + 1);
    row[child] = 0.0;
  }
  return to_numpy(std::move(out), {size(variables), size(variables)});
}

}  // namespace

void bind_search(nb::module_& m) {
  using nb::arg;
  nb::class_<LocalScores>(m, "LocalScores")
      .def_prop_ro("variables", &LocalScores::variables)
      .def("local", &local_of, arg("children"), arg("starts"), arg("parents"))
      .def("pairs", &pairs_of)
      .def("reordered", &reordered_of, arg("order"));
  const nb::class_<Gains> gains(m, "Gains");
  m.def("score_gains", &score_gains_of, arg("scores"));
  m.def("called_gains", &called_gains_of, arg("variables"), arg("call"));
  nb::class_<HeldEquivalenceSearch>(m, "EquivalenceSearch")
      .def(nb::init<std::shared_ptr<const Gains>, const Sizes&, const Sizes&, const Sizes&, const Sizes&, std::int64_t,
                    double>(),
           arg("gains"), arg("required_starts"), arg("required"), arg("forbidden_starts"), arg("forbidden"),
           arg("most"), arg("scale"))
      .def("start", &HeldEquivalenceSearch::start, arg("starts"), arg("parents"))
      .def("step", &HeldEquivalenceSearch::step, arg("is_forward"))
      .def("graph", &HeldEquivalenceSearch::graph)
      .def("dag", &HeldEquivalenceSearch::dag);
  m.def("gaussian_scores", &gaussian_scores_of, arg("correlation"), arg("log_spread"), arg("rows"), arg("cost"));
  m.def("block_scores", &block_scores_of, arg("correlation"), arg("starts"), arg("log_spread"), arg("rows"),
        arg("cost"));
  nb::class_<HeldOrderSearch>(m, "OrderSearch")
      .def(nb::init<std::shared_ptr<const LocalScores>, const Sizes&, const Sizes&, const Sizes&, const Sizes&,
                    std::int64_t, double>(),
           arg("scores"), arg("required_starts"), arg("required"), arg("forbidden_starts"), arg("forbidden"),
           arg("most"), arg("scale"))
      .def("start", &HeldOrderSearch::start, arg("order"))
      .def("sweep", &HeldOrderSearch::sweep)
      .def("parents", &HeldOrderSearch::parents);
  nb::class_<HeldClimb>(m, "HillClimb")
      .def(nb::init<std::shared_ptr<const LocalScores>, const Sizes&, const Sizes&, const Sizes&, const Sizes&,
                    std::int64_t, double, const Sizes&, const Sizes&>(),
           arg("scores"), arg("required_starts"), arg("required"), arg("forbidden_starts"), arg("forbidden"),
           arg("most"), arg("scale"), arg("parent_starts"), arg("parents"))
      .def("best", &HeldClimb::best)
      .def("allowed", &HeldClimb::allowed, arg("number"))
      .def("count_allowed", &HeldClimb::count_allowed)
      .def("make", &HeldClimb::make, arg("change"), arg("parent"), arg("child"), arg("gain"))
      .def("remember", &HeldClimb::remember, arg("most"))
      .def("score", &HeldClimb::score)
      .def("parents", &HeldClimb::parents);
  m.def("called_scores", &called_scores_of, arg("variables"), arg("call"));
}

}  // namespace deciban::bind
