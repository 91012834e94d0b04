// Counts of codes, terms and values.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/code_tables.hpp"
#include "bind/parts.hpp"
#include "count/bins.hpp"
#include "count/class_counts.hpp"
#include "count/column_sets.hpp"
#include "count/description.hpp"
#include "count/terms.hpp"
#include "count/values.hpp"
#include "read/codes.hpp"

namespace deciban::bind {
namespace {

using Weights = std::optional<Doubles>;
using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object count_occurrences_of(const Labels& codes, std::int64_t end) {
  require(are_codes(span_of(codes), end), "a code is outside [0, size)");
  return to_numpy(without_gil([&] { return count_occurrences(span_of(codes), end); }), {size(end)});
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
  const TermRules rules{lowest, highest, missing_allowed, threshold.has_value(), threshold.value_or(0.0)};
  TermSums out = without_gil([&] { return sum_terms(x, span_of(y), classes, span_of(weights), rules); });
  const std::size_t cols = size(cols_of(x));
  const nb::object missing = out.missing.empty() ? nb::none() : to_numpy(std::move(out.missing), {size(classes), cols});
  return nb::make_tuple(to_numpy(std::move(out.sums), {size(classes), cols}), missing, fault_of(out.fault));
}

template <class T>
nb::object value_counts(ValueCounts<T>&& out, std::int64_t classes) {
  if (!out.is_whole) return nb::none();
  const std::size_t values = out.values.size();
  return nb::make_tuple(to_numpy(std::move(out.values), {values}),
                        to_numpy(std::move(out.table), {size(classes), values}));
}

nb::object count_values_of(const Doubles& x, const Labels& y, std::int64_t classes,
                           const std::optional<Doubles>& weights, std::int64_t most) {
  require(y.size() == x.size() && (!weights || weights->size() == x.size()), "there must be one label a row");
  require(are_codes(span_of(y), classes), "a label lies outside the classes");
  if (weights) {
    return value_counts(
        without_gil([&] { return count_values(span_of(x), span_of(y), classes, span_of(weights), most); }), classes);
  }
  return value_counts(without_gil([&] { return count_values(span_of(x), span_of(y), classes, most); }), classes);
}

nb::object description_cuts_of(const Table& counts, double tie) {
  require(counts.shape(1) > 0, "there must be a class");
  const auto classes = static_cast<std::int64_t>(counts.shape(1));
  std::vector<std::int64_t> ends = without_gil([&] { return description_cuts(span_of(counts), classes, tie); });
  const std::size_t found = ends.size();
  return to_numpy(std::move(ends), {found});
}

void add_bins_to(const Doubles& x, const Doubles& cuts, const Table& table, const Out& out) {
  require(table.shape(0) == cuts.size() + 1, "there must be one row more than cuts");
  require(out.shape(0) == x.size() && out.shape(1) == table.shape(1), "out must be rows × classes");
  without_gil([&] {
    add_bins(span_of(x), span_of(cuts), span_of(table), span_of(out), static_cast<std::int64_t>(table.shape(1)));
    return 0;
  });
}

nb::object count_sets_of(const CodeTable& codes, const Sizes& sizes, const Labels& y, std::int64_t classes,
                         const std::optional<Doubles>& weights, const Sizes& starts, const Labels& columns) {
  const std::vector<std::int64_t> known = known_sizes(sizes), widths = widths_of(known);
  const CodeColumns held = code_columns(codes, known, widths);
  require(y.size() == codes.shape(1) && (!weights || weights->size() == y.size()), "there must be one label a row");
  require(are_codes(span_of(y), classes), "a label lies outside the classes");
  const RaggedList<std::int32_t> sets{span_of(starts), span_of(columns)};
  check_sets(sets, widths, classes);
  if (weights) {
    auto cells = without_gil([&] { return count_sets(held, span_of(y), classes, sets, span_of(weights)); });
    const std::size_t count = cells.size() / size(classes);
    return to_numpy(std::move(cells), {count, size(classes)});
  }
  auto cells = without_gil([&] { return count_sets(held, span_of(y), classes, sets); });
  const std::size_t count = cells.size() / size(classes);
  return to_numpy(std::move(cells), {count, size(classes)});
}

}  // namespace

void bind_count(nb::module_& m) {
  using nb::arg;
  m.def("count_occurrences", &count_occurrences_of, arg("codes"), arg("size"));
  m.def("count_codes", &count_codes_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(),
        arg("missing_allowed"), arg("minus_is_missing"), arg("most_states"));
  m.def("sum_terms", &sum_terms_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(), arg("lowest"),
        arg("highest"), arg("missing_allowed"), arg("threshold").none());
  m.def("count_values", &count_values_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(), arg("most"));
  m.def("description_cuts", &description_cuts_of, arg("counts"), arg("tie"));
  m.def("add_bins", &add_bins_to, arg("x"), arg("cuts"), arg("table"), arg("out").noconvert());
  m.def("count_sets", &count_sets_of, arg("codes"), arg("sizes"), arg("y"), arg("classes"), arg("weights").none(),
        arg("starts"), arg("columns"));
}

}  // namespace deciban::bind
