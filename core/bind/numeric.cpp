#include "numeric.hpp"

#include "arrays.hpp"
#include "bins.hpp"
#include "codes.hpp"
#include "values.hpp"

namespace deciban::bind {
namespace {

using Out = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

}  // namespace

void add_numeric(nb::module_& m) {
  using nb::arg;
  m.def("count_values", &count_values_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(), arg("most"));
  m.def("description_cuts", &description_cuts_of, arg("counts"), arg("tie"));
  m.def("add_bins", &add_bins_to, arg("x"), arg("cuts"), arg("table"), arg("out").noconvert());
}

}  // namespace deciban::bind
