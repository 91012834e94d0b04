// Tables of columns given their parents: smoothing, scores, and the information that orders the columns.
#include "chains/chains.hpp"

#include <algorithm>
#include <utility>

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

using WholeCounts = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The cells of all chains × classes.
template <class Counts>
ChainCounts counts_of(const Chains& chains, const Counts& counts) {
  std::size_t cells = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) cells += chains.cells(i, chains.columns.length(i));
  require(counts.shape(0) == cells, "there must be one row of counts a cell");
  return span_of(counts);
}

template <class Counts>
nb::tuple chain_evidence_of(const Counts& counts, const Sizes& sizes, const Sizes& starts, const Labels& columns,
                            double unit, const CodeTable& codes, const Labels& y, const Doubles& shares,
                            const Labels& of_column, std::int64_t column_count, std::int64_t depth) {
  const std::vector<std::int64_t> known = known_sizes(sizes);
  const Chains chains = chains_of(starts, columns, known, static_cast<std::int64_t>(counts.shape(1)));
  const ChainCounts cells = counts_of(chains, counts);
  const CodeColumns held = code_columns(codes, known, widths_of(known));
  require(y.size() == codes.shape(1) && are_codes(span_of(y), chains.classes), "y does not fit the rows");
  require(shares.size() == chains.size() && of_column.size() == chains.size(),
          "there must be one share and column a chain");
  require(std::ranges::all_of(span_of(of_column), [=](std::int32_t c) { return c >= 0 && c < column_count; }),
          "a column does not exist");
  for (std::size_t i = 0; i < chains.size(); ++i)
    require(std::cmp_less_equal(chains.columns.length(i), depth), "a chain has more levels");
  ChainEvidence found = without_gil([&] {
    return chain_evidence(chains, cells, {held, span_of(y), unit}, span_of(shares), span_of(of_column), column_count,
                          depth);
  });
  const std::size_t levels = found.strengths.size();
  return nb::make_tuple(
      to_numpy(std::move(found.evidence), {codes.shape(1), size(column_count), size(depth), size(chains.classes)}),
      to_numpy(std::move(found.strengths), {levels}));
}

template <class Counts>
nb::tuple combine_chains_of(const Counts& counts, const Sizes& sizes, const Sizes& starts, const Labels& columns,
                            double unit, const std::optional<Doubles>& strengths, const Doubles& factors,
                            const Sizes& used) {
  const std::vector<std::int64_t> known = known_sizes(sizes);
  const Chains chains = chains_of(starts, columns, known, static_cast<std::int64_t>(counts.shape(1)));
  const ChainCounts cells = counts_of(chains, counts);
  require(factors.size() == columns.size() && (!strengths || strengths->size() == columns.size()),
          "there must be one factor and strength a level");
  require(used.size() == chains.size(), "there must be one number of levels a chain");
  for (std::size_t i = 0; i < chains.size(); ++i) {
    require(used.data()[i] >= 0 && std::cmp_less_equal(used.data()[i], chains.columns.length(i)),
            "a chain has fewer levels");
  }
  CombinedChains found = without_gil(
      [&] { return combine_chains(chains, cells, {span_of(factors), span_of(used), unit, span_of(strengths)}); });
  const std::size_t width = size(averaged_width(chains.classes)), entries = found.table.size() / width;
  const std::size_t levels = found.strengths.size();
  return nb::make_tuple(to_numpy(std::move(found.table), {entries, width}),
                        to_numpy(std::move(found.strengths), {levels}));
}

nb::object add_chains_of(const CodeTable& codes, const Sizes& sizes, const Sizes& starts, const Labels& columns,
                         const Table& table, const Labels& groups, std::int64_t group_count, std::int64_t classes) {
  const std::vector<std::int64_t> known = known_sizes(sizes);
  const Chains chains = chains_of(starts, columns, known, classes);
  const CodeColumns held = code_columns(codes, known, widths_of(known));
  std::size_t entries = 0;
  for (std::size_t i = 0; i < chains.size(); ++i) entries += chains.entries(i, chains.columns.length(i));
  require(table.shape(0) == entries && table.shape(1) == size(averaged_width(classes)),
          "there must be one row of the table an entry");
  require(groups.size() == chains.size(), "there must be one group a chain");
  require(std::ranges::all_of(span_of(groups), [=](std::int32_t g) { return g >= 0 && g < group_count; }),
          "a group does not exist");
  const std::size_t rows = codes.shape(1);
  std::vector<double> out(rows * size(group_count * classes));
  without_gil([&] {
    add_chains(held, chains, span_of(table), span_of(groups), group_count, out);
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

// Of counts that are whole numbers, or sums of weights.
template <class Counts>
void bind_counts(nb::module_& m) {
  using nb::arg;
  m.def("chain_evidence", &chain_evidence_of<Counts>, arg("counts").noconvert(), arg("sizes"), arg("starts"),
        arg("columns"), arg("unit"), arg("codes"), arg("y"), arg("shares"), arg("of_column"), arg("column_count"),
        arg("depth"));
  m.def("combine_chains", &combine_chains_of<Counts>, arg("counts").noconvert(), arg("sizes"), arg("starts"),
        arg("columns"), arg("unit"), arg("strengths").none(), arg("factors"), arg("used"));
}

}  // namespace

void bind_chains(nb::module_& m) {
  using nb::arg;
  bind_counts<WholeCounts>(m);
  bind_counts<Table>(m);
  m.def("add_chains", &add_chains_of, arg("codes"), arg("sizes"), arg("starts"), arg("columns"), arg("table"),
        arg("groups"), arg("group_count"), arg("classes"));
  m.def("pair_information", &pair_information_of, arg("codes"), arg("sizes"), arg("y"), arg("classes"),
        arg("weights").none());
}

}  // namespace deciban::bind
