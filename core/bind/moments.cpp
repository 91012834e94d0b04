// Means and sums of squares of columns within classes.

#include "count/moments/moments.hpp"

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "count/moments/cross.hpp"

namespace deciban::bind {
namespace {

nb::tuple class_moments_of(const nb::object& data, const Labels& y, std::int64_t classes,
                           const std::optional<Doubles>& weights, bool missing_allowed) {
  const Matrix x = matrix_of(data);
  check_labels(y, x, classes);
  check_weights(weights, x);
  Moments out = without_gil([&] { return class_moments(x, span_of(y), classes, span_of(weights), missing_allowed); });
  const std::size_t cols = size(cols_of(x));
  const std::size_t each = out.weight.size() / size(classes);
  return nb::make_tuple(to_numpy(std::move(out.weight), {size(classes), each}),
                        to_numpy(std::move(out.sums), {moment_tables, size(classes), cols}), fault_of(out.fault));
}

MomentTable table_of(const Doubles& weight, const Doubles& sums) {
  require(sums.size() == moment_tables * weight.size(), "there must be six sums a cell");
  return {span_of(weight), span_of(sums)};
}

nb::object add_moments_of(const Doubles& weight, const Doubles& sums, const Doubles& other_weight,
                          const Doubles& other_sums) {
  const MomentTable a = table_of(weight, sums), b = table_of(other_weight, other_sums);
  require(a.cells() == b.cells(), "the tables must have the same size");
  return to_numpy(without_gil([&] { return add_moments(a, b); }), {sums.size()});
}

nb::tuple subtract_moments_of(const Doubles& weight, const Doubles& sums, const Doubles& other_weight,
                              const Doubles& other_sums, const Doubles& left) {
  const MomentTable a = table_of(weight, sums), b = table_of(other_weight, other_sums);
  require(a.cells() == b.cells() && left.size() == a.cells(), "the tables must have the same size");
  LessMoments out = without_gil([&] { return subtract_moments(a, b, span_of(left)); });
  return nb::make_tuple(to_numpy(std::move(out.sums), {sums.size()}), to_numpy(std::move(out.rounding), {a.cells()}));
}

nb::object scale_moments_of(const Doubles& weight, const Doubles& sums, double factor) {
  const MomentTable table = table_of(weight, sums);
  return to_numpy(without_gil([&] { return scale_moments(table, factor); }), {sums.size()});
}

nb::object settle_moments_of(const Doubles& weight, const Doubles& sums) {
  const MomentTable table = table_of(weight, sums);
  return to_numpy(without_gil([&] { return settle_moments(table); }), {2, table.cells()});
}

nb::object cross_sums_of(const Table& values, const std::optional<Doubles>& weights, const Doubles& shifts) {
  require(shifts.size() == values.shape(1) && shifts.size() > 0, "there must be one shift a column");
  require(!weights || weights->size() == values.shape(0), "there must be one weight a row");
  const auto cols = static_cast<std::int64_t>(shifts.size());
  std::vector<double> out =
      without_gil([&] { return cross_sums(span_of(values), cols, span_of(weights), span_of(shifts)); });
  const std::size_t cells = out.size();
  return to_numpy(std::move(out), {cells});
}

}  // namespace

void bind_moments(nb::module_& m) {
  using nb::arg;
  m.def("class_moments", &class_moments_of, arg("x"), arg("y"), arg("classes"), arg("weights").none(),
        arg("missing_allowed"));
  m.def("add_moments", &add_moments_of, arg("weight"), arg("sums"), arg("other_weight"), arg("other_sums"));
  m.def("subtract_moments", &subtract_moments_of, arg("weight"), arg("sums"), arg("other_weight"), arg("other_sums"),
        arg("left"));
  m.def("scale_moments", &scale_moments_of, arg("weight"), arg("sums"), arg("factor"));
  m.def("cross_sums", &cross_sums_of, arg("values"), arg("weights").none(), arg("shifts"));
  m.def("settle_moments", &settle_moments_of, arg("weight"), arg("sums"));
}

}  // namespace deciban::bind
