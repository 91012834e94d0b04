#include "sets.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "codes.hpp"
#include "crossed.hpp"
#include "score_averaged.hpp"

namespace deciban::bind {
namespace {

using CodeTable = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// The columns, once it is seen that no code is above its column's size.
CodeColumns code_columns(const CodeTable& codes, const std::vector<std::int64_t>& sizes,
                         const std::vector<std::int64_t>& rooms) {
  const Kind kind = kind_of(codes.dtype());
  require(kind == Kind::u8 || kind == Kind::u16 || kind == Kind::u32, "codes must be unsigned, 8 to 32 bits wide");
  require(codes.shape(0) == sizes.size(), "there must be one size a column");
  const auto rows = static_cast<std::int64_t>(codes.shape(1)), cols = static_cast<std::int64_t>(codes.shape(0));
  require(rows > 0 && rows < 0xFFFFFFFF, "there must be a row, and fewer than 2^32");
  require(are_below_sizes({codes.data(), kind, rows, cols, rooms}), "a code is above its column's size");
  return {codes.data(), kind, rows, cols, sizes};
}

void check_sets(const ColumnSets& sets, const std::vector<std::int64_t>& rooms, std::int64_t classes) {
  require(!sets.starts.empty() && sets.starts.front() == 0 && std::ranges::is_sorted(sets.starts) &&
              sets.starts.back() == static_cast<std::int64_t>(sets.columns.size()),
          "starts must rise from 0 to the number of columns in all sets");
  const auto is_column = [&](std::int32_t c) { return c >= 0 && size(c) < rooms.size(); };
  require(std::ranges::all_of(sets.columns, is_column), "a set holds what is no column");
  for (std::size_t i = 0; i + 1 < sets.starts.size(); ++i) {
    auto cells = static_cast<double>(classes);
    for (std::size_t k = size(sets.starts[i]); k < size(sets.starts[i + 1]); ++k) {
      cells *= static_cast<double>(rooms[size(sets.columns[k])]);
    }
    require(cells < 0x1p31, "a set has too many cells");
  }
}

nb::object count_sets_of(const CodeTable& codes, const Sizes& sizes, const Labels& y, std::int64_t classes,
                         const std::optional<Doubles>& weights, const Sizes& starts, const Labels& columns) {
  const std::vector<std::int64_t> known(sizes.data(), sizes.data() + sizes.size());
  require(std::ranges::all_of(known, [](std::int64_t n) { return n >= 0 && n < 0xFFFFFFFF; }), "a size is negative");
  std::vector<std::int64_t> rooms(known);
  for (std::int64_t& room : rooms) ++room;
  const CodeColumns held = code_columns(codes, known, rooms);
  require(y.size() == codes.shape(1) && (!weights || weights->size() == y.size()), "there must be one label a row");
  require(are_codes(span_of(y), classes), "a label lies outside the classes");
  const ColumnSets sets{span_of(starts), span_of(columns)};
  check_sets(sets, rooms, classes);
  if (weights) {
    auto cells = without_gil([&] { return count_sets(held, span_of(y), classes, sets, span_of(weights)); });
    const std::size_t count = cells.size() / size(classes);
    return to_numpy(std::move(cells), {count, size(classes)});
  }
  auto cells = without_gil([&] { return count_sets(held, span_of(y), classes, sets); });
  const std::size_t count = cells.size() / size(classes);
  return to_numpy(std::move(cells), {count, size(classes)});
}

nb::object score_averaged_of(const Places& parents, const Places& children, const Cube& table, std::int64_t classes) {
  require(parents.shape(0) == children.shape(0), "there must be parents and children for each row");
  require(classes > 0 && table.shape(2) == size(averaged_width(classes)), "the table must be as wide as the classes");
  const auto is_parent = [&](std::int32_t p) { return p >= -1 && p < static_cast<std::int64_t>(table.shape(0)); };
  const auto is_child = [&](std::int32_t c) { return c >= 0 && size(c) < table.shape(1); };
  require(std::ranges::all_of(span_of(parents), is_parent), "a parent is outside the table");
  require(std::ranges::all_of(span_of(children), is_child), "a child is outside the table");
  const std::size_t rows = parents.shape(0);
  std::vector<double> out(rows * size(classes));
  const AveragedModel model{span_of(table),
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

void add_sets(nb::module_& m) {
  using nb::arg;
  m.def("count_sets", &count_sets_of, arg("codes"), arg("sizes"), arg("y"), arg("classes"), arg("weights").none(),
        arg("starts"), arg("columns"));
  m.def("score_averaged", &score_averaged_of, arg("parents"), arg("children"), arg("table"), arg("classes"));
}

}  // namespace deciban::bind
