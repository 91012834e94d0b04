// Tables of columns given their parents: smoothing, scores, and the information that orders the columns.
#include "chains/chains.hpp"

#include <algorithm>

#include "bind/code_tables.hpp"
#include "bind/parts.hpp"
#include "read/codes.hpp"
#include "score/averaged.hpp"

namespace deciban::bind {
namespace {

// Chains over columns with these sizes, after a check of their columns and sizes.
Chains chains_of(const Sizes& starts, const Labels& columns, const std::vector<std::int64_t>& known,
                 std::int64_t classes) {
  require(classes > 0, "there must be a class");
  const RaggedList<std::int32_t> lists{span_of(starts), span_of(columns)};
  check_sets(lists, widths_of(known), averaged_width(classes));
  for (std::size_t i = 0; i < lists.size(); ++i) require(lists.length(i) > 0, "a chain has no column");
  return {lists, known, classes};
}

std::size_t cells_of(const Chains& chains, bool is_padded) {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) cells += is_padded ? chains.padded_cells(i) : chains.known_cells(i);
  return cells;
}

nb::tuple smooth_chains_of(const Table& counts, const Sizes& sizes, const Sizes& starts, const Labels& columns,
                           double unit) {
  const std::vector<std::int64_t> known = known_sizes(sizes);
  const Chains chains = chains_of(starts, columns, known, static_cast<std::int64_t>(counts.shape(1)));
  require(counts.shape(0) == cells_of(chains, false), "there must be one row of counts a cell");
  ChainLogs logs = without_gil([&] { return smooth_chains(chains, span_of(counts), unit); });
  const std::size_t width = size(averaged_width(chains.classes)), levels = logs.strengths.size();
  const std::size_t entries = logs.logs.size() / width;
  return nb::make_tuple(to_numpy(std::move(logs.logs), {entries, width}),
                        to_numpy(std::move(logs.left), {entries, width}),
                        to_numpy(std::move(logs.strengths), {levels}));
}

nb::object add_chains_of(const CodeTable& codes, const Sizes& sizes, const Sizes& starts, const Labels& columns,
                         const Table& table, const std::optional<Table>& left, const std::optional<Labels>& y,
                         const Doubles& shares, const Labels& groups, std::int64_t group_count, std::int64_t classes) {
  const std::vector<std::int64_t> known = known_sizes(sizes);
  const Chains chains = chains_of(starts, columns, known, classes);
  const CodeColumns held = code_columns(codes, known, widths_of(known));
  require(table.shape(0) == cells_of(chains, true) && table.shape(1) == size(averaged_width(classes)),
          "there must be one row of the table an entry");
  require(shares.size() == chains.size() && groups.size() == chains.size(),
          "there must be one share and group a chain");
  require(std::ranges::all_of(span_of(groups), [=](std::int32_t g) { return g >= 0 && g < group_count; }),
          "a group does not exist");
  require(left.has_value() == y.has_value() && (!left || left->size() == table.size()), "left does not fit the table");
  require(!y || (y->size() == codes.shape(1) && are_codes(span_of(*y), classes)), "y does not fit the rows");
  ChainScores scores{span_of(table), {}, {}, span_of(shares), span_of(groups), group_count};
  if (left && y) {
    scores.left = span_of(*left);
    scores.y = span_of(*y);
  }
  const std::size_t rows = codes.shape(1);
  std::vector<double> out(rows * size(group_count * classes));
  without_gil([&] {
    add_chains(held, chains, scores, out);
    return 0;
  });
  return to_numpy(std::move(out), {rows, size(group_count), size(classes)});
}

nb::object pair_information_of(const CodeTable& codes, const Sizes& sizes, const Labels& y, std::int64_t classes,
                               const std::optional<Doubles>& weights) {
  const std::vector<std::int64_t> known = known_sizes(sizes), widths = widths_of(known);
  CodeColumns held = code_columns(codes, known, widths);
  require(y.size() == codes.shape(1) && (!weights || weights->size() == y.size()), "there must be one label a row");
  require(are_codes(span_of(y), classes), "a label lies outside the classes");
  const std::int64_t widest = widths.empty() ? 1 : *std::ranges::max_element(widths);
  require(static_cast<double>(widest) * static_cast<double>(widest) * static_cast<double>(classes) < 0x1p31,
          "a pair has too many cells");
  held.weights = span_of(weights);
  std::vector<double> out = without_gil([&] { return pair_information(held, span_of(y), classes); });
  return to_numpy(std::move(out), {sizes.size(), sizes.size()});
}

}  // namespace

void bind_chains(nb::module_& m) {
  using nb::arg;
  m.def("smooth_chains", &smooth_chains_of, arg("counts"), arg("sizes"), arg("starts"), arg("columns"), arg("unit"));
  m.def("add_chains", &add_chains_of, arg("codes"), arg("sizes"), arg("starts"), arg("columns"), arg("table"),
        arg("left").none(), arg("y").none(), arg("shares"), arg("groups"), arg("group_count"), arg("classes"));
  m.def("pair_information", &pair_information_of, arg("codes"), arg("sizes"), arg("y"), arg("classes"),
        arg("weights").none());
}

}  // namespace deciban::bind
