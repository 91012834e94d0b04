// Scores of rows: log-probabilities, classes and posteriors.
#include "score/score.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "run/lanes.hpp"
#include "score/averaged.hpp"
#include "score/pack_logs.hpp"
#include "score/strength.hpp"

namespace deciban::bind {
namespace {

using States = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Want want_of(const std::string& name) {
  if (name == "best") return Want::best;
  if (name == "joint") return Want::joint;
  if (name == "log_posterior") return Want::log_posterior;
  require(name == "posterior", "want must be best, joint, log_posterior or posterior");
  return Want::posterior;
}

// Makes the result array, fills it without the GIL, and returns it with the fault, if any.
template <class F>
nb::tuple finished(std::size_t rows, const Doubles& fallback, const std::string& want, F&& kernel) {
  const std::size_t classes = fallback.size();
  require(classes > 0, "there must be a class");
  Output output{want_of(want), span_of(fallback), nullptr, nullptr, static_cast<std::int64_t>(classes)};
  std::vector<std::int32_t> codes(output.want == Want::best ? rows : 0);
  std::vector<double> table(output.want == Want::best ? 0 : rows * classes);
  output.codes = codes.data();
  output.table = table.data();
  const Fault fault = without_gil([&] { return kernel(output); });
  if (output.want == Want::best) return nb::make_tuple(to_numpy(std::move(codes), {rows}), fault_of(fault));
  return nb::make_tuple(to_numpy(std::move(table), {rows, classes}), fault_of(fault));
}

template <class F>
nb::tuple scored(const Matrix& x, const Doubles& prior, const Doubles& fallback, const std::string& want, F&& kernel) {
  require(cols_of(x) > 0, "there must be a column");
  require(fallback.size() == prior.size(), "there must be one fallback a class");
  return finished(size(rows_of(x)), fallback, want, kernel);
}

nb::object finish_of(const Table& joint, const Doubles& fallback, const std::string& want) {
  require(joint.shape(1) == fallback.size(), "there must be one fallback a class");
  return finished(joint.shape(0), fallback, want, [&](const Output& output) {
    finish_all(span_of(joint), output);
    return Fault{};
  })[0];
}

nb::tuple score_gaussian_of(const nb::object& data, const Doubles& prior, const Doubles& fallback, const Table& mean,
                            const Table& half_precision, const Table& log_norm, bool missing_allowed,
                            const std::string& want) {
  const Matrix x = matrix_of(data);
  const std::size_t cells = prior.size() * size(padded(cols_of(x)));
  require(mean.size() == cells && half_precision.size() == cells && log_norm.size() == cells,
          "the parameters must be classes × padded columns");
  const GaussianModel model{span_of(prior), span_of(mean), span_of(half_precision), span_of(log_norm)};
  return scored(x, prior, fallback, want,
                [&](const Output& output) { return score_gaussian(x, model, missing_allowed, output); });
}

nb::tuple score_linear_of(const nb::object& data, const Doubles& prior, const Doubles& fallback, const Table& weight,
                          const std::optional<Table>& at_missing, double lowest, double highest, bool missing_allowed,
                          std::optional<double> threshold, const std::string& want) {
  const Matrix x = matrix_of(data);
  const std::size_t cells = size(padded(static_cast<std::int64_t>(prior.size()))) * size(cols_of(x));
  require(weight.size() == cells && (!at_missing || at_missing->size() == cells),
          "the parameters must be columns × padded classes");
  const LinearModel model{span_of(prior), span_of(weight),
                          at_missing ? span_of(*at_missing) : std::span<const double>{}};
  const TermRules rules{lowest, highest, missing_allowed, threshold.has_value(), threshold.value_or(0.0)};
  return scored(x, prior, fallback, want, [&](const Output& output) { return score_linear(x, model, rules, output); });
}

nb::tuple score_table_of(const nb::object& data, const Doubles& prior, const Doubles& fallback, const Table& table,
                         const Sizes& sizes, bool missing_allowed, bool minus_is_missing, bool unseen_allowed,
                         const std::string& want) {
  const Matrix x = matrix_of(data);
  require(static_cast<std::int64_t>(sizes.size()) == cols_of(x), "there must be one size a column");
  std::vector<std::int64_t> starts;
  std::int64_t rows = 0;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    require(sizes.data()[c] >= 0, "a size is negative");
    starts.push_back(rows);
    rows += sizes.data()[c] + 2;
  }
  require(size(rows) == table.shape(0) && table.shape(1) == size(padded(static_cast<std::int64_t>(prior.size()))),
          "the table must have each column's states and two more, × padded classes");
  const TableModel model{span_of(prior), span_of(table), starts, span_of(sizes)};
  const CodeRules rules{missing_allowed, minus_is_missing, 0};
  return scored(x, prior, fallback, want,
                [&](const Output& output) { return score_table(x, model, rules, unseen_allowed, output); });
}

using Packed = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

SmoothedCounts smoothed(const Table& counts, const Doubles& pseudo, const Doubles& of_classes, const Packed& out) {
  const SmoothedCounts of{span_of(counts), span_of(pseudo), static_cast<std::int64_t>(counts.shape(0)),
                          static_cast<std::int64_t>(counts.shape(1))};
  require(of_classes.size() == size(of.classes), "there must be one total a class");
  require(pseudo.size() == 1 || pseudo.size() == size(of.cols), "there must be one pseudo-count, or one a column");
  require(out.shape(0) == size(of.cols) && out.shape(1) == size(padded(of.classes)),
          "out must be columns × padded classes");
  return of;
}

void pack_logs_into(const Table& counts, const Doubles& pseudo, const Doubles& log_whole, const Packed& out) {
  const SmoothedCounts of = smoothed(counts, pseudo, log_whole, out);
  without_gil([&] {
    pack_logs(of, span_of(log_whole), out.data(), padded(of.classes));
    return 0;
  });
}

void pack_complement_into(const Table& counts, const Doubles& pseudo, const Doubles& log_whole, const Packed& out) {
  const SmoothedCounts of = smoothed(counts, pseudo, log_whole, out);
  without_gil([&] {
    pack_complement(of, span_of(log_whole), out.data(), padded(of.classes));
    return 0;
  });
}

nb::object pack_presence_into(const Table& counts, const Doubles& pseudo, const Doubles& rows, const Packed& out) {
  const SmoothedCounts of = smoothed(counts, pseudo, rows, out);
  return to_numpy(without_gil([&] { return pack_presence(of, span_of(rows), out.data(), padded(of.classes)); }),
                  {size(of.classes)});
}

nb::tuple best_strength_of(const Cube& counts, const Cube& prior, const Sizes& groups) {
  require(counts.shape(1) == prior.shape(1) && counts.shape(2) == prior.shape(2), "the tables must have equal states");
  require(groups.size() == counts.shape(0), "there must be one group a context");
  const auto is_group = [&](std::int64_t g) { return g >= 0 && size(g) < prior.shape(0); };
  require(std::ranges::all_of(span_of(groups), is_group), "a group is outside the table");
  const ShrunkCounts shrunk{span_of(counts), span_of(prior), span_of(groups),
                            static_cast<std::int64_t>(counts.shape(1)), static_cast<std::int64_t>(counts.shape(2))};
  const Strength best = without_gil([&] { return best_strength(shrunk); });
  return nb::make_tuple(best.value, best.likelihood);
}

nb::object score_averaged_of(const States& parents, const States& children, const Cube& table,
                             const Doubles& log_weights, std::int64_t classes) {
  require(parents.shape(0) == children.shape(0), "there must be parents and children for each row");
  require(classes > 0 && table.shape(2) == size(averaged_width(classes)), "the table must be as wide as the classes");
  require(log_weights.size() == table.shape(0), "there must be one weight a parent");
  const auto is_parent = [&](std::int32_t p) { return p >= -1 && p < static_cast<std::int64_t>(table.shape(0)); };
  const auto is_child = [&](std::int32_t c) { return c >= 0 && size(c) < table.shape(1); };
  require(std::ranges::all_of(span_of(parents), is_parent), "a parent is outside the table");
  require(std::ranges::all_of(span_of(children), is_child), "a child is outside the table");
  const std::size_t rows = parents.shape(0);
  std::vector<double> out(rows * size(classes));
  const AveragedModel model{span_of(table),
                            span_of(log_weights),
                            static_cast<std::int64_t>(table.shape(1)),
                            classes,
                            static_cast<std::int64_t>(table.shape(2)),
                            span_of(parents),
                            span_of(children),
                            static_cast<std::int64_t>(parents.shape(1)),
                            static_cast<std::int64_t>(children.shape(1))};
  without_gil([&] {
    score_averaged(model, out);
    return 0;
  });
  return to_numpy(std::move(out), {rows, size(classes)});
}

}  // namespace

void bind_score(nb::module_& m) {
  using nb::arg;
  m.def("pack_complement", &pack_complement_into, arg("counts"), arg("pseudo"), arg("log_whole"),
        arg("out").noconvert());
  m.def("pack_logs", &pack_logs_into, arg("counts"), arg("pseudo"), arg("log_whole"), arg("out").noconvert());
  m.def("pack_presence", &pack_presence_into, arg("counts"), arg("pseudo"), arg("rows"), arg("out").noconvert());
  m.def("finish", &finish_of, arg("joint"), arg("fallback"), arg("want"));
  m.def("score_gaussian", &score_gaussian_of, arg("x"), arg("prior"), arg("fallback"), arg("mean"),
        arg("half_precision"), arg("log_norm"), arg("missing_allowed"), arg("want"));
  m.def("score_linear", &score_linear_of, arg("x"), arg("prior"), arg("fallback"), arg("weight"),
        arg("at_missing").none(), arg("lowest"), arg("highest"), arg("missing_allowed"), arg("threshold").none(),
        arg("want"));
  m.def("score_table", &score_table_of, arg("x"), arg("prior"), arg("fallback"), arg("table"), arg("sizes"),
        arg("missing_allowed"), arg("minus_is_missing"), arg("unseen_allowed"), arg("want"));
  m.def("score_averaged", &score_averaged_of, arg("parents"), arg("children"), arg("table"), arg("log_weights"),
        arg("classes"));
  m.def("best_strength", &best_strength_of, arg("counts"), arg("prior"), arg("groups"));
}

}  // namespace deciban::bind
