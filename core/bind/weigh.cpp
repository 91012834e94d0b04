// Margins of rows without their own counts, and the loss of columns' weights on them.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "read/codes.hpp"
#include "weigh/loss.hpp"
#include "weigh/margins.hpp"

namespace deciban::bind {
namespace {

// Blocks × other classes × columns × rows of a block.
using MarginTable = nb::ndarray<float, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

bool has_room(const MarginTable& table, std::size_t rows) {
  return table.shape(0) == size(margin_blocks(static_cast<std::int64_t>(rows))) && table.shape(3) == size(margin_rows);
}

// The rows, once it is certain that they and the column fit the margins.
LeftOut rows_of(const Labels& y, const Doubles& own, std::int64_t column, const MarginTable& out) {
  require(has_room(out, y.size()) && own.size() == y.size(), "there must be margins of each row");
  require(column >= 0 && size(column) < out.shape(2), "there must be margins of the column");
  require(are_codes(span_of(y), static_cast<std::int64_t>(out.shape(1)) + 1), "a label lies outside the classes");
  return {span_of(y), span_of(own)};
}

Margins margins_of(const MarginTable& out) {
  return {out.data(), static_cast<std::int64_t>(out.shape(1)) + 1, static_cast<std::int64_t>(out.shape(2))};
}

void add_log_margins_of(const Table& logs, const Labels& y, const Doubles& own, std::int64_t column,
                        const MarginTable& out) {
  require(logs.shape(0) == y.size() && logs.shape(1) == out.shape(1) + 1, "the logs must be rows × classes");
  const LeftOut rows = rows_of(y, own, column, out);
  without_gil([&] { return add_log_margins(span_of(logs), rows, column, margins_of(out)), 0; });
}

void add_count_margins_of(const Labels& codes, const Table& counts, const Doubles& pseudo, double added,
                          double added_alone, const Labels& y, const Doubles& own, std::int64_t column,
                          const MarginTable& out) {
  const LeftOut rows = rows_of(y, own, column, out);
  require(counts.shape(0) == out.shape(1) + 1 && counts.shape(1) == pseudo.size(), "counts must be classes × states");
  const auto is_code = [&](std::int32_t code) { return code >= -1 && code < static_cast<std::int64_t>(pseudo.size()); };
  require(codes.size() == y.size() && std::ranges::all_of(span_of(codes), is_code), "a code is outside the states");
  const CountedColumn x{span_of(codes), span_of(counts), span_of(pseudo), added, added_alone};
  without_gil([&] { return add_count_margins(x, rows, column, margins_of(out)), 0; });
}

void add_normal_margins_of(const Doubles& x, const Table& moments, double strength, double middle,
                           double least_variance, const Labels& y, const Doubles& own, std::int64_t column,
                           const MarginTable& out) {
  const LeftOut rows = rows_of(y, own, column, out);
  const std::size_t classes = out.shape(1) + 1;
  require(x.size() == y.size(), "there must be one number a row");
  require(moments.shape(0) == 4 && moments.shape(1) == classes, "the moments must be four × classes");
  const auto part = [&](std::size_t i) { return span_of(moments).subspan(i * classes, classes); };
  const NormalColumn normal{span_of(x), part(0), part(1), part(2), part(3), strength, middle, least_variance};
  without_gil([&] { return add_normal_margins(normal, rows, column, margins_of(out)), 0; });
}

nb::tuple weighed_loss_of(const Doubles& weights, const MarginTable& margins, const MarginTable& prior,
                          const Doubles& importance, bool with_curvature) {
  require(weights.size() == margins.shape(2) && prior.shape(2) == 1, "there must be one weight a column");
  require(has_room(margins, importance.size()) && has_room(prior, importance.size()), "there must be one weight a row");
  require(prior.shape(1) == margins.shape(1), "the prior must have margins of the same classes");
  const std::span<const float> of_columns(margins.data(), margins.size()), of_prior(prior.data(), prior.size());
  const WeighedRows rows{static_cast<std::int64_t>(margins.shape(1)), of_columns, of_prior, span_of(importance)};
  WeighedLoss out = without_gil([&] { return weighed_loss(span_of(weights), rows, with_curvature); });
  const std::size_t columns = weights.size();
  const nb::object curvature = with_curvature ? to_numpy(std::move(out.curvature), {columns}) : nb::none();
  return nb::make_tuple(out.loss, to_numpy(std::move(out.gradient), {columns}), curvature);
}

}  // namespace

void bind_weigh(nb::module_& m) {
  using nb::arg;
  m.attr("MARGIN_ROWS") = margin_rows;
  m.def("add_log_margins", &add_log_margins_of, arg("logs"), arg("y"), arg("own"), arg("column"),
        arg("out").noconvert());
  m.def("add_count_margins", &add_count_margins_of, arg("codes"), arg("counts"), arg("pseudo"), arg("added"),
        arg("added_alone"), arg("y"), arg("own"), arg("column"), arg("out").noconvert());
  m.def("add_normal_margins", &add_normal_margins_of, arg("x"), arg("moments"), arg("strength"), arg("middle"),
        arg("least_variance"), arg("y"), arg("own"), arg("column"), arg("out").noconvert());
  m.def("weighed_loss", &weighed_loss_of, arg("weights"), arg("margins").noconvert(), arg("prior").noconvert(),
        arg("importance"), arg("with_curvature"));
}

}  // namespace deciban::bind
