// Tests of conditional independence, of edges and of triples.

#include <nanobind/stl/unique_ptr.h>

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/code_tables.hpp"
#include "bind/parts.hpp"
#include "independence/chi_square.hpp"
#include "independence/skeleton.hpp"
#include "independence/test.hpp"

namespace deciban::bind {
namespace {

using Marked = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using MarkTable = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

bool are_below(std::span<const std::int64_t> values, std::int64_t end) {
  return std::ranges::all_of(values, [end](std::int64_t v) { return v >= 0 && v < end; });
}

Marks marks_of(const MarkTable& table, const Source& source) {
  const auto n = source.columns();
  require(table.shape(0) == size(n) && table.shape(1) == size(n), "marks must be columns × columns");
  return {span_of(table), n};
}

// Two columns a pair, and a list of columns for it.
void check_pairs(const Source& source, std::span<const std::int64_t> x, std::span<const std::int64_t> y,
                 const RaggedList<std::int64_t>& lists) {
  check_ragged(lists, size(source.columns()), "no such column");
  require(x.size() == y.size() && x.size() == lists.size(), "there must be two columns and one list a pair");
  require(are_below(x, source.columns()) && are_below(y, source.columns()), "no such column");
}

// A source, together with the arrays that it reads.
template <class... Arrays>
class HeldSource final : public Source {
 public:
  explicit HeldSource(std::unique_ptr<Source> source, const Arrays&... arrays)
      : arrays_(arrays...), source_(std::move(source)) {}
  std::int64_t columns() const override { return source_->columns(); }
  std::unique_ptr<Tester> tester() const override { return source_->tester(); }
  const Correlations* correlations() const override { return source_->correlations(); }

 private:
  std::tuple<Arrays...> arrays_;
  std::unique_ptr<Source> source_;
};
template <class... Arrays>
std::unique_ptr<Source> held(std::unique_ptr<Source> source, const Arrays&... arrays) {
  return std::make_unique<HeldSource<Arrays...>>(std::move(source), arrays...);
}

// The columns of a table of codes, which may have none; a code that is not below its column's size is a missing value.
CodeColumns known_or_missing(const CodeTable& codes, const Sizes& sizes, const std::optional<Doubles>& weights) {
  const Kind kind = kind_of(codes.dtype());
  require(kind == Kind::u8 || kind == Kind::u16 || kind == Kind::u32, "codes must be unsigned, 8 to 32 bits wide");
  require(codes.shape(0) == sizes.size(), "there must be one size a column");
  require(codes.shape(1) > 0 && codes.shape(1) < 0xFFFFFFFF, "there must be a row, and fewer than 2^32");
  require(!weights || weights->size() == codes.shape(1), "there must be one weight a row");
  require(std::ranges::all_of(span_of(sizes), [](std::int64_t n) { return n > 0 && n < (1 << 16); }),
          "a column must have 1 to 65535 states");
  return {codes.data(),
          kind,
          static_cast<std::int64_t>(codes.shape(1)),
          static_cast<std::int64_t>(codes.shape(0)),
          span_of(sizes),
          span_of(weights)};
}

std::unique_ptr<Source> coded_source_of(const CodeTable& codes, const Sizes& sizes,
                                        const std::optional<Doubles>& weights, bool is_chi, bool is_full,
                                        bool is_corrected, bool finds_determined, const std::optional<Marked>& ordered,
                                        bool is_trend_only) {
  require(sizes.size() > 0, "there must be a column");
  require(!ordered || ordered->size() == sizes.size(), "there must be one mark a column");
  const CodeColumns columns = known_or_missing(codes, sizes, weights);
  auto source = without_gil([&] {
    return coded_source(columns,
                        {is_chi ? Measure::chi_squared : Measure::g_squared, is_full ? Freedom::full : Freedom::active,
                         is_corrected ? Tail::corrected : Tail::asymptotic, finds_determined},
                        ordered ? span_of(*ordered) : std::span<const std::uint8_t>(),
                        is_trend_only ? Order::trend : Order::all);
  });
  return held(std::move(source), codes, weights);
}

std::unique_ptr<Source> gaussian_source_of(const Table& correlation, double rows) {
  require(correlation.shape(0) == correlation.shape(1), "the correlations must be a square");
  return held(gaussian_source(span_of(correlation), static_cast<std::int64_t>(correlation.shape(0)), rows),
              correlation);
}

std::unique_ptr<Source> block_source_of(const Table& correlation, const Sizes& starts, double rows) {
  require(correlation.shape(0) == correlation.shape(1), "the correlations must be a square");
  const std::span<const std::int64_t> from = span_of(starts);
  require(from.size() > 1 && from.front() == 0 && std::ranges::is_sorted(from) &&
              std::cmp_equal(from.back(), correlation.shape(0)),
          "the starts must rise from 0 to the number of columns");
  return block_source(span_of(correlation), from, rows);
}

std::unique_ptr<Source> mixed_source_of(const CodeTable& codes, const Sizes& sizes, const Table& values,
                                        const Sizes& slots, const std::optional<Doubles>& weights) {
  const CodeColumns columns = known_or_missing(codes, sizes, weights);
  check_slots(slots, columns, values);
  auto source = without_gil([&] {
    return mixed_source(columns, span_of(values), static_cast<std::int64_t>(values.shape(0)), span_of(slots),
                        {Measure::g_squared, Freedom::active, Tail::corrected, true});
  });
  return held(std::move(source), codes, weights);
}

std::unique_ptr<Source> graph_source_of(const Sizes& starts, const Sizes& parents) {
  require(starts.size() > 0, "there must be a start");
  const RaggedList<std::int64_t> lists{span_of(starts), span_of(parents)};
  check_ragged(lists, lists.size(), "a parent is no node");
  return graph_source(lists);
}

nb::object test_each_of(const Source& source, const Sizes& x, const Sizes& y, const Sizes& starts, const Sizes& sets) {
  const TestList list{span_of(x), span_of(y), {span_of(starts), span_of(sets)}};
  check_pairs(source, list.x, list.y, list.given);
  Interrupt interrupt(poll_signals);
  const auto found = without_gil([&] { return test_each(source, list, interrupt); });
  std::vector<double> out;
  for (const Outcome& outcome : found) {
    out.insert(out.end(), {outcome.statistic, outcome.df, outcome.rows, outcome.p});
  }
  return to_numpy(std::move(out), {found.size(), 4});
}

nb::object determined_each_of(const Source& source, const Sizes& columns, const Sizes& starts, const Sizes& sets) {
  const RaggedList<std::int64_t> given{span_of(starts), span_of(sets)};
  check_pairs(source, span_of(columns), span_of(columns), given);
  Interrupt interrupt(poll_signals);
  auto found = without_gil([&] { return determined_each(source, span_of(columns), given, interrupt); });
  const std::size_t count = found.size();
  return to_numpy(std::move(found), {count});
}

nb::tuple test_level_of(const Source& source, const MarkTable& open, const MarkTable& pool, std::int64_t level,
                        double alpha, double power, bool unsure_is_independent, double rows_per_df, bool all,
                        const std::optional<nb::callable>& report) {
  require(level >= 0, "a level is not negative");
  const TestRules rules{alpha, power, unsure_is_independent, rows_per_df};
  const Marks edges = marks_of(open, source);
  const Marks around = marks_of(pool, source);
  Interrupt interrupt([&] {
    poll_signals();
    const nb::gil_scoped_acquire hold;
    if (report) (*report)(interrupt.share());
  });
  LevelResult out = without_gil([&] { return test_level(source, rules, edges, around, level, all, interrupt); });
  const std::size_t found = out.x.size();
  return nb::make_tuple(to_numpy(std::move(out.x), {found}), to_numpy(std::move(out.y), {found}),
                        to_numpy(std::move(out.sets), {found, size(level)}),
                        to_numpy(std::move(out.values), {found, 4}), out.tests, out.unsure, out.skipped);
}

nb::tuple weigh_triples_of(const Source& source, const Sizes& x, const Sizes& y, const Sizes& starts,
                           const Sizes& middles, const MarkTable& pool, std::int64_t depth, std::int64_t most,
                           double alpha, double power, bool unsure_is_independent, double rows_per_df) {
  const Triples triples{span_of(x), span_of(y), {span_of(starts), span_of(middles)}};
  check_pairs(source, triples.x, triples.y, triples.middles);
  const Marks around = marks_of(pool, source);
  const TestRules rules{alpha, power, unsure_is_independent, rows_per_df};
  Interrupt interrupt(poll_signals);
  const auto found = without_gil([&] { return weigh_triples(source, rules, triples, around, depth, most, interrupt); });
  std::vector<double> p;
  std::vector<std::int64_t> counts;
  for (const TripleEvidence& one : found) {
    p.insert(p.end(), {one.p_with, one.p_without});
    counts.insert(counts.end(), {one.with, one.without});
  }
  return nb::make_tuple(to_numpy(std::move(p), {found.size(), 2}), to_numpy(std::move(counts), {found.size(), 2}));
}

}  // namespace

void bind_independence(nb::module_& m) {
  using nb::arg;
  nb::class_<Source>(m, "Source").def_prop_ro("columns", &Source::columns);
  m.def("coded_source", &coded_source_of, arg("codes"), arg("sizes"), arg("weights").none(), arg("is_chi"),
        arg("is_full"), arg("is_corrected"), arg("finds_determined"), arg("ordered") = nb::none(),
        arg("is_trend_only") = false);
  m.def("gaussian_source", &gaussian_source_of, arg("correlation"), arg("rows"));
  m.def("block_source", &block_source_of, arg("correlation"), arg("starts"), arg("rows"));
  m.def("mixed_source", &mixed_source_of, arg("codes"), arg("sizes"), arg("values"), arg("slots"),
        arg("weights").none());
  m.def("graph_source", &graph_source_of, arg("starts"), arg("parents"));
  m.def("test_each", &test_each_of, arg("source"), arg("x"), arg("y"), arg("starts"), arg("sets"));
  m.def("determined_each", &determined_each_of, arg("source"), arg("columns"), arg("starts"), arg("sets"));
  m.def("test_level", &test_level_of, arg("source"), arg("edges"), arg("pool"), arg("level"), arg("alpha"),
        arg("power"), arg("unsure_is_independent"), arg("rows_per_df"), arg("is_all"), arg("report").none());
  m.def("weigh_triples", &weigh_triples_of, arg("source"), arg("x"), arg("y"), arg("starts"), arg("middles"),
        arg("pool"), arg("depth"), arg("most"), arg("alpha"), arg("power"), arg("unsure_is_independent"),
        arg("rows_per_df"));
  m.def("chi_square_tail", &chi_square_tail, arg("x"), arg("df"));
}

}  // namespace deciban::bind
