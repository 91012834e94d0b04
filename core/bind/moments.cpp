// Means and sums of squares of columns within classes.

#include "count/moments/moments.hpp"

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "count/moments/cross.hpp"
#include "count/moments/grouped.hpp"

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

nb::object cross_sums_of(const Table& values, const Doubles& shifts, const Sizes& starts, const Labels& members,
                         const std::optional<Doubles>& weights) {
  require(shifts.size() == values.shape(0), "there must be one shift a column");
  require(starts.size() == shifts.size() + 1, "there must be one list of partners a column");
  require(!weights || weights->size() == values.shape(1), "there must be one weight a row");
  const ShiftedColumns columns{span_of(values), span_of(shifts), static_cast<std::int64_t>(values.shape(1))};
  const RaggedList<std::int32_t> partners{span_of(starts), span_of(members)};
  check_ragged(partners, shifts.size() + 1, "a partner is neither a column nor the number 1");
  std::vector<double> out = without_gil([&] { return cross_sums(columns, partners, span_of(weights)); });
  return to_numpy(std::move(out), {2, members.size()});
}

nb::object column_ranges_of(const Table& values) {
  const std::size_t columns = values.shape(0);
  require(columns > 0, "there must be a column");
  auto out = without_gil([&] { return column_ranges(span_of(values), static_cast<std::int64_t>(columns)); });
  return to_numpy(std::move(out), {2, columns});
}

using CodesTable = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr double most_cells = 0x1p40;

void check_groups(const ShiftedColumns& numbers, const CodesWithMissing& codes, const GroupedFamilies& families) {
  check_ragged(families.numbers, numbers.shifts.size(), "a member of a family is no column of numbers");
  check_ragged(families.groups, codes.sizes.size(), "a group is of no column of codes");
  require(families.numbers.size() == families.groups.size(), "there must be one list of groups a family");
  double all = 0;
  for (std::size_t f = 0; f < families.numbers.size(); ++f) {
    double cells = 2.0 * static_cast<double>(sums_of_group(static_cast<std::int64_t>(families.numbers[f].size())));
    for (const std::int32_t column : families.groups[f]) cells *= static_cast<double>(codes.sizes[size(column)]);
    all += cells;
  }
  require(all <= most_cells, "the tables have too many cells");
}

nb::object grouped_cross_sums_of(const Table& values, const Doubles& shifts, const CodesTable& codes,
                                 const Sizes& sizes, const Sizes& number_starts, const Labels& number_members,
                                 const Sizes& group_starts, const Labels& group_members,
                                 const std::optional<Doubles>& weights) {
  require(shifts.size() == values.shape(0), "there must be one shift a column");
  require(codes.shape(0) == sizes.size(), "there must be one size a column");
  require(codes.shape(1) == values.shape(1), "codes and numbers must have the same rows");
  require(!weights || weights->size() == values.shape(1), "there must be one weight a row");
  require(std::ranges::all_of(span_of(sizes), [](std::int64_t n) { return n > 0; }), "a size is not above 0");
  const ShiftedColumns numbers{span_of(values), span_of(shifts), static_cast<std::int64_t>(values.shape(1))};
  const CodesWithMissing held{span_of(codes), numbers.rows, span_of(sizes)};
  const GroupedFamilies families{{span_of(number_starts), span_of(number_members)},
                                 {span_of(group_starts), span_of(group_members)}};
  check_groups(numbers, held, families);
  require(without_gil([&] { return are_states_or_missing(held); }), "a code lies outside its column's states");
  auto sums = without_gil([&] { return grouped_cross_sums(numbers, held, families, span_of(weights)); });
  const std::size_t cells = sums.size();
  return to_numpy(std::move(sums), {cells});
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
  m.def("cross_sums", &cross_sums_of, arg("values"), arg("shifts"), arg("starts"), arg("members"),
        arg("weights").none());
  m.def("column_ranges", &column_ranges_of, arg("values"));
  m.def("grouped_cross_sums", &grouped_cross_sums_of, arg("values"), arg("shifts"), arg("codes"), arg("sizes"),
        arg("number_starts"), arg("number_members"), arg("group_starts"), arg("group_members"), arg("weights").none());
  m.def("settle_moments", &settle_moments_of, arg("weight"), arg("sums"));
}

}  // namespace deciban::bind
