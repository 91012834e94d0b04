// Forests of counts: growing, counting, scoring, and scoring rows as if they had not been counted.
#include "forest/forest.hpp"

#include <algorithm>
#include <limits>

#include "bind/arrays.hpp"
#include "bind/parts.hpp"
#include "read/codes.hpp"

namespace deciban::bind {
namespace {

using States = nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Whole = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Short = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

StateColumns columns_of(const States& states) {
  return {{states.data(), states.size()},
          static_cast<std::int64_t>(states.shape(1)),
          static_cast<std::int64_t>(states.shape(0))};
}

// The arrays of a forest, kept for the length of a call.
struct HeldForest {
  Labels columns;
  Short low, high;
  Labels left;
  Bytes sides;
  Sizes starts;
  Short ranks;
  Sizes rank_starts, label_states;
  std::uint64_t seed;
  double share;

  explicit HeldForest(const nb::tuple& t)
      : columns(nb::cast<Labels>(t[0])),
        low(nb::cast<Short>(t[1])),
        high(nb::cast<Short>(t[2])),
        left(nb::cast<Labels>(t[3])),
        sides(nb::cast<Bytes>(t[4])),
        starts(nb::cast<Sizes>(t[5])),
        ranks(nb::cast<Short>(t[6])),
        rank_starts(nb::cast<Sizes>(t[7])),
        label_states(nb::cast<Sizes>(t[8])),
        seed(nb::cast<std::uint64_t>(t[9])),
        share(nb::cast<double>(t[10])) {}

  Forest forest() const {
    return {
        span_of(columns), span_of(low),         span_of(high),         span_of(left), span_of(sides), span_of(starts),
        span_of(ranks),   span_of(rank_starts), span_of(label_states), seed,          share};
  }
};

// Every step leads to a later node of the same tree.
void check_nodes(const Forest& forest, std::int64_t columns) {
  const std::size_t nodes = forest.columns.size();
  require(forest.low.size() == nodes && forest.high.size() == nodes && forest.left.size() == nodes &&
              forest.sides.size() == nodes && nodes < 0x7FFFFFFF,
          "the nodes' arrays differ in length");
  require(forest.starts.size() > 1 && forest.starts.front() == 0 && forest.starts.back() == forest.nodes() &&
              std::ranges::is_sorted(forest.starts),
          "the trees' starts do not fit their nodes");
  for (std::int64_t t = 0; t < forest.trees(); ++t) {
    const std::int64_t last = forest.starts[at(t + 1)];
    require(forest.starts[at(t)] < last, "a tree has no node");
    for (std::int64_t i = forest.starts[at(t)]; i < last; ++i) {
      if (forest.columns[at(i)] < 0) continue;
      require(forest.columns[at(i)] < columns, "a split's column does not exist");
      require(forest.left[at(i)] > i && forest.left[at(i)] + 1 < last, "a node's child is not behind it in its tree");
    }
  }
}

// States that every tree has a rank for.
void check_states(const Forest& forest, const StateColumns& states) {
  require(std::cmp_equal(forest.rank_starts.size(), states.columns) &&
              forest.label_states.size() == forest.rank_starts.size(),
          "the ranks' starts do not fit the columns");
  check_nodes(forest, states.columns);
  const std::int64_t ranks = forest.ranks_of_tree();
  require(ranks * forest.trees() == static_cast<std::int64_t>(forest.ranks.size()),
          "the trees' ranks differ in number");
  for (std::int64_t c = 0; c < states.columns; ++c) {
    const std::int64_t start = forest.rank_starts[at(c)], known = forest.label_states[at(c)];
    if (start < 0) continue;
    require(known <= ended_state && known <= ranks && start <= ranks - known, "a label has no rank");
    const std::span codes(states.column(c), at(states.rows));
    require(std::ranges::all_of(codes, [=](std::uint16_t code) { return code < known || code >= ended_state; }),
            "a label has no rank");
  }
}

nb::tuple grow_forest_of(const States& states, const Sizes& label_states, const Keys& keys, const Labels& y,
                         std::int64_t classes, const Whole& weights, std::int64_t trees, std::int64_t candidates,
                         std::int64_t min_leaf, std::int64_t max_depth, std::uint64_t seed, double share) {
  const std::size_t rows = states.shape(1), columns = states.shape(0);
  require(rows < 0xFFFFFFFF && keys.size() == rows && y.size() == rows && weights.size() == rows,
          "there must be one key, label and weight a row");
  require(label_states.size() == columns && are_codes(span_of(y), classes), "a label lies outside the classes");
  require(trees > 0 && candidates > 0 && min_leaf > 0 && max_depth >= 0, "a rule is not positive");
  const StateColumns held = columns_of(states);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::int64_t known = label_states.data()[c];
    const std::span codes(held.column(static_cast<std::int64_t>(c)), rows);
    const auto is_state = [=](std::uint16_t code) {
      return code == missing_state || (code < ended_state && (known == 0 || code < known));
    };
    require(std::ranges::all_of(codes, is_state), "a state is outside its column's");
  }
  GrownForest grown = without_gil([&] {
    return grow_forest({held, span_of(label_states), span_of(keys), span_of(y), span_of(weights), classes},
                       {trees, candidates, min_leaf, max_depth, seed, share});
  });
  const std::size_t nodes = grown.columns.size(), starts = grown.starts.size(), ranks = grown.ranks.size();
  return nb::make_tuple(to_numpy(std::move(grown.columns), {nodes}), to_numpy(std::move(grown.low), {nodes}),
                        to_numpy(std::move(grown.high), {nodes}), to_numpy(std::move(grown.left), {nodes}),
                        to_numpy(std::move(grown.sides), {nodes}), to_numpy(std::move(grown.starts), {starts}),
                        to_numpy(std::move(grown.ranks), {ranks}));
}

nb::object count_ends_of(const nb::tuple& forest, const States& states, const Labels& y, std::int64_t classes,
                         const std::optional<Doubles>& weights) {
  const HeldForest held(forest);
  const Forest trees = held.forest();
  const StateColumns rows = columns_of(states);
  check_states(trees, rows);
  require(y.size() == states.shape(1) && (!weights || weights->size() == y.size()), "there must be one label a row");
  require(are_codes(span_of(y), classes), "a label lies outside the classes");
  const auto count = [&]<class N>(std::vector<N> out) {
    without_gil([&] { return count_ends<N>(trees, rows, span_of(y), span_of(weights), classes, out), 0; });
    return to_numpy(std::move(out), {size(trees.nodes()), size(classes)});
  };
  const std::size_t cells = size(trees.nodes() * classes);
  return weights ? count(std::vector<double>(cells)) : count(std::vector<std::int64_t>(cells));
}

nb::object add_ends_of(const nb::tuple& forest, const States& states, const Table& table, bool by_column) {
  const HeldForest held(forest);
  const Forest trees = held.forest();
  const StateColumns rows = columns_of(states);
  check_states(trees, rows);
  require(std::cmp_equal(table.shape(0), trees.nodes()), "there must be one row of the table a node");
  const std::size_t groups = by_column ? states.shape(0) : 1, classes = table.shape(1);
  std::vector<double> out(states.shape(1) * groups * classes);
  without_gil(
      [&] { return add_ends(trees, rows, span_of(table), static_cast<std::int64_t>(classes), by_column, out), 0; });
  return to_numpy(std::move(out), {states.shape(1), groups, classes});
}

nb::object pass_counts_of(const nb::tuple& forest, const Table& ends, const std::optional<Doubles>& strengths) {
  const HeldForest held(forest);
  const Forest trees = held.forest();
  check_nodes(trees, std::numeric_limits<std::int32_t>::max());
  require(std::cmp_equal(ends.shape(0), trees.nodes()), "there must be one row of counts a node");
  require(!strengths || strengths->size() > 0, "there must be a strength");
  const std::size_t classes = ends.shape(1);
  std::vector<double> out(ends.data(), ends.data() + ends.size());
  without_gil([&] {
    add_to_ancestors(trees, static_cast<std::int64_t>(classes), out);
    if (strengths) node_chances(trees, static_cast<std::int64_t>(classes), span_of(*strengths), out);
    return 0;
  });
  return to_numpy(std::move(out), {size(trees.nodes()), classes});
}

void check_counted(const Forest& forest, const StateColumns& rows, const Keys& keys, const Labels& y,
                   const Doubles& own, const Table& counts) {
  check_states(forest, rows);
  require(std::cmp_equal(counts.shape(0), forest.nodes()), "there must be one row of counts a node");
  require(std::cmp_equal(y.size(), rows.rows) && keys.size() == y.size() && own.size() == y.size(),
          "there must be one key, label and weight a row");
  require(are_codes(span_of(y), static_cast<std::int64_t>(counts.shape(1))), "a label lies outside the classes");
}

nb::object depth_strengths_of(const nb::tuple& forest, const States& states, const Keys& keys, const Labels& y,
                              const Doubles& own, const Doubles& importance, const Table& counts, std::int64_t depths) {
  const HeldForest held(forest);
  const CountedRows rows{columns_of(states), span_of(keys), span_of(y), span_of(own), span_of(importance)};
  require(importance.size() == own.size(), "there must be one importance a row");
  check_counted(held.forest(), rows.states, keys, y, own, counts);
  const auto classes = static_cast<std::int64_t>(counts.shape(1));
  std::vector<double> out =
      without_gil([&] { return depth_strengths(held.forest(), rows, span_of(counts), classes, depths); });
  const std::size_t found = out.size();
  return to_numpy(std::move(out), {found});
}

nb::object score_left_out_of(const nb::tuple& forest, const States& states, const Keys& keys, const Labels& y,
                             const Doubles& own, const Table& counts, const Doubles& strengths) {
  const HeldForest held(forest);
  const CountedRows rows{columns_of(states), span_of(keys), span_of(y), span_of(own), {}};
  check_counted(held.forest(), rows.states, keys, y, own, counts);
  require(strengths.size() > 0, "there must be a strength");
  const std::size_t classes = counts.shape(1);
  std::vector<double> out(y.size() * classes);
  without_gil([&] {
    score_left_out(held.forest(), rows, span_of(counts), static_cast<std::int64_t>(classes), span_of(strengths), out);
    return 0;
  });
  return to_numpy(std::move(out), {y.size(), classes});
}

}  // namespace

void bind_forest(nb::module_& m) {
  using nb::arg;
  m.def("grow_forest", &grow_forest_of, arg("states"), arg("label_states"), arg("keys"), arg("y"), arg("classes"),
        arg("weights"), arg("trees"), arg("candidates"), arg("min_leaf"), arg("max_depth"), arg("seed"), arg("share"));
  m.def("count_ends", &count_ends_of, arg("forest"), arg("states"), arg("y"), arg("classes"), arg("weights").none());
  m.def("add_ends", &add_ends_of, arg("forest"), arg("states"), arg("table"), arg("by_column"));
  m.def("pass_counts", &pass_counts_of, arg("forest"), arg("ends"), arg("strengths").none());
  m.def("depth_strengths", &depth_strengths_of, arg("forest"), arg("states"), arg("keys"), arg("y"), arg("own"),
        arg("importance"), arg("counts"), arg("depths"));
  m.def("score_ends_left_out", &score_left_out_of, arg("forest"), arg("states"), arg("keys"), arg("y"), arg("own"),
        arg("counts"), arg("strengths"));
}

}  // namespace deciban::bind
