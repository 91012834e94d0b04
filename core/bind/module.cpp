// deciban._core: arrays in, arrays out. Each function checks its sizes, releases the GIL and calls one kernel.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>

#include "arrays.hpp"
#include "clones.hpp"
#include "codes.hpp"
#include "learning.hpp"
#include "moments_bind.hpp"
#include "net_files.hpp"
#include "nets.hpp"
#include "numeric.hpp"
#include "pack.hpp"
#include "pool.hpp"
#include "score.hpp"
#include "scores.hpp"
#include "sets.hpp"
#include "tally.hpp"
#include "terms.hpp"
#include "text.hpp"
#include "trees.hpp"
#include "words.hpp"

namespace deciban::bind {
namespace {

using Weights = std::optional<Doubles>;

TermRules term_rules(double lowest, double highest, bool missing_allowed, std::optional<double> threshold) {
  return {lowest, highest, missing_allowed, threshold.has_value(), threshold.value_or(0.0)};
}

nb::object count_places_of(const Labels& codes, std::int64_t places) {
  require(are_codes(span_of(codes), places), "a code lies outside the places");
  return to_numpy(without_gil([&] { return count_places(span_of(codes), places); }), {size(places)});
}

template <class T>
nb::tuple code_counts(CodeCounts<T>&& out) {
  const std::size_t columns = out.sizes.size();
  const std::size_t cells = out.counts.size();
  return nb::make_tuple(to_numpy(std::move(out.sizes), {columns}), to_numpy(std::move(out.counts), {cells}),
                        fault_of(out.fault));
}

nb::tuple count_codes_of(const nb::object& data, const Labels& y, std::int64_t classes, const Weights& weights,
                         bool missing_allowed, bool minus_is_missing, std::int64_t most_states) {
  const Matrix x = matrix_of(data);
  check_labels(y, x, classes);
  check_weights(weights, x);
  const CodeRules rules{missing_allowed, minus_is_missing, most_states};
  if (weights) {
    return code_counts(without_gil([&] { return count_codes(x, span_of(y), classes, span_of(weights), rules); }));
  }
  return code_counts(without_gil([&] { return count_codes(x, span_of(y), classes, rules); }));
}

nb::tuple sum_terms_of(const nb::object& data, const Labels& y, std::int64_t classes, const Weights& weights,
                       double lowest, double highest, bool missing_allowed, std::optional<double> threshold) {
  const Matrix x = matrix_of(data);
  check_labels(y, x, classes);
  check_weights(weights, x);
  const TermRules rules = term_rules(lowest, highest, missing_allowed, threshold);
  TermSums out = without_gil([&] { return sum_terms(x, span_of(y), classes, span_of(weights), rules); });
  const std::size_t cols = size(cols_of(x));
  const nb::object missing = out.missing.empty() ? nb::none() : to_numpy(std::move(out.missing), {size(classes), cols});
  return nb::make_tuple(to_numpy(std::move(out.sums), {size(classes), cols}), missing, fault_of(out.fault));
}

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
  const TermRules rules = term_rules(lowest, highest, missing_allowed, threshold);
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

void pack_logs_into(const Table& counts, const Doubles& pseudo, const Doubles& log_whole,
                    const nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out) {
  const auto classes = static_cast<std::int64_t>(counts.shape(0));
  const auto cols = static_cast<std::int64_t>(counts.shape(1));
  require(log_whole.size() == size(classes), "there must be one total a class");
  require(pseudo.size() == 1 || pseudo.size() == size(cols), "there must be one pseudo-count, or one a column");
  require(out.shape(0) == size(cols) && out.shape(1) == size(padded(classes)), "out must be columns × padded classes");
  without_gil([&] {
    pack_logs(span_of(counts), span_of(pseudo), span_of(log_whole), cols, out.data(), padded(classes));
    return 0;
  });
}

}  // namespace
}  // namespace deciban::bind

NB_MODULE(_core, m) {
  namespace nb = nanobind;
  using namespace deciban::bind;
  using nb::arg;
  nb::set_leak_warnings(false);  // a process may end before Python has freed its modules
  m.doc() = "The counting and scoring kernels. Use deciban.tally; tally/reference.py says what each computes.";
  m.attr("LANES") = deciban::lanes;
  m.def("thread_count", &deciban::thread_count);
  m.def("set_thread_count", &deciban::set_thread_count, arg("count"));
  m.def("count_places", &count_places_of, arg("codes"), arg("places"));
  m.def("count_codes", &count_codes_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(),
        arg("missing_allowed"), arg("minus_is_missing"), arg("most_states"));
  m.def("sum_terms", &sum_terms_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(), arg("lowest"),
        arg("highest"), arg("missing_allowed"), arg("threshold").none());
  m.def("pack_logs", &pack_logs_into, arg("counts"), arg("pseudo"), arg("log_whole"), arg("out").noconvert());
  m.def("finish", &finish_of, arg("joint"), arg("fallback"), arg("want"));
  m.def("score_gaussian", &score_gaussian_of, arg("x"), arg("prior"), arg("fallback"), arg("mean"),
        arg("half_precision"), arg("log_norm"), arg("missing_allowed"), arg("want"));
  m.def("score_linear", &score_linear_of, arg("x"), arg("prior"), arg("fallback"), arg("weight"),
        arg("at_missing").none(), arg("lowest"), arg("highest"), arg("missing_allowed"), arg("threshold").none(),
        arg("want"));
  m.def("score_table", &score_table_of, arg("x"), arg("prior"), arg("fallback"), arg("table"), arg("sizes"),
        arg("missing_allowed"), arg("minus_is_missing"), arg("unseen_allowed"), arg("want"));
  add_moments(m);
  add_sets(m);
  add_numeric(m);
  add_text(m);
  register_words(m);
  add_scores(m);
  add_nets(m);
  add_learning(m);
  add_net_files(m);
  add_trees(m);
}
